// Package tenancy specifies who uses a cloud: projects, their tokens and quotas,
// and the clusters that they register.
package tenancy

import "github.com/simcloud-dev/simcloud/simcloud/simtest/suite"

// Test runs the subtests of this room.
func Test(s suite.Runner) {
	for _, part := range []func(suite.Runner){
		testProjects, testTokens, testClusters, testDocuments, testQuotas,
	} {
		part(s)
	}
}
