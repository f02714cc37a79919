package elbv2

import (
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/elb"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/service"
)

type setSubnetsRequest struct {
	ARN string `aws:"LoadBalancerArn,required"`
	placed
}

type subnetsSet struct {
	Zones         []zone `aws:"AvailabilityZones"`
	IPAddressType string `aws:"IpAddressType"`
}

// setSubnets replaces the subnets of a load balancer. It keeps its addresses in those that it has already.
func setSubnets(c service.Call, in setSubnetsRequest) (out subnetsSet, _ *simcloud.Meta, err error) {
	s, err := showerOf(c)
	if err != nil {
		return out, nil, err
	}
	lb, err := s.findBalancer(c, in.ARN)
	if err != nil {
		return out, nil, err
	}
	in.merge()
	if in.IPAddressType == "" {
		in.IPAddressType = addressTypeOf(lb)
	}
	if lb, err = s.move(c, lb, in.placed); err != nil {
		return out, nil, err
	}
	return subnetsSet{s.zones(lb), addressTypeOf(lb)}, &lb.Meta, nil
}

type setTypeRequest struct {
	ARN           string `aws:"LoadBalancerArn,required"`
	IPAddressType string `aws:"IpAddressType,required"`
}

type typeSet struct {
	IPAddressType string `aws:"IpAddressType"`
}

// setType gives a load balancer IPv6 addresses in all of its subnets, or takes them away.
func setType(c service.Call, in setTypeRequest) (out typeSet, _ *simcloud.Meta, err error) {
	s, err := showerOf(c)
	if err != nil {
		return out, nil, err
	}
	lb, err := s.findBalancer(c, in.ARN)
	if err != nil {
		return out, nil, err
	}
	want := placed{IPAddressType: in.IPAddressType, Mappings: s.mappings(lb)}
	for i := range want.Mappings {
		if in.IPAddressType == typeIPv4 {
			want.Mappings[i].IPv6 = ""
		}
	}
	if lb, err = s.move(c, lb, want); err != nil {
		return out, nil, err
	}
	return typeSet{addressTypeOf(lb)}, &lb.Meta, nil
}

// mappings are those that a load balancer was asked for with, or its subnets where another API has made it.
func (s shower) mappings(lb simcloud.LoadBalancer) (all []mapping) {
	for word := range strings.FieldsSeq(lb.Labels[labelMappings]) {
		all = append(all, readMapping(word))
	}
	if len(all) > 0 {
		return all
	}
	for _, z := range s.zones(lb) {
		all = append(all, mapping{Subnet: z.Subnet})
	}
	return all
}

// move gives a load balancer other subnets or another type of addresses. A subnet that it has keeps the addresses that
// were asked for, unless others are.
func (s shower) move(c service.Call, lb simcloud.LoadBalancer, want placed) (simcloud.LoadBalancer, error) {
	if err := want.check(); err != nil {
		return lb, err
	}
	if len(lb.Placements()) == 0 {
		return lb, service.Refuse(simcloud.Unimplemented, "InvalidConfigurationRequest",
			"The load balancer %s has no placements: in simcloud only one that was created in subnets can change them", lb.Name)
	}
	want.Mappings = slices.Clone(want.Mappings)
	for _, has := range s.mappings(lb) {
		if slices.ContainsFunc(want.Mappings, func(m mapping) bool { return m.Allocation != "" && m.Allocation == has.Allocation }) {
			has.Allocation = "" // the request moves it
		}
		for i, m := range want.Mappings {
			if m == (mapping{Subnet: has.Subnet}) && want.addressType() == addressTypeOf(lb) {
				want.Mappings[i] = has
			}
		}
	}
	network, placements, err := s.placements(c, want, lb.Scheme == simcloud.SchemeInternal)
	switch {
	case err != nil:
		return lb, err
	case network != lb.Network:
		return lb, service.Refuse(simcloud.Invalid, "InvalidSubnet", "The subnets are not in the VPC of the load balancer %s", lb.Name)
	}
	if err := free(c, lb.ID, want.Mappings); err != nil {
		return lb, err
	}
	labels := map[string]string{}
	for key, value := range lb.Labels {
		labels[key] = value
	}
	labels[labelMappings] = strings.Join(texts(want.Mappings), " ")
	changed, err := c.Cloud.UpdateLoadBalancer(c.Ctx(), lb.ID, simcloud.LoadBalancerUpdate{Labels: &labels, Placements: &placements})
	if err != nil {
		return lb, elb.Placed(err, lb.Scheme)
	}
	return changed.Resource, nil
}
