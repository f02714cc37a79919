package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/labels"
	operators "k8s.io/apimachinery/pkg/selection"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/scenarios"
	scenariorun "github.com/simcloud-dev/simcloud/scenarios/run"
	"github.com/simcloud-dev/simcloud/scenarios/words"
)

// mostRepeated is how often scenarios can be asked to run.
const mostRepeated = 10_000

// selection says which of some scenarios run: those with the labels, and of them one part.
type selection struct {
	text   string // as --selector has it
	labels labels.Selector
	part   shard
}

// selection reads --selector and --shard.
func (o testOptions) selection() (selection, error) {
	part, err := parseShard(o.shard)
	if err != nil {
		return selection{}, exit.Usage(err)
	}
	selector, err := labels.Parse(o.selector)
	if err != nil {
		return selection{}, exit.Usage(fmt.Errorf("--selector: %w", err))
	}
	return selection{o.selector, selector, part}, nil
}

// labelled are the scenarios with the labels, of which there must be some.
func (s selection) labelled(all []*scenarios.Scenario) ([]*scenarios.Scenario, error) {
	if err := s.unknownNames(all); err != nil {
		return nil, err
	}
	var selected []*scenarios.Scenario
	for _, scenario := range all {
		if s.labels.Matches(labelsOf(scenario)) {
			selected = append(selected, scenario)
		}
	}
	if len(selected) == 0 {
		return nil, exit.Usage(fmt.Errorf("--selector %q matches none of %d scenarios", s.text, len(all)))
	}
	return selected, nil
}

// unknownNames reports a name or a clause that is asked for and that no scenario has: beside others that there are, what
// is missing would not be noticed.
func (s selection) unknownNames(all []*scenarios.Scenario) error {
	wanted, _ := s.labels.Requirements() // there is always an answer, of a selector that was parsed
	for _, r := range wanted {
		switch r.Operator() { //nolint:exhaustive // the others ask for no value
		case operators.Equals, operators.DoubleEquals, operators.In:
		default:
			continue
		}
		if r.Key() != "name" && r.Key() != "clause" {
			continue
		}
		var known []string
		for _, scenario := range all {
			known = append(known, labelsOf(scenario)[r.Key()])
		}
		for value := range r.Values() {
			if !slices.Contains(known, value) {
				return exit.Usage(fmt.Errorf("--selector %q: none of %d scenarios has %s=%s%s", s.text, len(all), r.Key(), value, words.Suggest(value, known)))
			}
		}
	}
	return nil
}

// selectScenarios loads what is asked for.
func selectScenarios(ctx context.Context, o testOptions, paths []string) ([]*scenarios.Scenario, error) {
	if o.repeat < 1 || o.repeat > mostRepeated {
		return nil, exit.Usage(fmt.Errorf("invalid --repeat %d: must be between 1 and %d", o.repeat, mostRepeated))
	}
	selection, err := o.selection()
	if err != nil {
		return nil, err
	}
	all, err := loadScenarios(ctx, o.set, paths)
	if err != nil {
		return nil, unread(ctx, err)
	}
	if len(all) == 0 {
		return nil, exit.Usage(errors.New("there is no scenario, only steps that scenarios can use"))
	}
	selected, err := selection.labelled(all)
	if err != nil {
		return nil, err
	}
	if err := checkSet(o.set, selected); err != nil {
		return nil, exit.Usage(err)
	}
	return selection.part.of(selected), nil
}

// unread is the error of scenarios that could not be read: a mistake in a file, unless the user has interrupted.
func unread(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return exit.Usage(err)
}

// loadScenarios reads the files, or the library when there are none, with the values that are set.
func loadScenarios(ctx context.Context, set, paths []string) ([]*scenarios.Scenario, error) {
	values := map[string]string{}
	for _, pair := range set {
		name, value, found := strings.Cut(pair, "=")
		if !found || name == "" {
			return nil, fmt.Errorf("--set %q: want name=value", pair)
		}
		values[name] = value
	}
	return scenariorun.LoadWith(ctx, values, paths...)
}

// checkSet reports values for what no scenario has.
func checkSet(set []string, selected []*scenarios.Scenario) error {
	for _, pair := range set {
		name, _, _ := strings.Cut(pair, "=")
		if !slices.ContainsFunc(selected, func(s *scenarios.Scenario) bool { _, has := s.Parameters[name]; return has }) {
			return fmt.Errorf("--set %q: none of the scenarios has the parameter %q: they have %s", pair, name, parameterNames(selected))
		}
	}
	return nil
}

func parameterNames(all []*scenarios.Scenario) string {
	names := map[string]bool{}
	for _, s := range all {
		for name := range s.Parameters {
			names[name] = true
		}
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(slices.Sorted(maps.Keys(names)), ", ")
}

// labelsOf are what --selector chooses by: the labels of a scenario, and the
// name in its file, which is that of all that its matrix makes of it.
func labelsOf(s *scenarios.Scenario) labels.Set {
	all := labels.Set{"name": s.Base}
	maps.Copy(all, s.Labels)
	return all
}

// shard is one of several parts of the scenarios. The zero value is all of them.
type shard struct{ i, n int }

func parseShard(text string) (shard, error) {
	if text == "" {
		return shard{}, nil
	}
	first, second, _ := strings.Cut(text, "/")
	i, errI := strconv.Atoi(first)
	n, errN := strconv.Atoi(second)
	if errI != nil || errN != nil || i < 1 || i > n {
		return shard{}, fmt.Errorf("invalid --shard %q: must be i/n, from 1/n to n/n", text)
	}
	return shard{i, n}, nil
}

// of returns the part, in the order of all. All parts together are all
// scenarios, whatever the order, and each is in one part.
func (p shard) of(all []*scenarios.Scenario) []*scenarios.Scenario {
	if p.n == 0 {
		return all
	}
	var names []string
	for _, s := range all {
		names = append(names, s.Name)
	}
	slices.Sort(names)
	var part []*scenarios.Scenario
	for _, s := range all {
		if at, _ := slices.BinarySearch(names, s.Name); at%p.n == p.i-1 {
			part = append(part, s)
		}
	}
	return part
}
