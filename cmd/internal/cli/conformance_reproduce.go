package cli

import (
	"context"
	"fmt"
	"slices"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/e2e/manager"
	"github.com/simcloud-dev/simcloud/scenarios/profile"
	scenariorun "github.com/simcloud-dev/simcloud/scenarios/run"
)

// reference starts clusters with simcloud-ccm, which tell a scenario that shows a
// failure of another cloud controller manager from one that no one could pass.
// It is nil when nothing is to be shortened, or when that is what is under test.
func (o conformanceOptions) reference(io output.Streams, under testClusters) func(context.Context, int) (scenariorun.Cluster, error) {
	if o.report == "" || o.shorten == 0 || under.subject.None() || o.backend.backend == backendSimulated { // there simcloud-ccm is what runs
		return nil
	}
	right, err := manager.ParseCCMSpec("")
	switch {
	case err != nil:
		fmt.Fprintf(io.Err, "failures are not shortened: %v\n", err)
		return nil
	case o.backend.backend != backendEmbedded:
		fmt.Fprintln(io.Err, "failures are not shortened: only --backend embedded starts clusters with simcloud-ccm for that")
		return nil
	case right.Path == under.subject.Path && slices.Equal(right.Args, under.subject.Args) && slices.Equal(right.Env, under.subject.Env):
		return nil
	}
	under.subject = right
	under.options.declared = nil
	if under.options.backend.profile, err = profile.Find("simcloud"); err != nil {
		fmt.Fprintf(io.Err, "failures are not shortened: %v\n", err)
		return nil
	}
	return under.open
}
