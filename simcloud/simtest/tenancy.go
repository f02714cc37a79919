// Package tenancy specifies who uses a cloud: projects, their tokens and quotas,
// and the clusters that they register.
package simtest

// testTenancy runs the subtests of this room.
func testTenancy(s suite) {
	for _, part := range []func(suite){
		testProjects, testTokens, testClusters, testQuotas,
	} {
		part(s)
	}
}
