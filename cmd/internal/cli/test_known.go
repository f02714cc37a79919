package cli

import (
	"context"
	"fmt"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/scenarios"
	scenariorun "github.com/simcloud-dev/simcloud/scenarios/run"
	"github.com/simcloud-dev/simcloud/scenarios/syntax"
)

// knownFailures are those of the file and of the profile, in this order. Each must name a scenario of the
// paths or of the library, of which a list can name more than a run has.
func (o testOptions) knownFailures(ctx context.Context, paths []string) (scenarios.KnownFailures, error) {
	var listed scenarios.KnownFailures
	if o.knownFile != "" {
		var err error
		if listed, err = syntax.LoadKnownFailures(o.knownFile); err != nil {
			return nil, exit.Usage(fmt.Errorf("--known-failures: %w", err))
		}
	}
	if len(listed)+len(o.backend.profile.Known) == 0 {
		return nil, nil
	}
	all, err := scenariorun.Library()
	if err == nil && len(paths)+len(o.set) > 0 {
		var given []*scenarios.Scenario
		given, err = loadScenarios(ctx, o.set, paths)
		all = append(all, given...)
	}
	if err != nil {
		return nil, unread(ctx, err)
	}
	if err := syntax.CheckKnownFailures(listed, all); err != nil {
		return nil, exit.Usage(fmt.Errorf("--known-failures: %w", err))
	}
	if err := syntax.CheckKnownFailures(o.backend.profile.Known, all); err != nil {
		return nil, exit.Usage(fmt.Errorf("--profile: %w", err))
	}
	return append(listed, o.backend.profile.Known...), nil
}
