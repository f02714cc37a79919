package observe

import (
	"encoding/json"
	"fmt"
	"slices"
)

// Dig follows keys through nested maps; nil when one is missing.
func Dig(v any, keys ...string) any {
	for _, key := range keys {
		m, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = m[key]
	}
	return v
}

// List is a decoded JSON array; nil for anything else.
func List(v any) []any {
	items, _ := v.([]any)
	return items
}

// mostRendered is how many bytes of a value a message shows.
const mostRendered = 600

// RenderAny writes a value as JSON, shortened to what a message can hold.
func RenderAny(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	if len(raw) > mostRendered {
		return string(raw[:mostRendered]) + fmt.Sprintf("… (%d bytes)", len(raw))
	}
	return string(raw)
}

// IsInitialised reports whether a CCM has taken the taint off a Node that says that it has not seen it yet.
func IsInitialised(node any) bool {
	return !slices.ContainsFunc(List(Dig(node, "spec", "taints")), func(taint any) bool {
		return Dig(taint, "key") == "node.cloudprovider.kubernetes.io/uninitialized"
	})
}

// IsReady reports whether a Node has the condition Ready.
func IsReady(node any) bool {
	return slices.ContainsFunc(List(Dig(node, "status", "conditions")), func(c any) bool {
		return Dig(c, "type") == "Ready" && Dig(c, "status") == "True"
	})
}
