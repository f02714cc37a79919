package core_test

import (
	"net/netip"
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

// TestPublicAddressOfEitherFamily: the ranges of its network say nothing of which public addresses an instance can have.
func TestPublicAddressOfEitherFamily(t *testing.T) {
	t.Parallel()
	cloud := open(t, core.Config{})
	ctx := t.Context()
	instance := must[instanceResult](t)(cloud.CreateInstance(ctx, simcloud.InstanceSpec{Name: "i"})).Resource
	instance = must[instanceResult](t)(cloud.AddInstanceAddress(ctx, instance.ID, simcloud.AddressSpec{Scope: simcloud.ScopePublic, Family: 6})).Resource
	last := instance.Addresses[len(instance.Addresses)-1]
	if range6 := netip.MustParsePrefix(core.PublicCIDRv6); !range6.Contains(netip.MustParseAddr(last.Address)) || last.Scope != simcloud.ScopePublic {
		t.Errorf("it got %+v, want a public address of %s", last, range6)
	}
	_, err := cloud.AddInstanceAddress(ctx, instance.ID, simcloud.AddressSpec{Scope: simcloud.ScopePrivate, Family: 6})
	wantCode(t, "a private address of a family that its network lacks", err, simcloud.Invalid)
	if err := cloud.Check(ctx); err != nil {
		t.Error(err)
	}
}
