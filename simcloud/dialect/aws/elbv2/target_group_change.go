package elbv2

import (
	"maps"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/ec2"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/elb"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/query"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/service"
)

type createGroupRequest struct {
	Name          string `aws:"Name,required"`
	Protocol      string `aws:"Protocol,required"`
	Port          int    `aws:"Port,required"`
	VPCID         string `aws:"VpcId,required"`
	TargetType    string `aws:"TargetType"`
	IPAddressType string `aws:"IpAddressType"`
	check
	Tags []elb.Tag `aws:"Tags"`
}

type groupsMade struct {
	Groups []targetGroup `aws:"TargetGroups"`
}

// createGroup makes a target group, or answers one that has the name and these settings already.
func createGroup(c service.Call, in createGroupRequest) (out groupsMade, _ *simcloud.Meta, err error) {
	n := namerOf(c)
	spec, err := in.spec(c)
	if err != nil {
		return out, nil, err
	}
	named, err := simcloud.ListAll(c.Ctx(), c.Cloud.ListTargetGroups, simcloud.ListOptions{Name: in.Name, PageSize: simcloud.MaxPageSize})
	if err != nil {
		return out, nil, err
	}
	named = slices.DeleteFunc(named, func(g simcloud.TargetGroup) bool { return !simulated(g) })
	var g simcloud.TargetGroup
	switch {
	case len(named) == 0:
		made, err := c.Cloud.CreateTargetGroup(c.Ctx(), spec)
		if err != nil {
			return out, nil, err
		}
		g = made.Resource
	case !equal(spec, named[0]):
		return out, nil, service.Refuse(simcloud.AlreadyExists, "DuplicateTargetGroupName",
			"A target group with the same name '%s' exists, but with different settings", in.Name)
	default:
		g = named[0]
	}
	d, err := n.showGroup(c, g)
	return groupsMade{[]targetGroup{d}}, &g.Meta, err
}

// spec is what the cloud is asked for.
func (in createGroupRequest) spec(c service.Call) (spec simcloud.TargetGroupSpec, err error) {
	protocol, known := protocolOf(in.Protocol)
	switch {
	case !elb.ValidName(in.Name):
		return spec, service.Refuse(simcloud.Invalid, "ValidationError", "The target group name '%s' must have 1 to 32 letters, digits and inner hyphens", query.Clip(in.Name))
	case !known:
		return spec, service.Refuse(simcloud.Invalid, "InvalidConfigurationRequest", "Protocol is %.40q: must be TCP, UDP, TCP_UDP or TLS in simcloud", in.Protocol)
	case in.TargetType != "" && in.TargetType != typeInstance && in.TargetType != typeAddress:
		return spec, service.Refuse(simcloud.Unimplemented, "InvalidConfigurationRequest", "TargetType is %.40q: simcloud has targets of the types %s and %s", in.TargetType, typeInstance, typeAddress)
	case in.IPAddressType != "" && in.IPAddressType != typeIPv4:
		return spec, service.Refuse(simcloud.Unimplemented, "InvalidConfigurationRequest", "IpAddressType is %.40q: simcloud has %s", in.IPAddressType, typeIPv4)
	case in.Port < 1 || in.Port > 65535:
		return spec, service.Refuse(simcloud.Invalid, "ValidationError", "Port is %d: must be between 1 and 65535", in.Port)
	}
	network, err := c.Cloud.GetNetwork(c.Ctx(), ec2.NetworkID(in.VPCID))
	if err != nil {
		if absent(err) {
			err = service.Refuse(simcloud.Invalid, "ValidationError", "The VPC ID '%s' is not found", query.Clip(in.VPCID))
		}
		return spec, err
	}
	wanted := firstCheck(in.By).with(in.check)
	spec = simcloud.TargetGroupSpec{Name: in.Name, Network: network.ID, Protocol: protocol, Port: in.Port, Options: map[string]string{}}
	if spec.HealthCheck, err = wanted.core(); err != nil {
		return spec, err
	}
	wanted.keep(spec.Options)
	if in.TargetType == typeAddress {
		spec.Options[optionType] = typeAddress
	}
	spec.Labels, err = newTags(in.Tags)
	return spec, err
}

// equal reports whether a target group has the settings of a spec, apart from what can be changed beside the health check.
func equal(spec simcloud.TargetGroupSpec, g simcloud.TargetGroup) bool {
	return g.HealthCheck != nil && same(*spec.HealthCheck, *g.HealthCheck) && spec.Network == g.Network && spec.Protocol == g.Protocol &&
		spec.Port == g.Port && spec.Options[optionType] == g.Options[optionType] && spec.Options[optionUnhealthy] == g.Options[optionUnhealthy]
}

// same compares what the dialect sets of health checks.
func same(a, b simcloud.HealthCheck) bool {
	return a.Protocol == b.Protocol && a.Port == b.Port && a.Path == b.Path && a.IntervalSeconds == b.IntervalSeconds &&
		a.TimeoutSeconds == b.TimeoutSeconds && a.Threshold == b.Threshold
}

type modifyGroupRequest struct {
	ARN string `aws:"TargetGroupArn,required"`
	check
}

// modifyGroup changes the health check. The cloud changes nothing when it is the one that the group has.
func modifyGroup(c service.Call, in modifyGroupRequest) (out groupsMade, _ *simcloud.Meta, err error) {
	n := namerOf(c)
	g, err := n.findGroup(c, in.ARN)
	if err != nil {
		return out, nil, err
	}
	wanted := checkOf(g).with(in.check)
	made, err := wanted.core()
	if err != nil {
		return out, nil, err
	}
	options := map[string]string{}
	maps.Copy(options, g.Options)
	wanted.keep(options)
	changed, err := c.Cloud.UpdateTargetGroup(c.Ctx(), g.ID, simcloud.TargetGroupUpdate{HealthCheck: made, Options: &options})
	if err != nil {
		return out, nil, err
	}
	d, err := n.showGroup(c, changed.Resource)
	return groupsMade{[]targetGroup{d}}, &changed.Resource.Meta, err
}

type deleteGroupRequest struct {
	ARN string `aws:"TargetGroupArn,required"`
}

// deleteGroup deletes a target group that no listener forwards to. One that does not exist is deleted already.
func deleteGroup(c service.Call, in deleteGroupRequest) (out done, _ *simcloud.Meta, err error) {
	g, err := groupOf(c, in.ARN)
	if absent(err) {
		return out, nil, nil
	}
	if err != nil {
		return out, nil, err
	}
	if _, err := c.Cloud.DeleteTargetGroup(c.Ctx(), g.ID); err != nil {
		if simcloud.CodeOf(err) == simcloud.InUse {
			err = service.Refuse(simcloud.InUse, "ResourceInUse", "Target group '%s' is currently in use by a listener or a rule", in.ARN)
		}
		return out, nil, err
	}
	return out, &g.Meta, nil
}
