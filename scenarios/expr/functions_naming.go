package expr

import (
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// namingVariable has what things are called, by the CCM under test and by the cloud, for the functions below alone.
const namingVariable = "naming"

// namingFunctions are those whose answers depend on the CCM under test, or on what the cloud calls its VMs.
func namingFunctions() []cel.EnvOption {
	dyn, text := cel.DynType, cel.StringType
	options := []cel.EnvOption{cel.Variable(namingVariable, dyn)}
	for _, f := range []struct {
		name    string
		doc     string
		args    []*cel.Type
		result  *cel.Type
		binding func(names, []any) ref.Val
	}{
		{"hasVM", "hasVM(node, vm) is whether the providerID of a Node names a VM", []*cel.Type{dyn, dyn}, cel.BoolType, func(n names, args []any) ref.Val {
			providerID, _ := observe.Dig(args[0], "spec", "providerID").(string)
			return types.Bool(n.Names(providerID, vmOf(args[1])))
		}},
		{"providerID", "providerID(vm) is the providerID that the Node of a VM gets", []*cel.Type{dyn}, text, func(n names, args []any) ref.Val { return types.String(n.ProviderIDOf(vmOf(args[0]))) }},
		{"zone", "zone(vm) is the zone that the Node of a VM is labelled with", []*cel.Type{dyn}, text, func(n names, args []any) ref.Val { return types.String(n.ZoneOf(vmOf(args[0]))) }},
		{"region", "region(vm) is the region that the Node of a VM is labelled with", []*cel.Type{dyn}, text, func(n names, args []any) ref.Val { return types.String(n.RegionOf(vmOf(args[0]))) }},
		{"forRoute", "forRoute(call) is whether a call makes a route, or prepares a VM for one", []*cel.Type{dyn}, cel.BoolType, func(n names, args []any) ref.Val {
			call, _ := args[0].(map[string]any)
			return types.Bool(n.ForRoute(call))
		}},
		{"removesTarget", "removesTarget(call) is whether a call removes targets of a load balancer, or replaces all of them", []*cel.Type{dyn}, cel.BoolType, func(n names, args []any) ref.Val {
			call, _ := args[0].(map[string]any)
			return types.Bool(n.RemovesTarget(call))
		}},
		{"shownID", "shownID(kind, id) is the id that the API of the CCM's cloud shows for a resource of a kind, such as load_balancer, with an id in simcloud", []*cel.Type{text, text}, text, func(n names, args []any) ref.Val {
			kind, id := idTexts(args)
			return types.String(n.IDs.Shown(simcloud.Kind(kind), simcloud.ID(id)))
		}},
		{"cloudID", "cloudID(kind, text) is the id in simcloud of the resource of a kind that the API of the CCM's cloud shows as the text; empty when it shows none so", []*cel.Type{text, text}, text, func(n names, args []any) ref.Val {
			kind, shown := idTexts(args)
			return types.String(n.cloudID(kind, shown))
		}},
		{"reasons", "reasons(events, kind, name) are the reasons of the Events about an object", []*cel.Type{cel.ListType(dyn), text, text}, cel.ListType(text), reasons},
	} {
		inner := "simcloud_" + f.name
		binding := cel.FunctionBinding(func(args ...ref.Val) ref.Val {
			naming, _ := args[0].Value().(names)
			plain := make([]any, len(args)-1)
			for i, arg := range args[1:] {
				plain[i] = native(arg)
			}
			return f.binding(naming, plain)
		})
		options = append(options,
			cel.Function(inner, cel.Overload(inner, append([]*cel.Type{dyn}, f.args...), f.result, binding)),
			cel.Macros(cel.GlobalMacro(f.name, len(f.args), func(factory cel.MacroExprFactory, _ ast.Expr, args []ast.Expr) (ast.Expr, *common.Error) {
				return factory.NewCall(inner, append([]ast.Expr{factory.NewIdent(namingVariable)}, args...)...), nil
			}, cel.MacroDocs(f.doc))),
		)
	}
	return options
}

func reasons(n names, args []any) ref.Val {
	kind, name := args[1], args[2]
	if text, ok := name.(string); ok && kind == "Node" {
		name = n.nodeName(text)
	}
	found := []string{}
	for _, e := range observe.List(args[0]) {
		reason, ok := observe.Dig(e, "reason").(string)
		if ok && observe.Dig(e, "involvedObject", "kind") == kind && observe.Dig(e, "involvedObject", "name") == name {
			found = append(found, reason)
		}
	}
	return types.DefaultTypeAdapter.NativeToValue(found)
}

// idTexts are two arguments, which the checker knows to be texts.
func idTexts(args []any) (first, second string) {
	first, _ = args[0].(string)
	second, _ = args[1].(string)
	return first, second
}

// vmOf is a VM, which may be the answer to a call that made one.
func vmOf(v any) map[string]any {
	if resource, ok := observe.Dig(v, "resource").(map[string]any); ok {
		return resource
	}
	vm, _ := v.(map[string]any)
	return vm
}

// names are what things are called.
type names struct {
	observe.Naming
	nodeName func(string) string
	cloudID  func(kind, shown string) string
}

// namingValue carries names through CEL.
type namingValue struct {
	ref.Val
	names names
}

// Value returns the names.
func (v namingValue) Value() any { return v.names }
