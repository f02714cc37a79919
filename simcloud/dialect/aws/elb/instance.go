package elb

import (
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/service"
)

// instance names an instance that a load balancer forwards to.
type instance struct {
	ID string `aws:"InstanceId,required"`
}

type instancesRequest struct {
	Name      string     `aws:"LoadBalancerName,required"`
	Instances []instance `aws:"Instances,required"`
}

type instances struct {
	Instances []instance `aws:"Instances"`
}

// instancesOf are those that a load balancer forwards to.
func instancesOf(lb simcloud.LoadBalancer) []instance {
	all := []instance{}
	for _, t := range lb.Targets {
		if t.Instance != "" { // a classic load balancer has no targets that are addresses
			all = append(all, instance{string(t.Instance)})
		}
	}
	return all
}

// register adds instances. One that is registered stays so.
func register(c service.Call, in instancesRequest) (out instances, _ *simcloud.Meta, err error) {
	lb, err := find(c, in.Name)
	if err != nil {
		return out, nil, err
	}
	for _, i := range in.Instances {
		id := simcloud.ID(i.ID)
		if slices.ContainsFunc(lb.Targets, func(t simcloud.Target) bool { return t.Instance == id }) {
			continue
		}
		if _, err := c.Cloud.GetInstance(c.Ctx(), id); err != nil {
			if simcloud.CodeOf(err) == simcloud.NotFound {
				err = service.Refuse(simcloud.Invalid, "InvalidInstance", "Could not find EC2 instance %.40s.", i.ID)
			}
			return out, nil, err
		}
		changed, err := c.Cloud.CreateTarget(c.Ctx(), lb.ID, simcloud.TargetSpec{Instance: id})
		if err != nil {
			return out, nil, err
		}
		lb = changed.Resource
	}
	return instances{instancesOf(lb)}, &lb.Meta, nil
}

// deregister removes instances. One that is not registered is removed already.
func deregister(c service.Call, in instancesRequest) (out instances, _ *simcloud.Meta, err error) {
	lb, err := find(c, in.Name)
	if err != nil {
		return out, nil, err
	}
	for _, i := range in.Instances {
		id := simcloud.ID(i.ID)
		if !slices.ContainsFunc(lb.Targets, func(t simcloud.Target) bool { return t.Instance == id }) {
			continue
		}
		changed, err := c.Cloud.DeleteTarget(c.Ctx(), lb.ID, id)
		if err != nil {
			return out, nil, err
		}
		lb = changed.Resource
	}
	return instances{instancesOf(lb)}, &lb.Meta, nil
}
