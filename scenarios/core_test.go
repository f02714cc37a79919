package scenarios_test

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/e2e"
	"github.com/simcloud-dev/simcloud/e2e/embedded"
	"github.com/simcloud-dev/simcloud/e2e/manager"
	"github.com/simcloud-dev/simcloud/e2e/planetest"
	"github.com/simcloud-dev/simcloud/e2e/slots"
	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/profile"
	reports "github.com/simcloud-dev/simcloud/scenarios/report"
	"github.com/simcloud-dev/simcloud/scenarios/run"
	"github.com/simcloud-dev/simcloud/scenarios/step"
	"github.com/simcloud-dev/simcloud/simcloud/sim"
)

// bench runs scenarios on real control planes.
type bench struct {
	t       *testing.T
	dir     string
	kube    string
	subject manager.CCMSpec
	profile profile.Profile
	*reports.Lines
}

func newBench(t *testing.T, subject manager.CCMSpec) *bench {
	t.Helper()
	return &bench{t: t, kube: planetest.Kube(t), dir: t.TempDir(), subject: subject}
}

func (b *bench) open(ctx context.Context, _ int) (run.Cluster, error) {
	cluster, err := embedded.Start(ctx, b.kube, e2e.Config{
		Name: "test", Dir: b.dir, Subject: b.subject, Cloud: sim.Config{Ephemeral: true, Seed: 1}, Rules: b.profile.Cloud, NodeIPs: b.profile.NodeIPs,
		Slot: slots.Taking(func(line string) { b.t.Log(line) }),
	})
	if err != nil {
		return nil, err
	}
	return run.OnCluster(cluster, b.profile), nil
}

// run runs scenarios and logs where the time went.
func (b *bench) run(all []*scenarios.Scenario) scenarios.Report {
	b.t.Helper()
	var out bytes.Buffer
	b.Lines = reports.NewLines(&out, false)
	runner := run.Runner{Open: b.open, Parallel: 2, Seed: 1, Subject: b.subject.Name, Reporter: b}
	report, err := runner.Run(b.t.Context(), all)
	b.t.Log(out.String() + reports.Summary(report))
	if err != nil {
		b.t.Error(err)
	}
	return report
}

func core(t *testing.T) []*scenarios.Scenario { return ofTier(t, "core") }

// ofTier are the scenarios of the library that have the label.
func ofTier(t *testing.T, tier string) []*scenarios.Scenario {
	t.Helper()
	all, err := run.Library()
	if err != nil {
		t.Fatal(err)
	}
	var found []*scenarios.Scenario
	for _, s := range all {
		if s.Labels["tier"] == tier {
			found = append(found, s)
		}
	}
	return found
}

// TestCoreWithoutCCM: without a CCM each core scenario fails, and says what a CCM must
// do. In the gate it is one of them.
func TestCoreWithoutCCM(t *testing.T) {
	says := map[string]string{
		"lb-provisioning":    "A CCM must initialise each node whose VM it finds in the cloud; load",
		"node-deletion":      "A CCM must initialise each node whose VM it finds in the cloud.",
		"node-taint-removal": "A CCM must remove the uninitialized taint from each node whose VM it finds",
		"route-creation":     "A CCM must make a route for the pod range of each node",
	}
	b := newBench(t, manager.CCMSpec{Name: "none"})
	var hurried []*scenarios.Scenario
	for _, s := range core(t) {
		if !planetest.InNightly() && s.Name != "node-taint-removal" {
			continue
		}
		hurried = append(hurried, step.Hurried(s, 20*time.Second))
	}
	for _, r := range b.run(hurried).Scenarios {
		if r.Status != scenarios.Failed || len(r.Failures) == 0 || !strings.Contains(r.Failures[0].Because, says[r.Name]) {
			t.Errorf("%s: %s %+v, want %q", r.Name, r.Status, r.Failures, says[r.Name])
		}
	}
}

// TestSameSeed: two runs with one seed make the same ids and addresses, though
// the scenarios run beside others and on other clusters.
func TestSameSeed(t *testing.T) {
	planetest.Cluster(t)
	planetest.Nightly(t, "core's TestSameSeed and modeltest's hold ids and addresses against their seed in process")
	var inventories [2]map[string][]string
	for i := range inventories {
		inventories[i] = map[string][]string{}
		for _, r := range newBench(t, planetest.CCM(t)).run(core(t)).Scenarios {
			inventories[i][r.Name] = r.Inventory
		}
	}
	if diff := cmp.Diff(inventories[0], inventories[1]); diff != "" {
		t.Error(diff)
	}
	lb := strings.Join(inventories[0]["lb-provisioning"], "\n")
	for _, made := range []string{"instance/i-4 node-4 10.0.", "load_balancer/lb-1 127.77.", "floating_ip/fip-1 127.77.", "route/r-4"} {
		if !strings.Contains(lb, made) {
			t.Errorf("lb-provisioning made no %s:\n%s", made, lb)
		}
	}
}
