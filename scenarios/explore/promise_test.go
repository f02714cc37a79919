package explore

import (
	"testing"

	"github.com/simcloud-dev/simcloud/scenarios/expr"
	"github.com/simcloud-dev/simcloud/scenarios/observe"
)

// TestPromisesOfServices: a status leads to a load balancer by an address or by its hostname, and nowhere without either.
func TestPromisesOfServices(t *testing.T) {
	t.Parallel()
	port := map[string]any{"port": int64(80), "nodePort": int64(30080)}
	balancers := []any{map[string]any{
		"id": "lb-1", "state": "active", "hostname": "web.example.com", "vips": []any{map[string]any{"address": "127.77.0.1"}},
		"listeners": []any{map[string]any{"port": int64(80), "targetPort": int64(30080)}}, "targets": []any{},
	}}
	deleted := map[string]any{"deletionTimestamp": "2026-01-01T00:00:00Z"}
	for name, test := range map[string]struct {
		metadata map[string]any
		ingress  map[string]any
		kept     bool
	}{
		"address":                {nil, map[string]any{"ip": "127.77.0.1"}, true},
		"hostname":               {nil, map[string]any{"hostname": "web.example.com"}, true},
		"another address":        {nil, map[string]any{"ip": "127.77.0.2"}, false},
		"another hostname":       {nil, map[string]any{"hostname": "api.example.com"}, false},
		"another, while it goes": {deleted, map[string]any{"ip": "127.77.0.2"}, true},
	} {
		for _, p := range []part{partAddress, partTargets} {
			compiler, err := expr.NewCompiler()
			if err != nil {
				t.Fatal(err)
			}
			e, issues := compiler.Compile(promiseOf(p).expression)
			if issues != nil {
				t.Fatal(issues)
			}
			s := observe.NewSnapshot("ns")
			s.Resources["loadBalancers"], s.Resources["instances"] = balancers, []any{}
			s.Objects["services"] = map[string]any{"web": map[string]any{
				"metadata": test.metadata,
				"spec":     map[string]any{"type": "LoadBalancer", "ports": []any{port}},
				"status":   map[string]any{"loadBalancer": map[string]any{"ingress": []any{test.ingress}}},
			}}
			if kept, err := e.Truth(s); kept != test.kept {
				t.Errorf("%s, %s: kept is %t, want %t: %v", name, p, kept, test.kept, err)
			}
		}
	}
}
