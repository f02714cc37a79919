package elbv2

import (
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/elb"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/query"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/service"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
)

type createRequest struct {
	Name   string `aws:"Name,required"`
	Type   string `aws:"Type"`
	Scheme string `aws:"Scheme"`
	placed
	Groups []string  `aws:"SecurityGroups"`
	Tags   []elb.Tag `aws:"Tags"`
}

type created struct {
	LoadBalancers []description `aws:"LoadBalancers"`
}

// subjectOf is what a request says of the load balancer or target group that it creates.
func subjectOf(f query.Form) fault.Subject {
	return fault.Subject{Name: f.Text("Name"), Labels: service.LabelsIn(f, "Tags.member.")}
}

// create makes a load balancer, or answers one that has the name and these settings already.
func create(c service.Call, in createRequest) (out created, _ *simcloud.Meta, err error) {
	s, err := showerOf(c)
	if err != nil {
		return out, nil, err
	}
	in.merge()
	spec, err := in.spec(c, s)
	if err != nil {
		return out, nil, err
	}
	have, err := findName(c, in.Name)
	switch {
	case err == nil && in.describes(have):
		return created{[]description{s.show(have)}}, &have.Meta, nil
	case err == nil:
		return out, nil, service.Refuse(simcloud.AlreadyExists, "DuplicateLoadBalancerName",
			"A load balancer with the same name '%s' exists, but with different settings", in.Name)
	case !absent(err):
		return out, nil, err
	}
	if err := free(c, "", in.Mappings); err != nil {
		return out, nil, err
	}
	made, err := c.Cloud.CreateLoadBalancer(c.Ctx(), spec)
	if err != nil {
		return out, nil, elb.Placed(err, spec.Scheme)
	}
	return created{[]description{s.show(made.Resource)}}, &made.Resource.Meta, nil
}

// internal is whether the load balancer is one.
func (in createRequest) internal() bool { return in.Scheme == elb.SchemeInternal }

// check checks what a request says by itself.
func (in createRequest) check() error {
	switch {
	case !elb.ValidName(in.Name) || strings.HasPrefix(in.Name, "internal-"):
		return service.Refuse(simcloud.Invalid, "ValidationError",
			"The load balancer name '%s' must have 1 to 32 letters, digits and inner hyphens, and must not begin with internal-", query.Clip(in.Name))
	case in.Type != typeNetwork:
		return service.Refuse(simcloud.Unimplemented, "InvalidConfigurationRequest", "Type is %.40q: simcloud has load balancers of the type %s", in.Type, typeNetwork)
	case in.Scheme != "" && in.Scheme != elb.SchemePublic && !in.internal():
		return service.Refuse(simcloud.Invalid, "InvalidScheme", "Scheme is %.40q: must be %s or %s", in.Scheme, elb.SchemePublic, elb.SchemeInternal)
	default:
		return in.placed.check()
	}
}

// spec is what the cloud is asked for: a load balancer with addresses in each subnet. Those of a public one are its own, and deleted
// with it, but for those of the client.
func (in createRequest) spec(c service.Call, s shower) (spec simcloud.LoadBalancerSpec, err error) {
	if err := in.check(); err != nil {
		return spec, err
	}
	spec = simcloud.LoadBalancerSpec{Name: in.Name, Class: elb.ClassNetwork, Scheme: simcloud.SchemePublic, Hostname: s.dnsName(in.Name)}
	if in.internal() {
		spec.Scheme = simcloud.SchemeInternal
	}
	if spec.Network, spec.Placements, err = s.placements(c, in.placed, in.internal()); err != nil {
		return spec, err
	}
	if spec.SecurityGroups, err = groups(c, spec.Network, in.Groups); err != nil {
		return spec, err
	}
	spec.Labels, err = newTags(in.Tags)
	if err == nil {
		spec.Labels[labelMappings] = strings.Join(texts(in.Mappings), " ")
	}
	return spec, err
}

// describes reports whether the request asks for a load balancer as it is.
func (in createRequest) describes(lb simcloud.LoadBalancer) bool {
	has := make([]string, len(lb.SecurityGroups))
	for i, id := range lb.SecurityGroups {
		has[i] = string(id)
	}
	return in.internal() == (lb.Scheme == simcloud.SchemeInternal) && in.addressType() == addressTypeOf(lb) &&
		elb.SameWords(texts(in.Mappings), strings.Fields(lb.Labels[labelMappings])) && elb.SameWords(unique(in.Groups), has)
}

type deleteRequest struct {
	ARN string `aws:"LoadBalancerArn,required"`
}

// done is the answer to an action that only succeeds.
type done struct{}

// remove deletes a load balancer and its listeners. One that does not exist is deleted already.
func remove(c service.Call, in deleteRequest) (out done, _ *simcloud.Meta, err error) {
	lb, err := balancerOf(c, in.ARN)
	if absent(err) {
		return out, nil, nil
	}
	if err != nil {
		return out, nil, err
	}
	if lb.Protected {
		return out, nil, service.Refuse(simcloud.Protected, "OperationNotPermitted", "Load balancer '%s' cannot be deleted because deletion protection is enabled", in.ARN)
	}
	if _, err := c.Cloud.DeleteLoadBalancer(c.Ctx(), lb.ID); err != nil {
		return out, nil, err
	}
	return out, &lb.Meta, nil
}
