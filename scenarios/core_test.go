package scenarios

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/e2e"
	"github.com/simcloud-dev/simcloud/e2e/embedded"
	"github.com/simcloud-dev/simcloud/scenarios/wrong"
	"github.com/simcloud-dev/simcloud/simcloud/sim"
)

// TestMain makes this test binary the right CCM, with the race detector if it has that.
func TestMain(m *testing.M) {
	if wrong.Asked() {
		os.Exit(wrong.Run(os.Args[1:], os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// bench runs scenarios on real control planes.
type bench struct {
	t        *testing.T
	dir      string
	kube     string
	ccm      string // "" for this binary
	parallel int
	Lines
}

func newBench(t *testing.T, ccm string) *bench {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: this starts control planes")
	}
	kube, err := embedded.Find(t.Context(), embedded.FindOptions{Progress: func(text string) { t.Log(text) }})
	if err != nil {
		t.Fatal(err)
	}
	return &bench{t: t, dir: t.TempDir(), kube: kube, ccm: ccm, parallel: 2}
}

func (b *bench) open(ctx context.Context, _ int) (Cluster, error) {
	command := b.ccm
	if command == "" {
		self, err := os.Executable()
		if err != nil {
			return nil, err
		}
		command = fmt.Sprintf("env %s=%s %s {flags}", wrong.EnvBug, wrong.None, self)
	}
	subject, err := e2e.ParseSubject(command)
	if err != nil {
		return nil, err
	}
	cluster, err := embedded.Start(ctx, b.kube, e2e.Config{
		Name: "test", Dir: b.dir, Subject: subject, Cloud: sim.Config{Ephemeral: true, Seed: 1},
	})
	if err != nil {
		return nil, err
	}
	return OnCluster(cluster), nil
}

// run runs scenarios and logs where the time went.
func (b *bench) run(all []*Scenario) Report {
	b.t.Helper()
	var out bytes.Buffer
	b.out = &out
	runner := Runner{Open: b.open, Parallel: b.parallel, Seed: 1, Subject: b.ccm, Reporter: b}
	report, err := runner.Run(b.t.Context(), all)
	b.t.Log(out.String() + Summary(report))
	if err != nil {
		b.t.Error(err)
	}
	return report
}

func core(t *testing.T) []*Scenario { return ofTier(t, "core") }

// ofTier are the scenarios of the library that have the label.
func ofTier(t *testing.T, tier string) []*Scenario {
	t.Helper()
	all, err := Library()
	if err != nil {
		t.Fatal(err)
	}
	var found []*Scenario
	for _, s := range all {
		if s.Labels["tier"] == tier {
			found = append(found, s)
		}
	}
	return found
}

// TestCore runs the core scenarios with our provider.
func TestCore(t *testing.T) {
	report := newBench(t, "").run(core(t))
	if got := report.Count(Passed); got != 4 {
		t.Errorf("%d of 4 scenarios passed", got)
	}
}

// TestCoreWithoutCCM: without a CCM each core scenario fails, and says what a CCM must do.
func TestCoreWithoutCCM(t *testing.T) {
	says := map[string]string{
		"lb-provisioning":    "A CCM must initialise each node whose VM it finds in the cloud; load",
		"node-deletion":      "A CCM must initialise each node whose VM it finds in the cloud.",
		"node-taint-removal": "A CCM must remove the uninitialized taint from each node whose VM it finds",
		"route-creation":     "A CCM must make a route for the pod range of each node",
	}
	b := newBench(t, "none")
	var hurried []*Scenario
	for _, s := range core(t) {
		hurried = append(hurried, s.Hurried(20*time.Second))
	}
	for _, r := range b.run(hurried).Scenarios {
		if r.Status != Failed || len(r.Failures) == 0 || !strings.Contains(r.Failures[0].Because, says[r.Name]) {
			t.Errorf("%s: %s %+v, want %q", r.Name, r.Status, r.Failures, says[r.Name])
		}
	}
}

// TestSameSeed: two runs with one seed make the same ids and addresses, though
// the scenarios run beside others and on other clusters.
func TestSameSeed(t *testing.T) {
	var inventories [2]map[string][]string
	for i := range inventories {
		inventories[i] = map[string][]string{}
		for _, r := range newBench(t, "").run(core(t)).Scenarios {
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
