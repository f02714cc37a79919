package expr

import (
	"net/netip"
	"slices"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// everyone are the sources of a listener that nothing restricts.
var everyone = []string{"0.0.0.0/0", "::/0"}

// sourcesFunction is sources(lb, listener): from where clients may connect to a listener of a load balancer, as
// ranges and, for the members of a security group, ids of groups. Clouds restrict clients at the listener, as
// allowedCIDRs, or by the security groups of the load balancer; where both are there, both have to let a client in.
func sourcesFunction() []cel.EnvOption {
	const inner, groups = "simcloud_sources", "securityGroups"
	dyn, texts := cel.DynType, cel.ListType(cel.StringType)
	binding := cel.FunctionBinding(func(args ...ref.Val) ref.Val {
		return types.DefaultTypeAdapter.NativeToValue(sources(observe.List(native(args[0])), native(args[1]), native(args[2])))
	})
	return []cel.EnvOption{
		cel.Function(inner, cel.Overload(inner, []*cel.Type{cel.ListType(dyn), dyn, dyn}, texts, binding)),
		cel.Macros(cel.GlobalMacro("sources", 2, func(factory cel.MacroExprFactory, _ ast.Expr, args []ast.Expr) (ast.Expr, *common.Error) {
			return factory.NewCall(inner, factory.NewIdent(groups), args[0], args[1]), nil
		}, cel.MacroDocs("sources(lb, listener) are the ranges, and the security groups, from which clients may connect to a listener of a load balancer"))),
	}
}

func sources(groups []any, lb, listener any) []string {
	allowed := everyone
	if own := textsOf(observe.Dig(listener, "allowedCIDRs")); len(own) > 0 {
		allowed = own
	}
	named := textsOf(observe.Dig(lb, "securityGroups"))
	if len(named) == 0 {
		return allowed
	}
	found := []string{}
	for _, source := range letIn(groups, named, listener) {
		for _, both := range overlaps(source, allowed) {
			if !slices.Contains(found, both) {
				found = append(found, both)
			}
		}
	}
	return found
}

// letIn are the sources of the rules of the named groups that are for the port of a listener.
func letIn(groups []any, named []string, listener any) (found []string) {
	protocol, _ := observe.Dig(listener, "protocol").(string)
	port, _ := observe.Dig(listener, "port").(int64)
	for _, id := range named {
		for _, r := range observe.List(observe.Dig(observe.FindResource(groups, id), "rules")) {
			rule := ruleOf(r)
			fits := func(transport simcloud.Protocol) bool { return rule.Covers(transport, int(port)) }
			if rule.Direction == simcloud.Ingress && slices.ContainsFunc(simcloud.Protocol(protocol).Transports(), fits) {
				found = append(found, rule.CIDR+string(rule.Group)) // of which a rule has one
			}
		}
	}
	return found
}

func ruleOf(r any) simcloud.SecurityGroupRuleSpec {
	text := func(key string) string { v, _ := observe.Dig(r, key).(string); return v }
	port := func(key string) int { v, _ := observe.Dig(r, key).(int64); return int(v) }
	return simcloud.SecurityGroupRuleSpec{
		Direction: simcloud.Direction(text("direction")), Protocol: simcloud.RuleProtocol(text("protocol")),
		FromPort: port("fromPort"), ToPort: port("toPort"), CIDR: text("cidr"), Group: simcloud.ID(text("group")),
	}.Normal()
}

// overlaps are the parts of a source that are in one of some ranges. The members of a group can have any address.
func overlaps(source string, ranges []string) (parts []string) {
	all, err := netip.ParsePrefix(source)
	if err != nil {
		return []string{source}
	}
	for _, text := range ranges {
		if r, err := netip.ParsePrefix(text); err == nil && r.Overlaps(all) {
			if r.Bits() < all.Bits() {
				r = all
			}
			parts = append(parts, r.String())
		}
	}
	return parts
}

// textsOf are the texts of a list.
func textsOf(list any) (texts []string) {
	for _, v := range observe.List(list) {
		if text, ok := v.(string); ok {
			texts = append(texts, text)
		}
	}
	return texts
}
