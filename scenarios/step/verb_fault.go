package step

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/simcloud-dev/simcloud/scenarios/expr"
	"github.com/simcloud-dev/simcloud/scenarios/syntax"
	"github.com/simcloud-dev/simcloud/scenarios/words"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
)

var faultVerb = syntax.Verb{
	Name:     "fault",
	Doc:      "adds a fault rule to the cloud: which calls go wrong, when and how; of the CCM's calls alone, unless match.caller says otherwise",
	Effect:   syntax.Acts,
	Examples: []string{"{name: lost, match: {operation: CreateLoadBalancer}, when: {times: 1}, effect: {reset: {when: after}}}"},
	New:      func() syntax.Action { return &FaultAction{} },
}

// FaultAction adds a fault rule to the cloud.
type FaultAction struct {
	Rule faultRule `yaml:",value"`
}

// Text says in one line what the step does.
func (a *FaultAction) Text() string { return a.Rule.name }

// faultRule is a rule as the cloud reads it.
type faultRule struct {
	expr.Tree
	name string
}

// Schema has the fields of a rule. What they hold is in docs/faults.md, and checked by the linter.
func (*faultRule) Schema() map[string]any {
	effects := map[string]any{}
	for _, name := range fault.Effects() {
		effects[name] = map[string]any{}
	}
	effect := syntax.ObjectSchema(nil, effects)
	effect["minProperties"], effect["maxProperties"] = 1, 1
	when, count := fieldSchemas(reflect.TypeFor[fault.When]()), map[string]any{"type": "integer", "minimum": 1}
	when["times"], when["every"] = count, count
	when["probability"] = map[string]any{"type": "number", "exclusiveMinimum": 0, "maximum": 1}
	return syntax.ObjectSchema([]string{"name", "effect"}, map[string]any{
		"name":   syntax.StringSchema,
		"match":  syntax.ObjectSchema(nil, fieldSchemas(reflect.TypeFor[fault.Match]())),
		"when":   syntax.ObjectSchema(nil, when),
		"arm":    syntax.EnumSchema(fault.ArmByLabel),
		"effect": effect,
	})
}

// fieldSchemas describes the fields of a part of the cloud's rules, by their names in JSON.
func fieldSchemas(part reflect.Type) map[string]any {
	all := map[string]any{}
	for _, f := range reflect.VisibleFields(part) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Type == reflect.TypeFor[simcloud.Duration]():
			all[name] = syntax.DurationSchema
		case f.Type.Kind() == reflect.String:
			all[name] = syntax.StringSchema
		default:
			all[name] = map[string]any{"type": "integer", "minimum": 0}
		}
	}
	return all
}

// allFaults stands for the names of all rules, and so can be the name of none.
const allFaults = "all"

func (r *faultRule) Read(d *syntax.Decoder, n *yaml.Node, what string) {
	n = syntax.Resolve(n)
	if n.Kind != yaml.MappingNode {
		d.Errorf(n, "%s is %s: want a rule with name, match, when and effect", what, syntax.Describe(n))
		return
	}
	if d.Right(func() { r.readName(d, n); r.Tree = d.Tree(n) }) {
		r.check(d, n)
	}
	d.Faults = append(d.Faults, r.name)
}

func (r *faultRule) readName(d *syntax.Decoder, n *yaml.Node) {
	name := syntax.NodeAt(n, "name")
	if name == n {
		d.Errorf(n, `fault lacks the key "name": by it faults["..."] tells what the rule has done`)
		return
	}
	r.name, _ = d.ReadText(name, "name")
	switch {
	case strings.Contains(r.name, "${"):
		d.Errorf(name, "name is %q: clearFaults and expectations know a rule by its name, so it has to stand here as it is", r.name)
	case r.name == allFaults:
		d.Errorf(name, "name is %q, which stands for all rules in clearFaults: want another one", r.name)
	}
}

// check reports what the cloud would refuse, as far as it can be known before values are put in.
func (r *faultRule) check(d *syntax.Decoder, n *yaml.Node) {
	raw, err := json.Marshal(r.Sample())
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
	rule, err := a.Rule.ExpandObject(st.Store.Snapshot())
	if err == nil {
		err = st.armFault(ctx, onlyCCM(rule, st.CCM.TokenID()))
	}
	if err != nil {
		return fmt.Errorf("add the fault %s: %w", a.Rule.name, err)
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

// faultName is the name of a rule that a step before has added, or stands for all.
type faultName string

func (*faultName) Schema() map[string]any { return syntax.StringSchema }

func (f *faultName) Read(d *syntax.Decoder, n *yaml.Node, _ string) {
	name, ok := d.ReadText(n, "the name of a fault")
	if *f = faultName(name); ok && name != allFaults && !slices.Contains(d.Faults, name) {
		d.Errorf(n, "no step before this one adds a fault %q%s", name, words.Suggest(name, d.Faults))
	}
}

var clearFaultsVerb = syntax.Verb{
	Name:     "clearFaults",
	Doc:      "ends fault rules of the scenario, by a name, a list of names, or all; what they have counted stays in faults",
	Effect:   syntax.Acts,
	Examples: []string{"lost", "[lost]", "all"},
	New:      func() syntax.Action { return &clearFaultsAction{} },
}

type clearFaultsAction struct {
	Names []faultName `yaml:",value,single" empty:"want the names of rules, or all"`
}

func (a *clearFaultsAction) Text() string { return strings.Join(a.names(), ", ") }

func (a *clearFaultsAction) names() []string {
	var names []string
	for _, name := range a.Names {
		names = append(names, string(name))
	}
	return names
}

func (a *clearFaultsAction) run(ctx context.Context, st *Stage) error {
	if slices.Contains(a.Names, allFaults) {
		return st.clearAllFaults(ctx)
	}
	return st.clearFaults(ctx, a.names()...)
}
