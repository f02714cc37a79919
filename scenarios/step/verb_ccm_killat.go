package step

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/simcloud-dev/simcloud/scenarios/syntax"
	"github.com/simcloud-dev/simcloud/simcloud"
)

var killAtSchema = syntax.ObjectSchema([]string{"operation", "when"}, map[string]any{
	"operation": map[string]any{"type": "string", "description": "an operation of the cloud, or a glob of such"},
	"call":      map[string]any{"type": "integer", "minimum": 1, "description": "which such call from now on; 1 unless given"},
	"when":      map[string]any{"enum": []string{"before", "after"}, "description": "before the cloud does it, or after it is committed and before the answer"},
})

// ccmKillAt arms the death of the CCM.
type ccmKillAt struct{ point KillPoint }

func readKillAt(d *syntax.Decoder, n *yaml.Node, k *ccmKillAt) {
	when := ""
	k.point.Call = 1
	d.Object(n, "killAt",
		syntax.Field{Name: "operation", Required: true, Decode: func(n *yaml.Node) { readCloudOperations(d, n, &k.point.Operation) }},
		syntax.Field{Name: "call", Required: false, Decode: func(n *yaml.Node) {
			before := len(d.Errs)
			if d.Number("call", &k.point.Call)(n); len(d.Errs) == before && k.point.Call == 0 {
				d.Errorf(n, "call is 0: a whole number from 1 is right")
			}
		}},
		syntax.Field{Name: "when", Required: true, Decode: d.Word("when", &when, "before", "after")},
	)
	k.point.After = when == "after"
}

// readCloudOperations reads a glob that must choose an operation of the cloud, not of the simulator.
func readCloudOperations(d *syntax.Decoder, n *yaml.Node, into *string) {
	before := len(d.Errs)
	if d.Text("operation", into)(n); len(d.Errs) > before {
		return
	}
	var all []syntax.Field
	for _, e := range simcloud.Endpoints() {
		if strings.HasPrefix(e.Path, "/v1/") && !syntax.IsStream(e.Operation) {
			all = append(all, syntax.Field{Name: e.Operation})
		}
	}
	if *into == "" || !slices.ContainsFunc(all, func(f syntax.Field) bool { return simcloud.Glob(*into, f.Name) }) {
		d.Errorf(n, "operation is %q, which is no operation of the cloud%s: one such as CreateLoadBalancer or Create* is right", *into, syntax.Suggest(*into, all))
	}
}

func (k *ccmKillAt) Text() string {
	when := "before"
	if k.point.After {
		when = "after"
	}
	return fmt.Sprintf("killAt %s call %d of %s", when, k.point.Call, k.point.Operation)
}

func (k *ccmKillAt) run(ctx context.Context, st *Stage) error {
	if err := st.CCM.KillAt(ctx, k.point); err != nil {
		return fmt.Errorf("arm %s: %w", k.Text(), err)
	}
	return nil
}
