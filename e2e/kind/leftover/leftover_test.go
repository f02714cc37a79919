package leftover_test

import (
	"context"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/e2e/kind/engine"
	"github.com/simcloud-dev/simcloud/e2e/kind/leftover"
)

// fakeEngine holds containers and networks by name.
type fakeEngine struct {
	containers map[string]engine.Container
	networks   map[string]engine.Network
	stuck      error // of every removal
}

func newEngine() *fakeEngine {
	return &fakeEngine{containers: map[string]engine.Container{}, networks: map[string]engine.Network{}}
}

func (f *fakeEngine) Name() string { return "fake" }

func (f *fakeEngine) List(context.Context, ...string) ([]engine.Container, error) {
	return slices.Collect(maps.Values(f.containers)), nil
}

func (f *fakeEngine) Networks(_ context.Context, labels ...string) ([]engine.Network, error) {
	var found []engine.Network
	for _, n := range f.networks {
		if _, has := n.Labels[labels[0]]; has {
			found = append(found, n)
		}
	}
	return found, nil
}

func (f *fakeEngine) Remove(_ context.Context, containers ...string) error {
	for _, c := range containers {
		delete(f.containers, c)
	}
	return f.stuck
}

func (f *fakeEngine) RemoveNetwork(_ context.Context, network string) error {
	for _, c := range f.containers {
		if _, in := c.Networks[network]; in {
			return errors.New("it has active endpoints: " + c.Name)
		}
	}
	delete(f.networks, network)
	return nil
}

func (f *fakeEngine) container(name, network string, labels map[string]string) {
	c := engine.Container{Name: name, Labels: labels, Networks: map[string]engine.Endpoint{}}
	if network != "" {
		c.Networks[network] = engine.Endpoint{}
	}
	f.containers[name] = c
}

// cluster makes what a cluster of a claim consists of: its network, kind's own
// control plane, a machine and a machine that is cut off.
func (f *fakeEngine) cluster(name string, labels map[string]string) {
	f.networks["net-"+name] = engine.Network{Name: "net-" + name, Labels: labels}
	f.container(name+"-control-plane", "net-"+name, map[string]string{engine.KindClusterLabel: name})
	worker := maps.Clone(labels)
	worker[engine.KindClusterLabel] = name
	f.container(name+"-node-1", "net-"+name, worker)
	f.container(name+"-node-2", "", worker)
}

func (f *fakeEngine) names() []string {
	return slices.Sorted(maps.Keys(f.containers))
}

func claim(t *testing.T, cluster string) *leftover.Claim {
	t.Helper()
	c, err := leftover.NewClaim(t.TempDir(), cluster)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// dead makes the labels of an owner that has ended, in whose folder the lock file is still, or is not.
func dead(t *testing.T, cluster string, keep bool) map[string]string {
	t.Helper()
	c := claim(t, cluster)
	labels := c.Labels()
	if err := c.Release(); err != nil {
		t.Fatal(err)
	}
	if keep {
		if err := os.WriteFile(labels[leftover.LabelLock], nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return labels
}

func TestOnlyWhatNobodyOwnsIsRemoved(t *testing.T) {
	t.Parallel()
	e := newEngine()
	alive := claim(t, "alive")
	e.cluster("alive", alive.Labels())
	e.cluster("killed", dead(t, "killed", true))
	e.cluster("swept", dead(t, "swept", false))
	elsewhere := dead(t, "elsewhere", false)
	elsewhere[leftover.LabelHost] = "another-machine"
	e.cluster("elsewhere", elsewhere)
	e.container("stranger", "bridge", nil)
	// A cluster of the user's own that has the name of one that is left.
	e.container("theirs", "kind", map[string]string{engine.KindClusterLabel: "killed"})

	left, err := leftover.Remove(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, l := range left {
		said = append(said, l.String())
	}
	slices.Sort(said)
	if diff := cmp.Diff([]string{"the cluster killed (containers: 3, networks: 1)", "the cluster swept (containers: 3, networks: 1)"}, said); diff != "" {
		t.Errorf("it said (-want +got):\n%s", diff)
	}
	want := []string{"alive-control-plane", "alive-node-1", "alive-node-2", "elsewhere-control-plane", "elsewhere-node-1", "elsewhere-node-2", "stranger", "theirs"}
	if diff := cmp.Diff(want, e.names()); diff != "" {
		t.Errorf("containers (-want +got):\n%s", diff)
	}
	if got := slices.Sorted(maps.Keys(e.networks)); !slices.Equal(got, []string{"net-alive", "net-elsewhere"}) {
		t.Errorf("networks: %v", got)
	}
	if err := alive.Release(); err != nil {
		t.Fatal(err)
	}
	if left, err := leftover.Find(t.Context(), e); err != nil || len(left) != 1 || left[0].Cluster != "alive" {
		t.Errorf("after its release: %v, %v", left, err)
	}
}

func TestAControlPlaneThatIsCutOffIsFound(t *testing.T) {
	t.Parallel()
	e := newEngine()
	e.cluster("x", dead(t, "x", false))
	e.container("x-control-plane", "", map[string]string{engine.KindClusterLabel: "x"})
	if _, err := leftover.Remove(t.Context(), e); err != nil || len(e.containers) != 0 {
		t.Errorf("%v: %v is left", err, e.names())
	}
}

func TestALockThatCannotBeReadIsAnotherUsers(t *testing.T) {
	t.Parallel()
	e := newEngine()
	labels := dead(t, "x", false)
	// A path below a file cannot be read, not even by root.
	labels[leftover.LabelLock] = filepath.Join(os.Args[0], "lock")
	e.cluster("x", labels)
	if left, err := leftover.Find(t.Context(), e); err != nil || len(left) != 0 {
		t.Errorf("got %v, %v, want nothing", left, err)
	}
}

func TestRemoveSaysOfWhichCluster(t *testing.T) {
	t.Parallel()
	e := newEngine()
	e.cluster("x", dead(t, "x", false))
	e.stuck = errors.New("stuck")
	if _, err := leftover.Remove(t.Context(), e); !errors.Is(err, e.stuck) {
		t.Errorf("got %v, want %v", err, e.stuck)
	}
	if len(e.networks) != 1 {
		t.Error("the network went before its containers: then these cannot be found any more")
	}
}

// The kernel gives the lock free when its holder is killed.
func TestAKilledOwnerOwnsNothing(t *testing.T) {
	t.Parallel()
	if path := os.Getenv("LEFTOVER_CLAIM_IN"); path != "" {
		c, err := leftover.NewClaim(path, "x")
		if err != nil {
			t.Fatal(err)
		}
		_, _ = os.Stdout.WriteString("claimed\n")
		<-t.Context().Done()
		runtime.KeepAlive(c) // an unreachable file is closed
	}
	dir := t.TempDir()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestAKilledOwnerOwnsNothing$")
	cmd.Env = append(os.Environ(), "LEFTOVER_CLAIM_IN="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 8)); err != nil {
		t.Fatal(err)
	}
	locks, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(locks) != 1 {
		t.Fatalf("locks: %v, %v", locks, err)
	}
	e := newEngine()
	labels := dead(t, "x", false)
	labels[leftover.LabelLock] = locks[0]
	e.cluster("x", labels)
	if left, err := leftover.Find(t.Context(), e); err != nil || len(left) != 0 {
		t.Errorf("while it lives: %v, %v", left, err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // killed
	if left, err := leftover.Find(t.Context(), e); err != nil || len(left) != 1 {
		t.Errorf("when it is killed: %v, %v", left, err)
	}
}
