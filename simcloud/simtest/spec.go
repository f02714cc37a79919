// Package spec is the specification of the cloud as a test suite.
//
// It runs on every implementation of [simcloud.API]: on core in this process
// and on the client of a server.
package simtest

import (
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// TestAPI is the specification. Its subtests have the names of the operations.
func TestAPI(t *testing.T, open func(*testing.T, Options) simcloud.API) {
	s := newSuite(t, open)
	testTenancy(s)
	testCompute(s)
	testNetwork(s)
	testRules(s)
}
