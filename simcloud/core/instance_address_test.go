package core_test

import (
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/core"
)

// TestOneAddressInTwoScopes: an instance in a network of the public range has each of its addresses once.
func TestOneAddressInTwoScopes(t *testing.T) {
	t.Parallel()
	cloud := open(t, core.Config{})
	ctx := t.Context()
	must[simcloud.Result[simcloud.Network]](t)(cloud.CreateNetwork(ctx, simcloud.NetworkSpec{Name: "n", CIDRs: []string{core.PublicCIDR}}))
	instance := must[instanceResult](t)(cloud.CreateInstance(ctx, simcloud.InstanceSpec{Name: "i", Network: "net-2"})).Resource
	_, err := cloud.AddInstanceAddress(ctx, instance.ID, simcloud.AddressSpec{Scope: simcloud.ScopePrivate, Address: instance.Addresses[1].Address})
	wantCode(t, "its public address as a private one", err, simcloud.AlreadyExists)
	if err := cloud.Check(ctx); err != nil {
		t.Error(err)
	}
}
