package route

import (
	"context"
	"errors"
	"fmt"
	"net/netip"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	cloudprovider "k8s.io/cloud-provider"

	"github.com/simcloud-dev/simcloud/ccm/config"
	"github.com/simcloud-dev/simcloud/ccm/label"
	"github.com/simcloud-dev/simcloud/ccm/providerid"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// nextHop is where the route of a node is to lead.
func (r *Routes) nextHop(ctx context.Context, route *cloudprovider.Route) (simcloud.NextHop, error) {
	if r.hop == config.RouteToAddress {
		address, err := addressFor(route.DestinationCIDR, route.TargetNodeAddresses)
		return simcloud.NextHop{Address: address}, err
	}
	inst, err := r.instances.Find(ctx, r.nodes.Get(string(route.TargetNode)))
	return simcloud.NextHop{Instance: inst.ID}, err
}

// addressFor picks the first internal address of the family of a CIDR, in the cloud's spelling.
func addressFor(cidr string, addresses []v1.NodeAddress) (string, error) {
	prefix, err := netip.ParsePrefix(cidr)
	if err != nil {
		return "", fmt.Errorf("%q is not a CIDR: %w", cidr, err)
	}
	for _, a := range addresses {
		ip, err := netip.ParseAddr(a.Address)
		if err == nil && a.Type == v1.NodeInternalIP && ip.Is4() == prefix.Addr().Is4() {
			return ip.String(), nil
		}
	}
	return "", fmt.Errorf("the Node has no InternalIP of the family of %s: %v", cidr, addresses)
}

// describe reports a route to the controller. One that leads nowhere, or to an
// instance that is no longer the Node's, belongs to no Node: the controller removes
// it, and recreates the Node's. One that leads to an address is the Node's,
// and is recreated when the addresses reported for it are not the Node's own.
func (r *Routes) describe(ctx context.Context, route simcloud.Route) *cloudprovider.Route {
	name := route.Labels[label.Node]
	described := &cloudprovider.Route{
		Name:                string(route.ID),
		DestinationCIDR:     route.Destination,
		Blackhole:           route.State == simcloud.RouteBlackhole,
		EnableNodeAddresses: r.hop == config.RouteToAddress,
	}
	switch {
	case described.Blackhole:
	case described.EnableNodeAddresses:
		described.TargetNode = types.NodeName(name)
		described.TargetNodeAddresses = r.addressesBehind(route, name)
	case r.leadsTo(ctx, route.NextHop.Instance, name):
		described.TargetNode = types.NodeName(name)
	}
	return described
}

// addressesBehind are the node's own addresses when the route leads where it
// should, and else the one that it leads to.
func (r *Routes) addressesBehind(route simcloud.Route, name string) []v1.NodeAddress {
	own := r.nodes.Get(name).Status.Addresses
	if address, err := addressFor(route.Destination, own); err == nil && address == route.NextHop.Address {
		return own
	}
	return []v1.NodeAddress{{Type: v1.NodeInternalIP, Address: route.NextHop.Address}}
}

// leadsTo reports whether the instance is the node's, as far as is known.
func (r *Routes) leadsTo(ctx context.Context, instance simcloud.ID, name string) bool {
	node := r.nodes.Get(name)
	if instance == "" {
		return false
	}
	if node.Spec.ProviderID == "" {
		return true
	}
	id, err := r.regions.Parse(ctx, node.Spec.ProviderID)
	if err != nil {
		return !errors.Is(err, providerid.ErrForeign)
	}
	return id.Instance == instance
}
