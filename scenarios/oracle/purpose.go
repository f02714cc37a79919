package oracle

import (
	"slices"
	"strings"
)

// purposes are the operations that are for a part of a resource, by the first word of the part's key. What another operation does
// to the part is an act of the cloud: when a load balancer leaves a network, for instance, the cloud drops the targets that were
// reached by it.
var purposes = map[string][]string{
	"target": {
		"CreateTarget", "DeleteTarget", "AddGroupTargets", "RemoveGroupTargets", "UpdateTargetGroup",
		"CreateLoadBalancer", "CreateTargetGroup",
	},
	"route":    {"CreateRoute", "DeleteRoute"},
	"listener": {"CreateListener", "UpdateListener", "DeleteListener", "CreateLoadBalancer"},
	"rule":     {"AddSecurityGroupRules", "RemoveSecurityGroupRules", "UpdateSecurityGroup", "CreateSecurityGroup"},
	"group":    {"CreateInstance", "UpdateInstance", "CreateLoadBalancer", "UpdateLoadBalancer"},
}

// isFor reports whether an operation is for a part of a resource, such as "target i-1" or "route to 10.0.0.0/24 by i-1".
func isFor(operation, part string) bool {
	kind, _, _ := strings.Cut(part, " ")
	return slices.Contains(purposes[kind], operation)
}
