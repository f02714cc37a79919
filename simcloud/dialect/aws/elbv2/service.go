// Package elbv2 is what the dialect of AWS has of the second edition of Elastic Load Balancing: network load balancers, their
// listeners and target groups. Each is one of the cloud; a load balancer has a class of its own, which tells it from
// classic ones. What the cloud does not know of them is in labels and options.
package elbv2

import (
	"fmt"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/elb"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/query"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/service"
)

// New describes the second edition.
func New() *service.Service {
	return &service.Service{
		Name: "elbv2", Version: "2015-12-01", Namespace: "http://elasticloadbalancing.amazonaws.com/doc/2015-12-01/", Scope: elb.Scope,
		Protocol: query.AWSQuery, Codes: codes(), Operations: operations(), Unsupported: []string{
			"AddListenerCertificates", "CreateRule", "DeleteRule", "DescribeAccountLimits", "DescribeListenerAttributes", "DescribeListenerCertificates",
			"DescribeRules", "DescribeSSLPolicies", "ModifyListenerAttributes", "ModifyRule", "RemoveListenerCertificates",
		},
	}
}

// The parameters that name what an action is about.
const (
	balancerARN = "LoadBalancerArn"
	listenerARN = "ListenerArn"
	groupARN    = "TargetGroupArn"
)

// operations are the actions that are simulated.
func operations() []service.Operation {
	return []service.Operation{
		{Name: "DescribeLoadBalancers", Core: "ListLoadBalancers", About: aboutBalancers, Named: namedBalancers, Handle: service.Read(describe)},
		{Name: "CreateLoadBalancer", Core: "CreateLoadBalancer", Subject: subjectOf, Handle: service.Write(create)},
		{Name: "DeleteLoadBalancer", Core: "DeleteLoadBalancer", About: about("DeleteLoadBalancer", balancerARN), Handle: service.Write(remove)},
		{Name: "DescribeLoadBalancerAttributes", Core: "GetLoadBalancer", About: about("GetLoadBalancer", balancerARN), Handle: service.Read(describeAttributes)},
		{Name: "ModifyLoadBalancerAttributes", Core: "UpdateLoadBalancer", About: about("UpdateLoadBalancer", balancerARN), Handle: service.Write(modifyAttributes)},
		{Name: "SetSecurityGroups", Core: "UpdateLoadBalancer", About: about("UpdateLoadBalancer", balancerARN), Handle: service.Write(setGroups)},
		{Name: "SetSubnets", Core: "UpdateLoadBalancer", About: about("UpdateLoadBalancer", balancerARN), Handle: service.Write(setSubnets)},
		{Name: "SetIpAddressType", Core: "UpdateLoadBalancer", About: about("UpdateLoadBalancer", balancerARN), Handle: service.Write(setType)},

		{Name: "DescribeListeners", Core: "GetLoadBalancer", About: about("GetLoadBalancer", balancerARN, "ListenerArns.member.1"), Handle: service.Read(describeListeners)},
		{Name: "CreateListener", Core: "CreateListener", About: about("CreateListener", balancerARN), Handle: service.Write(createListener)},
		{Name: "ModifyListener", Core: "UpdateListener", About: about("UpdateListener", listenerARN), Handle: service.Write(modifyListener)},
		{Name: "DeleteListener", Core: "DeleteListener", About: about("DeleteListener", listenerARN), Handle: service.Write(deleteListener)},

		{Name: "DescribeTargetGroups", Core: "ListTargetGroups", About: aboutGroups, Handle: service.Read(describeGroups)},
		{Name: "CreateTargetGroup", Core: "CreateTargetGroup", Subject: subjectOf, Handle: service.Write(createGroup)},
		{Name: "ModifyTargetGroup", Core: "UpdateTargetGroup", About: about("UpdateTargetGroup", groupARN), Handle: service.Write(modifyGroup)},
		{Name: "DeleteTargetGroup", Core: "DeleteTargetGroup", About: about("DeleteTargetGroup", groupARN), Handle: service.Write(deleteGroup)},
		{Name: "DescribeTargetGroupAttributes", Core: "GetTargetGroup", About: about("GetTargetGroup", groupARN), Handle: service.Read(describeGroupAttributes)},
		{Name: "ModifyTargetGroupAttributes", Core: "UpdateTargetGroup", About: about("UpdateTargetGroup", groupARN), Handle: service.Write(modifyGroupAttributes)},

		{Name: "RegisterTargets", Core: "AddGroupTargets", About: about("AddGroupTargets", groupARN), Handle: service.Write(register)},
		{Name: "DeregisterTargets", Core: "RemoveGroupTargets", About: about("RemoveGroupTargets", groupARN), Handle: service.Write(deregister)},
		{Name: "DescribeTargetHealth", Core: "GetTargetGroup", About: about("GetTargetGroup", groupARN), Handle: service.Read(describeHealth)},

		{Name: "DescribeTags", Core: "GetLoadBalancer", About: aboutTags("GetLoadBalancer", "GetLoadBalancer", "GetTargetGroup"), Handle: service.Read(describeTags)},
		{Name: "AddTags", Core: "UpdateLoadBalancer", About: aboutTags("UpdateLoadBalancer", "UpdateListener", "UpdateTargetGroup"), Handle: service.Write(addTags)},
		{Name: "RemoveTags", Core: "UpdateLoadBalancer", About: aboutTags("UpdateLoadBalancer", "UpdateListener", "UpdateTargetGroup"), Handle: service.Write(removeTags)},
	}
}

// about reads which resource a request names, by the first of the parameters that it has.
func about(core string, parameters ...string) func(query.Form) (string, simcloud.ID) {
	return func(f query.Form) (string, simcloud.ID) {
		for _, p := range parameters {
			if id := idIn(f, p); id != "" {
				return core, id
			}
		}
		return core, ""
	}
}

// aboutBalancers is what a request for load balancers stands for: one of them, if it has one ARN.
func aboutBalancers(f query.Form) (core string, id simcloud.ID) {
	return one(f, "LoadBalancerArns", "GetLoadBalancer", "ListLoadBalancers")
}

// namedBalancers are the load balancers that a request names: by their names or ARNs.
func namedBalancers(c service.Call) (ids []simcloud.ID) {
	for _, name := range service.Texts(c.Form, "Names.member.") {
		if lb, err := findName(c, name); err == nil {
			ids = append(ids, lb.ID)
		}
	}
	for n := range service.Texts(c.Form, "LoadBalancerArns.member.") {
		if id := idIn(c.Form, fmt.Sprintf("LoadBalancerArns.member.%d", n+1)); id != "" {
			ids = append(ids, id)
		}
	}
	return ids
}

// aboutGroups is what a request for target groups stands for: one of them, if it has one ARN.
func aboutGroups(f query.Form) (core string, id simcloud.ID) {
	return one(f, "TargetGroupArns", "GetTargetGroup", "ListTargetGroups")
}

func one(f query.Form, list, get, all string) (core string, id simcloud.ID) {
	if id := idIn(f, list+".member.1"); id != "" && f.Text(list+".member.2") == "" {
		return get, id
	}
	return all, ""
}

// codes are the errors of the edition.
func codes() service.Codes {
	c := elb.Codes()
	c.Missing = map[simcloud.Kind]string{
		simcloud.KindLoadBalancer: codeMissing[kindBalancer], simcloud.KindTargetGroup: codeMissing[kindGroup], simcloud.KindFloatingIP: "AllocationIdNotFound",
	}
	for ended, code := range map[service.Ended]string{
		{Operation: "UpdateListener", Code: simcloud.NotFound}:         codeMissing[kindListener],
		{Operation: "DeleteListener", Code: simcloud.NotFound}:         codeMissing[kindListener],
		{Operation: "CreateTargetGroup", Code: simcloud.AlreadyExists}: "DuplicateTargetGroupName",
		{Operation: "CreateTargetGroup", Code: simcloud.QuotaExceeded}: "TooManyTargetGroups",
		{Operation: "CreateTargetGroup", Code: simcloud.Capacity}:      "TooManyTargetGroups",
		{Operation: "AddGroupTargets", Code: simcloud.Invalid}:         "InvalidTarget",
		{Operation: "AddGroupTargets", Code: simcloud.QuotaExceeded}:   "TooManyTargets",
		{Operation: "AddGroupTargets", Code: simcloud.Capacity}:        "TooManyTargets",
		{Operation: "RemoveGroupTargets", Code: simcloud.Invalid}:      "InvalidTarget",
	} {
		c.Ended[ended] = service.Code{Code: code}
	}
	c.Fields = map[string]string{"labels[" + labelMappings + "]": "SubnetMappings"}
	for i := range maxMappings {
		at := fmt.Sprintf("placements[%d].", i)
		c.Fields[at+"addresses[0]"], c.Fields[at+"families[1]"] = fmt.Sprintf("SubnetMappings.member.%d", i+1), "IpAddressType"
	}
	return c
}
