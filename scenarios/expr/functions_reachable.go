package expr

import (
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/simcloud-dev/simcloud/scenarios/observe"
)

// reachableFunction is reachable(service): the addresses behind the status of a Service, in its order; missing
// when the status has none. A hostname leads to the load balancer that has it.
func reachableFunction() []cel.EnvOption {
	const inner, balancers = "simcloud_reachable", "loadBalancers"
	dyn, texts := cel.DynType, cel.ListType(cel.StringType)
	return []cel.EnvOption{
		cel.Function(inner, cel.Overload(inner, []*cel.Type{cel.ListType(dyn), dyn}, texts, cel.BinaryBinding(reachable))),
		cel.Macros(cel.GlobalMacro("reachable", 1, func(factory cel.MacroExprFactory, _ ast.Expr, args []ast.Expr) (ast.Expr, *common.Error) {
			return factory.NewCall(inner, factory.NewIdent(balancers), args[0]), nil
		}, cel.MacroDocs("reachable(service) are the addresses behind the status of a Service, in its order; missing when the status has none"))),
	}
}

func reachable(balancers, service ref.Val) ref.Val {
	told := observe.List(observe.Dig(native(service), "status", "loadBalancer", "ingress"))
	if len(told) == 0 { // as status.loadBalancer.ingress itself
		return types.NewErr("no such key: ingress")
	}
	all := []string{}
	for _, i := range told {
		if ip, _ := observe.Dig(i, "ip").(string); ip != "" {
			all = append(all, ip)
		}
		if name, _ := observe.Dig(i, "hostname").(string); name != "" {
			all = append(all, resolved(name, native(balancers))...)
		}
	}
	return types.DefaultTypeAdapter.NativeToValue(all)
}

// resolved are the addresses to which a hostname leads.
func resolved(name string, balancers any) (all []string) {
	for _, lb := range observe.List(balancers) {
		if observe.Dig(lb, "hostname") != name {
			continue
		}
		for _, vip := range observe.List(observe.Dig(lb, "vips")) {
			if address, _ := observe.Dig(vip, "address").(string); address != "" {
				all = append(all, address)
			}
		}
	}
	return all
}
