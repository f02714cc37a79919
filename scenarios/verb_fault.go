package scenarios

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/simcloud-dev/simcloud/scenarios/expr"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
)

var faultVerb = verb{
	name:   "fault",
	doc:    "adds a fault rule to the cloud: which calls go wrong, when and how; of the CCM's calls alone, unless match.caller says otherwise",
	schema: faultSchema(),
	parse:  parseFault,
}

// faultSchema has the fields of a rule. What they hold is in docs/faults.md, and checked by the linter.
func faultSchema() map[string]any {
	effects := map[string]any{}
	for _, name := range fault.Effects() {
		effects[name] = map[string]any{}
	}
	count := map[string]any{"type": "integer", "minimum": 1}
	effect := objectSchema(nil, effects)
	effect["minProperties"], effect["maxProperties"] = 1, 1
	return objectSchema([]string{"name", "effect"}, map[string]any{
		"name": stringSchema,
		"match": objectSchema(nil, map[string]any{
			"operation": stringSchema, "resource": stringSchema, "labels": stringSchema,
			"zone": stringSchema, "caller": stringSchema, "project": stringSchema,
		}),
		"when": objectSchema(nil, map[string]any{
			"skip":        map[string]any{"type": "integer", "minimum": 0},
			"times":       count,
			"every":       count,
			"probability": map[string]any{"type": "number", "exclusiveMinimum": 0, "maximum": 1},
			"after":       durationSchema, "until": durationSchema,
		}),
		"arm":    enumSchema(fault.ArmByLabel),
		"effect": effect,
	})
}

type faultAction struct {
	name string
	rule expr.Tree
}

func parseFault(d *decoder) parsed {
	a := &faultAction{}
	return parsed{
		action: a,
		decode: func(n *yaml.Node) { readFault(d, n, a) },
		text:   func() string { return a.name },
	}
}

// allFaults stands for the names of all rules, and so can be the name of none.
const allFaults = "all"

func readFault(d *decoder, n *yaml.Node, a *faultAction) {
	n = resolve(n)
	if n.Kind != yaml.MappingNode {
		d.errorf(n, "fault is %s: a rule with name, match, when and effect is right", describe(n))
		return
	}
	before := len(d.errs)
	readFaultName(d, n, a)
	a.rule = d.tree(n)
	if len(d.errs) == before {
		checkFault(d, n, a)
	}
	d.faults = append(d.faults, a.name)
}

func readFaultName(d *decoder, n *yaml.Node, a *faultAction) {
	name := nodeAt(n, "name")
	if name == n {
		d.errorf(n, `fault lacks the key "name": by it faults["..."] tells what the rule has done`)
		return
	}
	d.text("name", &a.name)(name)
	switch {
	case strings.Contains(a.name, "${"):
		d.errorf(name, "name is %q: clearFaults and expectations know a rule by its name, so it has to stand here as it is", a.name)
	case a.name == allFaults:
		d.errorf(name, "name is %q, which stands for all rules in clearFaults: another one is right", a.name)
	}
}

// checkFault reports what the cloud would refuse, as far as it can be known before values are put in.
func checkFault(d *decoder, n *yaml.Node, a *faultAction) {
	raw, err := json.Marshal(a.rule.Sample())
	if err == nil {
		_, err = fault.Parse(raw)
	}
	var wrong *simcloud.Error
	if !errors.As(err, &wrong) || len(wrong.Fields) == 0 {
		if err != nil {
			d.errorf(n, "fault: %v", err)
		}
		return
	}
	for _, f := range wrong.Fields {
		at := nodeAt(n, f.Field)
		if at.Kind == yaml.ScalarNode && strings.Contains(at.Value, "${") {
			continue // the cloud judges the value
		}
		d.errorf(at, "fault: %s: %s", f.Field, f.Detail)
	}
}

func (a *faultAction) run(ctx context.Context, st *stage) error {
	rule, err := a.rule.ExpandObject(st.store.Snapshot())
	if err == nil {
		err = st.armFault(ctx, onlyCCM(rule, st.CCM.TokenID()))
	}
	if err != nil {
		return fmt.Errorf("add the fault %s: %w", a.name, err)
	}
	return nil
}

// onlyCCM lets a rule hold for the CCM's calls, unless it says whose it is about.
func onlyCCM(rule map[string]any, token simcloud.ID) map[string]any {
	match, _ := rule["match"].(map[string]any)
	if match == nil {
		match = map[string]any{}
		rule["match"] = match
	}
	if match["caller"] == nil && token != "" {
		match["caller"] = string(token)
	}
	return rule
}

// checkKnownFault reports the name of a rule that no step before has added.
func checkKnownFault(d *decoder, n *yaml.Node, name string) {
	if slices.Contains(d.faults, name) {
		return
	}
	fields := make([]field, 0, len(d.faults))
	for _, known := range d.faults {
		fields = append(fields, field{name: known})
	}
	d.errorf(n, "no step before this one adds a fault %q%s", name, suggest(name, fields))
}
