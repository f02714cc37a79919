package run

import (
	"context"
	"slices"
	"sync"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/step"
	"github.com/simcloud-dev/simcloud/scenarios/syntax"
)

// loader reads scenarios whose steps have the verbs of this package.
func loader() syntax.Loader { return syntax.Loader{Verbs: step.Verbs()} }

// LoadWith is [Load], or [Library] when there are no paths, with these values for
// parameters and names of a matrix in all scenarios that have them. When ctx ends, its error wraps that of ctx.
func LoadWith(ctx context.Context, set map[string]string, paths ...string) ([]*scenarios.Scenario, error) {
	l := syntax.Loader{Verbs: step.Verbs(), Set: set}.Within(ctx)
	switch {
	case len(paths) > 0:
		return l.Load(paths...)
	case len(set) > 0:
		return l.Library()
	default:
		return Library()
	}
}

// Library returns the scenarios of this project.
func Library() ([]*scenarios.Scenario, error) {
	all, err := wholeLibrary()
	return slices.Clone(all), err
}

// wholeLibrary reads the library once in a process: its expressions take most of a second to compile. No run changes a scenario.
var wholeLibrary = sync.OnceValues(loader().Library)

// Load reads the scenarios of files and of folders with all that is below
// them, each once, however often it is named. Its error names every mistake with its file, line and column.
// When ctx ends, it wraps the error of ctx.
func Load(ctx context.Context, paths ...string) ([]*scenarios.Scenario, error) {
	return loader().Within(ctx).Load(paths...)
}

// Parse reads the scenarios of one file: one for each YAML document, or more
// where it has a matrix.
func Parse(file string, raw []byte) ([]*scenarios.Scenario, error) { return loader().Parse(file, raw) }

// Check reads the scenarios of one file as Parse does. There may be none, in a file of steps for others to use.
// When ctx ends, its error wraps that of ctx.
func Check(ctx context.Context, file string, raw []byte) ([]*scenarios.Scenario, error) {
	return loader().Within(ctx).Check(file, raw)
}
