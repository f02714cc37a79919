package step

import (
	"context"
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/scenarios/syntax"
)

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
