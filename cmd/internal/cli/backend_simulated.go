package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	cloudprovider "k8s.io/cloud-provider"
	"k8s.io/component-base/metrics"

	"github.com/simcloud-dev/simcloud/ccm"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/e2e"
	"github.com/simcloud-dev/simcloud/e2e/manager"
	"github.com/simcloud-dev/simcloud/e2e/simulated"
	"github.com/simcloud-dev/simcloud/scenarios/profile"
	scenariorun "github.com/simcloud-dev/simcloud/scenarios/run"
	"github.com/simcloud-dev/simcloud/scenarios/simulation"
)

// simulatedBackend runs clusters as parts of this process, in simulated time.
type simulatedBackend struct{}

func findSimulated() (backend, error) {
	if err := simulation.Prepare(); err != nil {
		return nil, exit.Environment(err)
	}
	return simulatedBackend{}, nil
}

// join gives the cluster a simulated control plane. It takes no slot of the machine: what it costs is a moment.
func (simulatedBackend) join(cfg *e2e.Config, _ string, _ func(string)) error {
	cfg.Backend, cfg.Slot = simulated.New(simulated.Config{Seed: cfg.Cloud.Seed}), nil
	return nil
}

func (simulatedBackend) kubectl() string { return "" }

// linkedIn is simcloud-ccm as a part of this process.
func linkedIn() manager.CCMSpec {
	s := manager.InProcess("simcloud-ccm", nil, true)
	s.Provider = func(ctx context.Context, access manager.Access) (cloudprovider.Interface, error) {
		return ccm.OpenWith(ctx, access.CloudConfig, ccm.Options{
			Transport: access.Transport,
			Register:  func(metrics.Registerable) error { return nil }, // nothing serves them, and each start would register them again
		})
	}
	return s
}

// simulatedSubject is the cloud controller manager that runs in simulated time: only what is linked in can.
func (o *backendOptions) simulatedSubject(command string) (manager.CCMSpec, error) {
	switch {
	case o.profileName != "" && startsProgram(o.profile):
		return manager.CCMSpec{}, exit.Usage(fmt.Errorf("--profile %s is a program of its own, which has no simulated time: --backend %s runs simcloud-ccm; "+
			"a provider in Go runs there in its own tests (docs/simulated.md)", o.profileName, backendSimulated))
	case command == "none":
		return manager.ParseCCMSpec(command)
	case command != "":
		return manager.CCMSpec{}, exit.Usage(fmt.Errorf("--ccm is a program of its own, which has no simulated time: --backend %s runs simcloud-ccm; "+
			"a provider in Go runs there in its own tests (docs/simulated.md)", backendSimulated))
	}
	return linkedIn(), nil
}

// startsProgram reports whether a profile says how a program is started, which what is linked in cannot obey.
func startsProgram(p profile.Profile) bool {
	own := len(p.Args) == 0 || slices.Equal(p.Args, []string{"{flags}"})
	return p.Binary != "" || p.Subject != "" || !own || len(p.Env) > 0 || len(p.Config) > 0
}

// fallbacks are the values of --fallback.
var fallbacks = []string{"", backendEmbedded}

// addFallback declares the flag that says where scenarios run that cannot be simulated.
func (o *testOptions) addFallback(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.fallback, "fallback", "", "backend that runs the scenarios that cannot be simulated, with --backend simulated: embedded (default: they are skipped)")
	_ = cmd.RegisterFlagCompletionFunc("fallback", cobra.FixedCompletions(fallbacks[1:], cobra.ShellCompDirectiveNoFileComp)) // the flag is there
}

// checkFallback finds out whether the flag can be right.
func (o *testOptions) checkFallback() error {
	switch {
	case o.fallback == "":
		return nil
	case o.fallback != backendEmbedded:
		return exit.Usage(fmt.Errorf("--fallback %q is not one of: %s", o.fallback, strings.Join(fallbacks[1:], ", ")))
	case o.backend.backend != backendSimulated:
		return exit.Usage(errors.New("--fallback goes with --backend simulated alone, and this is --backend " + o.backend.backend))
	}
	return nil
}

// openFunc starts the cluster of a slot.
type openFunc = func(ctx context.Context, slot int) (scenariorun.Cluster, error)

// apart is how scenarios run in simulated time, and where those run that cannot be simulated. Both are nil with real clusters.
func (c testClusters) apart(ctx context.Context) (isolate func(context.Context, func(context.Context) error) error, fallback openFunc, err error) {
	if c.options.backend.backend != backendSimulated {
		return nil, nil, nil
	}
	isolate = simulation.Isolate(nil)
	if c.options.fallback == "" {
		return isolate, nil, nil
	}
	real := c
	real.options.backend.backend = c.options.fallback
	if real.subject, err = real.options.backend.subject(c.options.ccm); err != nil {
		return nil, nil, err
	}
	if real.backend, err = real.options.backend.find(ctx, c.waiting); err != nil {
		return nil, nil, err
	}
	return isolate, real.open, nil
}
