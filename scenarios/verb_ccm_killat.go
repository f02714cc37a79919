package scenarios

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/simcloud-dev/simcloud/simcloud"
)

var killAtSchema = objectSchema([]string{"operation", "when"}, map[string]any{
	"operation": map[string]any{"type": "string", "description": "an operation of the cloud, or a glob of such"},
	"call":      map[string]any{"type": "integer", "minimum": 1, "description": "which such call from now on; 1 unless given"},
	"when":      map[string]any{"enum": []string{"before", "after"}, "description": "before the cloud does it, or after it is committed and before the answer"},
})

// ccmKillAt arms the death of the CCM.
type ccmKillAt struct{ point KillPoint }

func readKillAt(d *decoder, n *yaml.Node, k *ccmKillAt) {
	when := ""
	k.point.Call = 1
	d.object(n, "killAt",
		field{"operation", true, func(n *yaml.Node) { readCloudOperations(d, n, &k.point.Operation) }},
		field{"call", false, func(n *yaml.Node) {
			before := len(d.errs)
			if d.number("call", &k.point.Call)(n); len(d.errs) == before && k.point.Call == 0 {
				d.errorf(n, "call is 0: a whole number from 1 is right")
			}
		}},
		field{"when", true, d.word("when", &when, "before", "after")},
	)
	k.point.After = when == "after"
}

// readCloudOperations reads a glob that must choose an operation of the cloud, not of the simulator.
func readCloudOperations(d *decoder, n *yaml.Node, into *string) {
	before := len(d.errs)
	if d.text("operation", into)(n); len(d.errs) > before {
		return
	}
	var all []field
	for _, e := range simcloud.Endpoints() {
		if strings.HasPrefix(e.Path, "/v1/") && !isStream(e.Operation) {
			all = append(all, field{name: e.Operation})
		}
	}
	if *into == "" || !slices.ContainsFunc(all, func(f field) bool { return simcloud.Glob(*into, f.name) }) {
		d.errorf(n, "operation is %q, which is no operation of the cloud%s: one such as CreateLoadBalancer or Create* is right", *into, suggest(*into, all))
	}
}

func (k *ccmKillAt) text() string {
	when := "before"
	if k.point.After {
		when = "after"
	}
	return fmt.Sprintf("killAt %s call %d of %s", when, k.point.Call, k.point.Operation)
}

func (k *ccmKillAt) run(ctx context.Context, st *stage) error {
	if err := st.CCM.KillAt(ctx, k.point); err != nil {
		return fmt.Errorf("arm %s: %w", k.text(), err)
	}
	return nil
}
