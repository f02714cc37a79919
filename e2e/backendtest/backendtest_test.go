package backendtest_test

import (
	"context"
	"errors"
	"io"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/simcloud-dev/simcloud/e2e"
	"github.com/simcloud-dev/simcloud/e2e/backendtest"
	"github.com/simcloud-dev/simcloud/e2e/machine"
	"github.com/simcloud-dev/simcloud/e2e/manager"
	"github.com/simcloud-dev/simcloud/simcloud/sim"
	"github.com/simcloud-dev/simcloud/simcloud/wait/waittest"
)

// promise is broken by one backend, and reported by a part of the suite.
type promise struct {
	part  string
	wreck func(*backend)
}

// promises are those that a part reports at once.
var promises = map[string]promise{
	"it has a name":                    {"Start", func(b *backend) { b.name = "" }},
	"it starts once":                   {"Start", func(b *backend) { b.startsTwice = true }},
	"its API server serves":            {"Start", func(b *backend) { b.api.notReady = true }},
	"no Node is without a machine":     {"Start", func(b *backend) { b.stray = "stray" }},
	"what it joins it can cut off":     {"Capabilities", lacks(func(c *e2e.Capabilities) { c.Cut = nil })},
	"a loss has a reason":              {"Capabilities", lacks(func(c *e2e.Capabilities) { c.Err = nil })},
	"its control plane has a name":     {"Capabilities", lacks(func(c *e2e.Capabilities) { c.JoinControlPlane = joins })},
	"its factor is at least one":       {"Capabilities", lacks(func(c *e2e.Capabilities) { c.Factor = func() float64 { return 0.5 } })},
	"a program needs a node":           {"Capabilities", lacks(func(c *e2e.Capabilities) { c.Exec = runsAnywhere })},
	"there may be no disk":             {"Capabilities", lacks(func(c *e2e.Capabilities) { c.Discard = fails })},
	"a node that is cut off exists":    {"Capabilities", lacks(func(c *e2e.Capabilities) { c.Cut = passes })},
	"its network stays":                {"Capabilities", lacks(moves())},
	"a Node waits for its provider id": {"Boot", func(b *backend) { b.edit = func(n *corev1.Node) { n.Spec.ProviderID = "x://1" } }},
	"a Node waits for a CCM":           {"Boot", func(b *backend) { b.edit = func(n *corev1.Node) { n.Spec.Taints = nil } }},
	"a name is of one node":            {"OneOfAName", func(b *backend) { b.twins = true }},
	"a Node outlasts its kubelet":      {"OffAndOn", func(b *backend) { b.recreates = true }},
	"a restart loses nothing":          {"APIServer", func(b *backend) { lacks(forgets(&b.api))(b) }},
	"there is a log":                   {"Logs", func(b *backend) { b.logs = nil }},
	"a log says something":             {"Logs", func(b *backend) { b.logs["node-node-1.log"] = "" }},
	"a disk can be discarded":          {"Reset", lacks(func(c *e2e.Capabilities) { c.Discard = keeps("node-1") })},
	"a loss has the true reason":       {"Lost", func(b *backend) { b.why = "something else" }},
	"it may be stopped twice":          {"Stop", func(b *backend) { b.stopsOnce = true }},
	"nothing boots after the stop":     {"Stop", func(b *backend) { b.undead = true }},
	"nothing is left":                  {"Stop", func(b *backend) { b.leaves = true }},
}

// silences are those for which a part waits until its patience is over.
var silences = map[string]promise{
	"a Node registers":                 {"Boot", func(b *backend) { b.edit = func(n *corev1.Node) { n.Name = "other" } }},
	"a frozen node is silent":          {"Freeze", func(b *backend) { b.deaf["freeze"] = true }},
	"a node that is cut off is silent": {"Partition", func(b *backend) { b.deaf["cut"] = true }},
	"a killed node is silent":          {"Kill", func(b *backend) { b.deaf["kill"] = true }},
	"a loss is noticed":                {"Lost", lacks(func(c *e2e.Capabilities) { c.Done = func() <-chan struct{} { return make(chan struct{}) } })},
}

// lacks changes what a backend can do.
func lacks(can func(*e2e.Capabilities)) func(*backend) { return func(b *backend) { b.can = can } }

func joins(context.Context, machine.Spec) error { return nil }

func passes(context.Context, string) error { return nil }

func fails(context.Context, string) error { return errors.New("there is none") }

func runsAnywhere(context.Context, string, io.Reader, ...string) ([]byte, error) { return nil, nil }

// keeps does not discard the disk of a node.
func keeps(name string) func(context.Context, string) error {
	return func(_ context.Context, node string) error {
		if node == name {
			return errors.New("the disk is busy")
		}
		return nil
	}
}

// moves names another host once the cloud was opened.
func moves() func(*e2e.Capabilities) {
	asked := false
	return func(c *e2e.Capabilities) {
		first := c.Network
		c.Network = func(ctx context.Context) (e2e.Network, error) {
			network, err := first(ctx)
			if asked {
				network.Host = "192.0.2.7"
			}
			asked = true
			return network, err
		}
	}
}

// forgets restarts an API server without its data.
func forgets(api *apiServer) func(*e2e.Capabilities) {
	return func(c *e2e.Capabilities) {
		c.RestartAPIServer = func(context.Context) error {
			api.forget("/configmaps/")
			return nil
		}
	}
}

// suite runs the suite on a backend.
func suite(t *testing.T, b *backend) {
	t.Helper()
	c, err := e2e.Start(t.Context(), e2e.Config{
		Dir: t.TempDir(), Backend: b, Cloud: sim.Config{Ephemeral: true, Seed: 1}, Subject: manager.CCMSpec{Name: "none"},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Stop(context.WithoutCancel(t.Context())) })
	backendtest.Run(t, backendtest.Harness{
		Cluster: c,
		Logs:    []string{"node-node-1.log"},
		Lose:    func(*testing.T) string { b.lose(); return "scheduler" },
		Slow: func(part *testing.T) {
			if t.Failed() {
				part.Skip("another part has failed, and this one would wait in vain")
			}
		},
		Left: func(t *testing.T) {
			if b.leaves {
				t.Error("a process is left")
			}
		},
	})
}

// TestKept: a backend that keeps its promises passes.
func TestKept(t *testing.T) {
	t.Parallel()
	suite(t, newBackend())
}

// envBroken is set for a process that runs TestBroken.
const envBroken = "BACKENDTEST_BROKEN"

// TestBroken runs the suite on backends that break a promise. It fails, in processes of their own.
func TestBroken(t *testing.T) {
	if os.Getenv(envBroken) == "" {
		t.Skip("TestPromises and TestSilences run it")
	}
	for _, all := range []map[string]promise{promises, silences} {
		for name, p := range all {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				b := newBackend()
				p.wreck(b)
				suite(t, b)
			})
		}
	}
}

// TestPromises: the suite reports each promise that is broken, in the part that is about it.
func TestPromises(t *testing.T) {
	t.Parallel()
	if wrong, out := unreported(t, promises, "1"); len(wrong) > 0 {
		t.Errorf("not reported as they must be: %q\n%s", slices.Sorted(maps.Keys(wrong)), out)
	}
}

// TestSilences is TestPromises for what a part waits for in vain. With little patience that takes seconds,
// but on a busy machine another part may lose its patience first: then it gets more.
func TestSilences(t *testing.T) {
	t.Parallel()
	left, out := maps.Clone(silences), ""
	for _, patience := range []string{"0.02", "0.1", "0.5"} {
		if left, out = unreported(t, left, patience); len(left) == 0 {
			return
		}
	}
	t.Errorf("not reported as they must be: %q\n%s", slices.Sorted(maps.Keys(left)), out)
}

var failedPart = regexp.MustCompile(`--- FAIL: TestBroken/([^/\s]+)/(\S+)`)

// unreported returns the promises of which not their part is the first one that fails, with what the suite said. The
// suite fails a testing.T, which ends a process as failed; so it runs in one of its own.
func unreported(t *testing.T, all map[string]promise, patience string) (wrong map[string]promise, said string) {
	t.Helper()
	var names []string
	for name := range all {
		names = append(names, strings.ReplaceAll(name, " ", "_"))
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestBroken$/^("+strings.Join(names, "|")+")$", "-test.v", "-test.parallel=100")
	cmd.Env = append(os.Environ(), envBroken+"=1", waittest.EnvPatience+"="+patience)
	out, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) {
		t.Fatalf("%v, want it to fail:\n%s", err, out)
	}
	wrong = maps.Clone(all)
	seen := map[string]bool{}
	for _, found := range failedPart.FindAllStringSubmatch(string(out), -1) {
		name := strings.ReplaceAll(found[1], "_", " ")
		if !seen[name] && found[2] == all[name].part {
			delete(wrong, name)
		}
		seen[name] = true
	}
	return wrong, string(out)
}
