package hcloud

import (
	"context"
	"net/netip"
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/edge"
)

// newNetwork is the body of a creation.
type newNetwork struct {
	Name         string            `json:"name"`
	IPRange      string            `json:"ip_range"`
	Labels       map[string]string `json:"labels"`
	Subnets      []newSubnet       `json:"subnets"`
	Routes       []route           `json:"routes"`
	ExposeRoutes bool              `json:"expose_routes_to_vswitch"`
}

// newSubnet is a subnet in a request.
type newSubnet struct {
	Type        string `json:"type"`
	IPRange     string `json:"ip_range"`
	NetworkZone string `json:"network_zone"`
	VSwitchID   *int64 `json:"vswitch_id"`
	Gateway     string `json:"gateway"` // is not the caller's to choose: clients send it with what they have read
}

func (c call) createNetwork() (edge.Reply, error) {
	body, err := decode[newNetwork](c)
	if err != nil {
		return edge.Reply{}, err
	}
	if err := body.check(); err != nil {
		return edge.Reply{}, err
	}
	var result simcloud.Result[simcloud.Network]
	err = c.atomically(func(ctx context.Context) (err error) {
		spec := simcloud.NetworkSpec{Name: body.Name, CIDRs: []string{body.IPRange}, Labels: body.Labels}
		if result, err = c.cloud.CreateNetwork(ctx, spec); err != nil {
			return err
		}
		return c.furnish(ctx, result.Resource, body)
	})
	if err != nil {
		return edge.Reply{}, err
	}
	reply, err := c.networkReply(201, result.Resource)
	reply.Operation = result.Operation.ID
	return reply, err
}

// check judges a creation by itself.
func (b newNetwork) check() error {
	prefix, err := netip.ParsePrefix(b.IPRange)
	switch {
	case b.Name == "":
		return missing("name")
	case b.IPRange == "":
		return missing("ip_range")
	case err != nil || !prefix.Addr().Is4() || !routable(prefix):
		return wrong("ip_range", "%q is not a private IPv4 network such as 10.0.0.0/16", b.IPRange)
	case b.ExposeRoutes:
		return unsupported("vSwitches")
	}
	return checkLabels(b.Labels)
}

// furnish gives a new network its subnets and routes.
func (c call) furnish(ctx context.Context, n simcloud.Network, body newNetwork) error {
	for _, s := range body.Subnets {
		if _, err := c.carve(ctx, n, s); err != nil {
			return err
		}
	}
	for _, r := range body.Routes {
		h, err := hopOf(r)
		if err != nil {
			return err
		}
		if _, err := c.addHop(ctx, n.ID, h); err != nil {
			return err
		}
	}
	return nil
}

func (c call) updateNetwork() (edge.Reply, error) {
	body, err := decodeChange[struct {
		changed
		ExposeRoutes *bool `json:"expose_routes_to_vswitch"`
	}](c)
	switch {
	case err != nil:
		return edge.Reply{}, err
	case body.ExposeRoutes != nil && *body.ExposeRoutes:
		return edge.Reply{}, unsupported("vSwitches")
	}
	result, err := c.cloud.UpdateNetwork(c.ctx(), c.id, simcloud.NetworkUpdate{Name: body.Name, Labels: body.Labels})
	if err != nil {
		return edge.Reply{}, err
	}
	reply, err := c.networkReply(200, result.Resource)
	reply.Operation = result.Operation.ID
	return reply, err
}

// deleteNetwork deletes a network with its subnets and routes.
func (c call) deleteNetwork() (edge.Reply, error) {
	var op simcloud.Operation
	err := c.atomically(func(ctx context.Context) (err error) {
		if _, err := c.cloud.GetNetwork(ctx, c.id); err != nil {
			return err
		}
		if err := c.clear(ctx); err != nil {
			return err
		}
		op, err = c.cloud.DeleteNetwork(ctx, c.id)
		return err
	})
	return edge.Reply{Status: 204, Operation: op.ID}, err
}

// clear deletes what the network consists of.
func (c call) clear(ctx context.Context) error {
	w, err := c.wiring(ctx)
	if err != nil {
		return err
	}
	for _, table := range w.tables {
		if table.Network != c.id {
			continue
		}
		for _, r := range table.Routes {
			if _, err := c.cloud.DeleteRoute(ctx, table.ID, r.ID); err != nil {
				return err
			}
		}
		if _, err := c.cloud.DeleteRouteTable(ctx, table.ID); err != nil {
			return err
		}
	}
	for _, s := range w.subnets {
		if s.Network != c.id {
			continue
		}
		if _, err := c.cloud.DeleteSubnet(ctx, s.ID); err != nil {
			return err
		}
	}
	return nil
}

func (c call) addSubnet() (edge.Reply, error) {
	body, err := decode[newSubnet](c)
	if err != nil {
		return edge.Reply{}, err
	}
	var result simcloud.Result[simcloud.Subnet]
	err = c.atomically(func(ctx context.Context) error {
		n, err := c.cloud.GetNetwork(ctx, c.id)
		if err != nil {
			return err
		}
		result, err = c.carve(ctx, n, body)
		return err
	})
	if err != nil {
		return edge.Reply{}, err
	}
	reply := c.acted(result.Operation, networkSubject(c.id))
	reply.Meta = &result.Resource.Meta
	return reply, nil
}

func (c call) deleteSubnet() (edge.Reply, error) {
	body, err := decode[struct {
		IPRange string `json:"ip_range"`
	}](c)
	if err != nil {
		return edge.Reply{}, err
	}
	if body.IPRange == "" {
		return edge.Reply{}, missing("ip_range")
	}
	var op simcloud.Operation
	err = c.atomically(func(ctx context.Context) error {
		if _, err := c.cloud.GetNetwork(ctx, c.id); err != nil {
			return err
		}
		subnets, err := all(ctx, c.cloud.ListSubnets)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(subnets, func(s simcloud.Subnet) bool { return s.Network == c.id && s.CIDR == body.IPRange })
		if i < 0 {
			return simcloud.Errorf(simcloud.NotFound, simcloud.Ref(simcloud.KindNetwork, c.id), "the network has no subnet %s", body.IPRange)
		}
		op, err = c.cloud.DeleteSubnet(ctx, subnets[i].ID)
		return err
	})
	if err != nil {
		return edge.Reply{}, err
	}
	return c.acted(op, networkSubject(c.id)), nil
}

// carve makes a subnet of a network.
func (c call) carve(ctx context.Context, n simcloud.Network, body newSubnet) (result simcloud.Result[simcloud.Subnet], err error) {
	switch {
	case body.Type == "":
		return result, missing("type")
	case body.Type == "vswitch" || body.VSwitchID != nil:
		return result, unsupported("vSwitches")
	case body.Type != typeCloud && body.Type != "server":
		return result, wrong("type", "%q is not allowed: must be one of cloud, server, vswitch", body.Type)
	case body.NetworkZone == "":
		return result, missing("network_zone")
	}
	if _, err := c.place(ctx, "", body.NetworkZone); err != nil {
		return result, err
	}
	cidr := body.IPRange
	if cidr == "" {
		if cidr, err = c.freeRange(ctx, n); err != nil {
			return result, err
		}
	}
	spec := simcloud.SubnetSpec{Name: strings.ReplaceAll(cidr, "/", "-"), Network: n.ID, CIDR: cidr}
	if body.Type != typeCloud {
		spec.Labels = map[string]string{labelSubnetType: body.Type}
	}
	return c.cloud.CreateSubnet(ctx, spec)
}

// subnetBits is the size of a subnet whose range the caller does not choose.
const subnetBits = 24

// freeRange is the first part of a network that no subnet has.
func (c call) freeRange(ctx context.Context, n simcloud.Network) (string, error) {
	subnets, err := all(ctx, c.cloud.ListSubnets)
	if err != nil {
		return "", err
	}
	within := rangeOf(n)
	for at := netip.PrefixFrom(within.Addr(), max(subnetBits, within.Bits())); within.Contains(at.Addr()); at = after(at) {
		if !taken(subnets, n.ID, at) {
			return at.String(), nil
		}
	}
	return "", refuse(simcloud.Capacity, codeNoSubnet, "the network has no free range of that size")
}

func taken(subnets []simcloud.Subnet, network simcloud.ID, part netip.Prefix) bool {
	for _, s := range subnets {
		if prefix, err := netip.ParsePrefix(s.CIDR); err == nil && s.Network == network && prefix.Overlaps(part) {
			return true
		}
	}
	return false
}

// after is the range of the same size that follows; invalid behind the last.
func after(p netip.Prefix) netip.Prefix {
	raw := p.Addr().As4()
	step := uint64(1) << (32 - p.Bits())
	n := uint64(raw[0])<<24 | uint64(raw[1])<<16 | uint64(raw[2])<<8 | uint64(raw[3])
	if n += step; n > 1<<32-1 {
		return netip.Prefix{}
	}
	return netip.PrefixFrom(netip.AddrFrom4([4]byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}), p.Bits())
}
