// Package spec is the specification of the cloud as a test suite.
//
// It runs on every implementation of [simcloud.API]: on core in this process
// and on the client of a server.
package spec

import (
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest/compute"
	"github.com/simcloud-dev/simcloud/simcloud/simtest/network"
	"github.com/simcloud-dev/simcloud/simcloud/simtest/rules"
	"github.com/simcloud-dev/simcloud/simcloud/simtest/suite"
	"github.com/simcloud-dev/simcloud/simcloud/simtest/tenancy"
)

// TestAPI is the specification. Its subtests have the names of the operations.
func TestAPI(t *testing.T, open func(*testing.T, suite.Options) simcloud.API) {
	s := suite.New(t, open)
	tenancy.Test(s)
	compute.Test(s)
	network.Test(s)
	rules.Test(s)
}
