// Package scenariotest runs scenarios as Go tests, each as a subtest, against a
// CCM that is a command, a process of the test binary, or a part of the test.
//
// A provider for k8s.io/cloud-provider needs a few lines to be held against
// all that simcloud includes:
//
//	func TestConformance(t *testing.T) {
//		scenariotest.Run(t, scenariotest.Config{
//			Subject:   scenariotest.CloudProvider("my-ccm", mycloud.Open),
//			Scenarios: scenariotest.Library(t, "tier=conformance,area=node"),
//		})
//	}
//
// What the provider then asks its cloud is asked of a simulated one. Breakpoints,
// coverage and the race detector work as in any test.
package scenariotest
