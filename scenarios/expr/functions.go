package expr

import (
	"slices"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/simcloud-dev/simcloud/scenarios/observe"
)

// functions are what expressions can call besides CEL's own.
func functions() []cel.EnvOption {
	dyn, text := cel.DynType, cel.StringType
	return []cel.EnvOption{
		cel.Function("condition", cel.FunctionDocs("condition(object, type) is the condition of an object's status; missing when there is none"),
			cel.Overload("simcloud_condition", []*cel.Type{dyn, text}, dyn, cel.BinaryBinding(condition))),
		cel.Function("tainted", cel.FunctionDocs("tainted(node, key) is whether a Node has a taint with the key"),
			cel.Overload("simcloud_tainted", []*cel.Type{dyn, text}, cel.BoolType, cel.BinaryBinding(tainted))),
		cel.Function("addresses", cel.FunctionDocs("addresses(node, type) are the addresses of a Node that have the type"),
			cel.Overload("simcloud_addresses", []*cel.Type{dyn, text}, cel.ListType(text), cel.BinaryBinding(addresses))),
		cel.Function("label", cel.FunctionDocs("label(object, key) is a label of a resource or an object; empty when it has none"),
			cel.Overload("simcloud_label", []*cel.Type{dyn, text}, text, cel.BinaryBinding(label))),
		cel.Function("settings", cel.FunctionDocs("settings(v) is a resource, a part of it or a list of such without what changes by itself"),
			cel.Overload("simcloud_settings", []*cel.Type{dyn}, dyn, cel.UnaryBinding(settingsOf))),
		cel.Function("leadsTo", cel.FunctionDocs("leadsTo(route, vm) is whether the next hop of a route is an instance, or one of its addresses"),
			cel.Overload("simcloud_leads_to", []*cel.Type{dyn, dyn}, cel.BoolType, cel.BinaryBinding(leadsTo))),
		cel.Function("metric", cel.FunctionDocs("metric(text, name, labels) is the sum of the series of a metric that have the labels; 0 when there is none"),
			cel.Overload("simcloud_metric", []*cel.Type{text, text, cel.MapType(text, text)}, cel.DoubleType, cel.FunctionBinding(metric))),
	}
}

func condition(object, conditionType ref.Val) ref.Val {
	for _, c := range observe.List(observe.Dig(native(object), "status", "conditions")) {
		if observe.Dig(c, "type") == conditionType.Value() {
			return types.DefaultTypeAdapter.NativeToValue(c)
		}
	}
	return types.NewErr("no such key: condition %v", conditionType.Value())
}

func label(object, key ref.Val) ref.Val {
	v := native(object)
	labels, ok := observe.Dig(v, "labels").(map[string]any)
	if !ok {
		labels, _ = observe.Dig(v, "metadata", "labels").(map[string]any)
	}
	value, _ := labels[key.Value().(string)].(string)
	return types.String(value)
}

func tainted(node, key ref.Val) ref.Val {
	taints := observe.List(observe.Dig(native(node), "spec", "taints"))
	return types.Bool(slices.ContainsFunc(taints, func(t any) bool { return observe.Dig(t, "key") == key.Value() }))
}

func addresses(node, addressType ref.Val) ref.Val {
	found := []string{}
	for _, a := range observe.List(observe.Dig(native(node), "status", "addresses")) {
		address, ok := observe.Dig(a, "address").(string)
		if ok && observe.Dig(a, "type") == addressType.Value() {
			found = append(found, address)
		}
	}
	return types.DefaultTypeAdapter.NativeToValue(found)
}

func leadsTo(route, vm ref.Val) ref.Val {
	hop, instance := observe.Dig(native(route), "nextHop"), native(vm)
	if id := observe.Dig(hop, "instance"); id != nil {
		return types.Bool(id == observe.Dig(instance, "id"))
	}
	address := observe.Dig(hop, "address")
	return types.Bool(address != nil && slices.ContainsFunc(observe.List(observe.Dig(instance, "addresses")), func(a any) bool { return observe.Dig(a, "address") == address }))
}

// native returns what a CEL value was made of: maps, slices and scalars of decoded JSON.
func native(v ref.Val) any {
	switch v.Type() {
	case types.MapType, types.ListType:
		return Plain(v)
	default:
		return v.Value()
	}
}

// changing are the fields of resources that change without a call:
// the health of targets, and the fields that count changes.
var changing = []string{"health", "reported", "updated", "version"}

func settingsOf(v ref.Val) ref.Val { return types.DefaultTypeAdapter.NativeToValue(Lasting(native(v))) }

// Lasting copies a value without the fields that change by themselves.
func Lasting(v any) any {
	switch v := v.(type) {
	case map[string]any:
		kept := make(map[string]any, len(v))
		for key, value := range v {
			if !slices.Contains(changing, key) {
				kept[key] = Lasting(value)
			}
		}
		return kept
	case []any:
		kept := make([]any, len(v))
		for i, item := range v {
			kept[i] = Lasting(item)
		}
		return kept
	}
	return v
}
