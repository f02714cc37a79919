package scenarios

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/e2e"
	"github.com/simcloud-dev/simcloud/e2e/embedded"
	"github.com/simcloud-dev/simcloud/simcloud/sim"
)

func TestMain(m *testing.M) {
	if ruleFile := os.Getenv(envRuleFile); ruleFile != "" {
		os.Exit(runBrokenCCM(ruleFile))
	}
	os.Exit(m.Run())
}

// bench runs scenarios on real control planes. Each slot's CCM reads its rule when it starts.
type bench struct {
	t    *testing.T
	dir  string
	kube string
	ccm  string // "" for this binary
	// rules are the rules that scenarios run with.
	rules map[string]rule
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
	return &bench{t: t, dir: t.TempDir(), kube: kube, ccm: ccm, rules: map[string]rule{}}
}

func (b *bench) ruleFile(slot int) string { return filepath.Join(b.dir, fmt.Sprintf("rule-%d", slot)) }

// ScenarioStarted sets the rule before the CCM starts.
func (b *bench) ScenarioStarted(slot int, s *Scenario) {
	if err := os.WriteFile(b.ruleFile(slot), []byte(b.rules[s.Name]), 0o600); err != nil {
		b.t.Error(err)
	}
}

func (b *bench) open(ctx context.Context, slot int) (Cluster, error) {
	command := b.ccm
	if command == "" {
		self, err := os.Executable()
		if err != nil {
			return nil, err
		}
		command = fmt.Sprintf("env %s=%s %s {flags}", envRuleFile, b.ruleFile(slot), self)
	}
	subject, err := e2e.ParseSubject(command)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(b.dir, "cluster-")
	if err != nil {
		return nil, err
	}
	backend, err := embedded.New(embedded.Config{Dir: filepath.Join(dir, "kube"), Kube: b.kube})
	if err != nil {
		return nil, err
	}
	cluster, err := e2e.Start(ctx, e2e.Config{
		Name: "test", Dir: dir, Backend: backend, Subject: subject, Cloud: sim.Config{Ephemeral: true, Seed: 1},
	})
	if err != nil {
		return nil, err
	}
	return OnCluster(cluster), nil
}

// run runs scenarios on two clusters and logs where the time went.
func (b *bench) run(all []*Scenario) Report {
	b.t.Helper()
	var out bytes.Buffer
	b.out = &out
	runner := Runner{Open: b.open, Parallel: 2, Seed: 1, Subject: b.ccm, Reporter: b}
	report, err := runner.Run(b.t.Context(), all)
	b.t.Log(out.String() + Summary(report))
	if err != nil {
		b.t.Error(err)
	}
	return report
}

func core(t *testing.T) []*Scenario {
	t.Helper()
	all, err := Library()
	if err != nil {
		t.Fatal(err)
	}
	var found []*Scenario
	for _, s := range all {
		if s.Labels["tier"] == "core" {
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
	for _, r := range b.run(hurried(core(t))).Scenarios {
		if r.Status != Failed || len(r.Failures) == 0 || !strings.Contains(r.Failures[0].Because, says[r.Name]) {
			t.Errorf("%s: %s %+v, want %q", r.Name, r.Status, r.Failures, says[r.Name])
		}
	}
}

// TestBrokenProviders: a provider that breaks one rule is caught by the scenario that checks it, with the right words.
func TestBrokenProviders(t *testing.T) {
	tests := []struct {
		scenario string
		rule     rule
		says     string
	}{
		{"node-taint-removal", noAddresses, "A CCM must set the addresses of each node"},
		{"node-taint-removal", noZone, "A CCM must label each node with the type, zone and region"},
		{"node-taint-removal", writesWhenIdle, "To initialise nodes, a CCM only reads"},
		{"node-deletion", startsInstances, "It follows them."},
		{"node-deletion", leaksTargets, "With the Node its route and its target must go"},
		{"node-deletion", keepsRoutes, "With the Node its route and its target must go"},
		{"lb-provisioning", forgetsAddress, "When a Service is deleted, a CCM must remove its load balancer and its address"},
		{"lb-provisioning", leaksTargets, "When a node leaves the cluster, its target must go"},
		{"lb-provisioning", keepsExcluded, "A node with the label node.kubernetes.io/exclude-from-external-load-balancers must not be a target"},
		{"lb-provisioning", wrongTargetPort, "lead to their node ports"},
		{"lb-provisioning", recreatesLB, "The load balancer and its address stay"},
		{"route-creation", deletesForeign, "the routes of others must stay"},
		{"route-creation", keepsRoutes, "When a node is gone, its route leads nowhere"},
		{"route-creation", failsRoutes, "A CCM must make a route for the pod range of each node"},
		{"route-creation", writesWhenIdle, "when nothing changes a CCM must not write"},
		{"node-deletion", stoppedIsGone, "A stopped VM exists: the Node stays"},
		{"node-deletion", neverGone, "a CCM must delete the Node"},
		{"node-deletion", neverShutdown, "node.cloudprovider.kubernetes.io/shutdown"},
	}
	b := newBench(t, "")
	originals := map[string]*Scenario{}
	for _, s := range hurried(core(t)) {
		originals[s.Name] = s
	}
	var all []*Scenario
	for _, test := range tests {
		s := *originals[test.scenario]
		s.Name += "-" + string(test.rule)
		b.rules[s.Name] = test.rule
		all = append(all, &s)
	}
	for i, r := range b.run(all).Scenarios {
		if r.Status != Failed || !strings.Contains(firstFailure(r), tests[i].says) {
			t.Errorf("%s: %s, want it to say %q, first is\n%s", r.Name, r.Status, tests[i].says, firstFailure(r))
		}
	}
}

func firstFailure(r Result) string {
	if len(r.Failures) == 0 {
		return ""
	}
	return strings.Join(strings.Fields(r.Failures[0].String()), " ")
}

// hurried makes scenarios wait less for what will never be.
func hurried(all []*Scenario) []*Scenario {
	for _, s := range all {
		for _, step := range append(s.Steps, s.Finally...) {
			if a, ok := step.action.(*expectAction); ok && a.mode == within {
				a.time = min(a.time, 20*time.Second)
			}
		}
	}
	return all
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
