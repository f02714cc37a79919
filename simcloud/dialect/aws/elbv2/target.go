package elbv2

import (
	"net/netip"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/ec2"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/service"
)

// target is a target of a request and of an answer.
type target struct {
	ID   string `aws:"Id,required"`
	Port *int   `aws:"Port"`
	Zone string `aws:"AvailabilityZone"`
}

// key is the target in a group: at the port of the group, if it has none of its own.
func (t target) key(g simcloud.TargetGroup) simcloud.GroupTargetKey {
	port := g.Port
	if t.Port != nil {
		port = *t.Port
	}
	instance, address := simcloud.TargetOf(simcloud.ID(t.ID))
	return simcloud.GroupTargetKey{Instance: instance, Address: address, Port: port}
}

// registered reports whether a group has a target.
func registered(g simcloud.TargetGroup, key simcloud.GroupTargetKey) bool {
	return slices.ContainsFunc(g.Targets, func(t simcloud.GroupTarget) bool { return t.At(g.Port) == key })
}

// check judges a target of a request, which has that key in the group.
func (t target) check(g simcloud.TargetGroup, key simcloud.GroupTargetKey) error {
	switch {
	case key.Port < 1 || key.Port > 65535:
		return service.Refuse(simcloud.Invalid, "ValidationError", "Port of the target %.40s is %d: must be between 1 and 65535", t.ID, key.Port)
	case t.Zone != "" && typeOf(g) == typeInstance:
		return service.Refuse(simcloud.Invalid, "ValidationError", "AvailabilityZone of the target %.40s is not for targets that are instances", t.ID)
	default:
		return nil
	}
}

type targetsRequest struct {
	ARN     string   `aws:"TargetGroupArn,required"`
	Targets []target `aws:"Targets,required"`
}

// specs are the targets of a request that a group has, or those that it does not have, each once.
func (in targetsRequest) specs(g simcloud.TargetGroup, has bool) (simcloud.GroupTargets, error) {
	var all simcloud.GroupTargets
	var keys []simcloud.GroupTargetKey
	for _, t := range in.Targets {
		key := t.key(g)
		if err := t.check(g, key); err != nil {
			return all, err
		}
		if registered(g, key) == has && !slices.Contains(keys, key) {
			keys = append(keys, key)
			all.Targets = append(all.Targets, simcloud.GroupTargetSpec{Instance: key.Instance, Address: key.Address, Port: key.Port, Options: t.options()})
		}
	}
	return all, nil
}

// register adds targets, which must run. One that is registered stays so.
func register(c service.Call, in targetsRequest) (out done, _ *simcloud.Meta, err error) {
	g, err := groupOf(c, in.ARN)
	if err != nil {
		return out, nil, err
	}
	more, err := in.specs(g, false)
	if err != nil || len(more.Targets) == 0 {
		return out, &g.Meta, err
	}
	for _, t := range more.Targets {
		if err := fits(c, g, t); err != nil {
			return out, nil, err
		}
	}
	changed, err := c.Cloud.AddGroupTargets(c.Ctx(), g.ID, more)
	return out, &changed.Resource.Meta, err
}

// optionZone has the zone that a target was registered with, or the word for all of them.
const (
	optionZone = "availability-zone"
	allZones   = "all"
)

// options are what the cloud keeps of a target that it does not know.
func (t target) options() map[string]string {
	if t.Zone == "" {
		return nil
	}
	return map[string]string{optionZone: t.Zone}
}

// outside are the ranges of addresses outside of its VPC that a group can have.
var outside = []netip.Prefix{
	netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("172.16.0.0/12"), netip.MustParsePrefix("192.168.0.0/16"),
}

// fits checks a target that a group is to forward to: of the type of the group, an instance that runs, or an address
// that it can reach.
func fits(c service.Call, g simcloud.TargetGroup, t simcloud.GroupTargetSpec) error {
	if typeOf(g) == typeInstance {
		return runs(c, t.Key())
	}
	addr, err := netip.ParseAddr(t.Address)
	if err != nil || !addr.Is4() {
		return service.Refuse(simcloud.Invalid, "ValidationError", "The IP address '%.40s' is not a valid IPv4 address: the target group has targets of the type %s", t.Key(), typeAddress)
	}
	network, err := c.Cloud.GetNetwork(c.Ctx(), g.Network)
	if err != nil {
		return err
	}
	within := slices.ContainsFunc(network.CIDRs, func(cidr string) bool { return inRange(addr.String(), cidr) })
	zone := t.Options[optionZone]
	switch {
	case !within && !slices.ContainsFunc(outside, func(p netip.Prefix) bool { return p.Contains(addr) }):
		return service.Refuse(simcloud.Invalid, "InvalidTarget", "The IP address '%s' is not within the VPC of the target group, nor a private one", addr)
	case !within && zone != allZones:
		return service.Refuse(simcloud.Invalid, "ValidationError", "The IP address '%s' is outside of the VPC: AvailabilityZone must be %s", addr, allZones)
	case zone != "" && zone != allZones:
		return inZone(c, zone)
	default:
		return nil
	}
}

// inZone checks the zone of a target.
func inZone(c service.Call, name string) error {
	zones, err := service.All(c, c.Cloud.ListZones)
	if err == nil && !slices.ContainsFunc(zones, func(z simcloud.Zone) bool { return string(z.ID) == name }) {
		err = service.Refuse(simcloud.Invalid, "ValidationError", "AvailabilityZone is %.40q: must be a zone of the region, or %s", name, allZones)
	}
	return err
}

// runs checks an instance that a group is to forward to. Whether it is in the network of the group is the cloud's to know.
func runs(c service.Call, id simcloud.ID) error {
	i, err := c.Cloud.GetInstance(c.Ctx(), id)
	switch {
	case absent(err):
		return service.Refuse(simcloud.Invalid, "InvalidTarget", "Instance ID '%.40s' is not valid", id)
	case err != nil:
		return err
	case !up(i):
		return service.Refuse(simcloud.Invalid, "InvalidTarget", "The following targets are not in a running state and cannot be registered: '%s'", id)
	default:
		return nil
	}
}

// up reports whether EC2 shows an instance as running.
func up(i simcloud.Instance) bool { return ec2.StateName(i.State) == "running" }

// deregister removes targets. One that is not registered is removed already.
func deregister(c service.Call, in targetsRequest) (out done, _ *simcloud.Meta, err error) {
	g, err := groupOf(c, in.ARN)
	if err != nil {
		return out, nil, err
	}
	less, err := in.specs(g, true)
	if err != nil || len(less.Targets) == 0 {
		return out, &g.Meta, err
	}
	changed, err := c.Cloud.RemoveGroupTargets(c.Ctx(), g.ID, less)
	return out, &changed.Resource.Meta, err
}
