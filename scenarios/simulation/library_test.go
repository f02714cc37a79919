package simulation_test

import (
	"context"
	"os"
	"testing"

	cloudprovider "k8s.io/cloud-provider"
	"k8s.io/component-base/metrics"

	"github.com/simcloud-dev/simcloud/ccm"
	"github.com/simcloud-dev/simcloud/e2e/manager"
	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/mutant"
	"github.com/simcloud-dev/simcloud/scenarios/report"
	"github.com/simcloud-dev/simcloud/scenarios/run"
	"github.com/simcloud-dev/simcloud/scenarios/simulation"
)

func TestMain(m *testing.M) {
	if err := simulation.Prepare(); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

func open(m mutant.Mutant) manager.CCMSpec {
	return manager.CCMSpec{
		Name: "simcloud-ccm", Args: []string{"{flags}"},
		Run: func(context.Context, manager.Access) error { return nil },
		Provider: func(ctx context.Context, a manager.Access) (cloudprovider.Interface, error) {
			if m.Name == mutant.None {
				return ccm.OpenWith(ctx, a.CloudConfig, ccm.Options{Transport: a.Transport, Register: func(metrics.Registerable) error { return nil }})
			}
			return mutant.Open(m, a.CloudConfig, a.Transport)
		},
	}
}

func TestOne(t *testing.T) {
	all, err := run.Library()
	if err != nil {
		t.Fatal(err)
	}
	only := os.Getenv("ONLY")
	var chosen []*scenarios.Scenario
	for _, s := range all {
		if only == "" || s.Name == only || s.Labels["tier"] == only {
			chosen = append(chosen, s)
		}
	}
	r := run.Runner{
		Open: func(ctx context.Context, _ int) (run.Cluster, error) {
			return simulation.Start(ctx, simulation.Config{Subject: open(mutant.Right()[0]), Seed: 1, Dir: "/dev/shm"})
		},
		Isolate: simulation.Isolate(t), Seed: 1, Subject: "simcloud-ccm", Reporter: report.NewLines(t.Output(), true), Parallel: 2, Dir: os.Getenv("REPORT"),
	}
	result, err := r.Run(t.Context(), chosen)
	if err != nil {
		t.Error(err)
	}
	t.Log(report.Summary(result))
	if dir := os.Getenv("REPORT"); dir != "" {
		_ = report.Write(dir, result)
	}
}
