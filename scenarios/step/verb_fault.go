package step

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/simcloud-dev/simcloud/scenarios/expr"
	"github.com/simcloud-dev/simcloud/scenarios/syntax"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
)

var faultVerb = syntax.Verb{
	Name:   "fault",
	Doc:    "adds a fault rule to the cloud: which calls go wrong, when and how; of the CCM's calls alone, unless match.caller says otherwise",
	Schema: faultSchema(),
	Parse:  parseFault,
}

// faultSchema has the fields of a rule. What they hold is in docs/faults.md, and checked by the linter.
func faultSchema() map[string]any {
	effects := map[string]any{}
	for _, name := range fault.Effects() {
		effects[name] = map[string]any{}
	}
	count := map[string]any{"type": "integer", "minimum": 1}
	effect := syntax.ObjectSchema(nil, effects)
	effect["minProperties"], effect["maxProperties"] = 1, 1
	return syntax.ObjectSchema([]string{"name", "effect"}, map[string]any{
		"name": syntax.StringSchema,
		"match": syntax.ObjectSchema(nil, map[string]any{
			"operation": syntax.StringSchema, "resource": syntax.StringSchema, "labels": syntax.StringSchema,
			"zone": syntax.StringSchema, "caller": syntax.StringSchema, "project": syntax.StringSchema,
		}),
		"when": syntax.ObjectSchema(nil, map[string]any{
			"skip":        map[string]any{"type": "integer", "minimum": 0},
			"times":       count,
			"every":       count,
			"probability": map[string]any{"type": "number", "exclusiveMinimum": 0, "maximum": 1},
			"after":       syntax.DurationSchema, "until": syntax.DurationSchema,
		}),
		"arm":    syntax.EnumSchema(fault.ArmByLabel),
		"effect": effect,
	})
}

// FaultAction adds a fault rule to the cloud.
type FaultAction struct {
	name string
	rule expr.Tree
}

func parseFault(d *syntax.Decoder) syntax.Parsed {
	a := &FaultAction{}
	return syntax.Parsed{
		Action: a,
		Decode: func(n *yaml.Node) { readFault(d, n, a) },
		Text:   func() string { return a.name },
	}
}

// allFaults stands for the names of all rules, and so can be the name of none.
const allFaults = "all"

func readFault(d *syntax.Decoder, n *yaml.Node, a *FaultAction) {
	n = syntax.Resolve(n)
	if n.Kind != yaml.MappingNode {
		d.Errorf(n, "fault is %s: a rule with name, match, when and effect is right", syntax.Describe(n))
		return
	}
	before := len(d.Errs)
	readFaultName(d, n, a)
	a.rule = d.Tree(n)
	if len(d.Errs) == before {
		checkFault(d, n, a)
	}
	d.Faults = append(d.Faults, a.name)
}

func readFaultName(d *syntax.Decoder, n *yaml.Node, a *FaultAction) {
	name := syntax.NodeAt(n, "name")
	if name == n {
		d.Errorf(n, `fault lacks the key "name": by it faults["..."] tells what the rule has done`)
		return
	}
	d.Text("name", &a.name)(name)
	switch {
	case strings.Contains(a.name, "${"):
		d.Errorf(name, "name is %q: clearFaults and expectations know a rule by its name, so it has to stand here as it is", a.name)
	case a.name == allFaults:
		d.Errorf(name, "name is %q, which stands for all rules in clearFaults: another one is right", a.name)
	}
}

// checkFault reports what the cloud would refuse, as far as it can be known before values are put in.
func checkFault(d *syntax.Decoder, n *yaml.Node, a *FaultAction) {
	raw, err := json.Marshal(a.rule.Sample())
	if err == nil {
		_, err = fault.Parse(raw)
	}
	var wrong *simcloud.Error
	if !errors.As(err, &wrong) || len(wrong.Fields) == 0 {
		if err != nil {
			d.Errorf(n, "fault: %v", err)
		}
		return
	}
	for _, f := range wrong.Fields {
		at := syntax.NodeAt(n, f.Field)
		if at.Kind == yaml.ScalarNode && strings.Contains(at.Value, "${") {
			continue // the cloud judges the value
		}
		d.Errorf(at, "fault: %s: %s", f.Field, f.Detail)
	}
}

func (a *FaultAction) run(ctx context.Context, st *Stage) error {
	rule, err := a.rule.ExpandObject(st.Store.Snapshot())
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
func checkKnownFault(d *syntax.Decoder, n *yaml.Node, name string) {
	if slices.Contains(d.Faults, name) {
		return
	}
	fields := make([]syntax.Field, 0, len(d.Faults))
	for _, known := range d.Faults {
		fields = append(fields, syntax.Field{Name: known})
	}
	d.Errorf(n, "no step before this one adds a fault %q%s", name, syntax.Suggest(name, fields))
}
