// Package rules specifies what holds for all resources: lists, versions,
// idempotency keys, long-running operations, consistency and events; and what
// concerns the cloud as a whole: its state, snapshots, seed, clock and config.
package rules

import "github.com/simcloud-dev/simcloud/simcloud/simtest/suite"

// Test runs the subtests of this room.
func Test(s suite.Runner) {
	for _, part := range []func(suite.Runner){
		testTexts, testOperations, testProgression, testPolls, testProgressions, testConsistency, testEvents, testAllEvents, testEventsOfState,
		testLists, testVersions, testIdempotency, testDeletionKeys, testNoChange,
		testState, testReset, testSnapshots, testSeed, testPlan, testClock, testConfig, testUniqueNames, testProtection,
	} {
		part(s)
	}
}
