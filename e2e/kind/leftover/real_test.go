package leftover_test

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/e2e/kind/engine"
	"github.com/simcloud-dev/simcloud/e2e/kind/leftover"
	"github.com/simcloud-dev/simcloud/e2e/kind/tools"
	"github.com/simcloud-dev/simcloud/e2e/ociimage"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// onlyOurs is an engine in which nothing is but what the test made.
type onlyOurs struct {
	*engine.Engine
	prefix string
}

func (o onlyOurs) List(ctx context.Context, labels ...string) ([]engine.Container, error) {
	all, err := o.Engine.List(ctx, labels...)
	return slices.DeleteFunc(all, func(c engine.Container) bool { return !strings.HasPrefix(c.Name, o.prefix) }), err
}

func (o onlyOurs) Networks(ctx context.Context, labels ...string) ([]engine.Network, error) {
	all, err := o.Engine.Networks(ctx, labels...)
	return slices.DeleteFunc(all, func(n engine.Network) bool { return !strings.HasPrefix(n.Name, o.prefix) }), err
}

// TestWhatAKilledRunLeavesInARealEngine has a process of its own make a
// cluster, of which a machine is paused and one is cut off, and kills it.
func TestWhatAKilledRunLeavesInARealEngine(t *testing.T) {
	if dir := os.Getenv("LEFTOVER_CLUSTER_IN"); dir != "" {
		c := makeCluster(t, dir, os.Getenv("LEFTOVER_CLUSTER"))
		_, _ = os.Stdout.WriteString("the cluster is there\n")
		<-t.Context().Done()
		runtime.KeepAlive(c) // an unreachable file is closed
	}
	if os.Getenv("SIMCLOUD_KIND") != "1" || os.Getenv("SIMCLOUD_NIGHTLY") != "1" {
		// Beside other tests one of these may find first what the killed run has left.
		t.Skip("it needs a container engine, and is left to the nightly gate: make kind-nightly sets SIMCLOUD_KIND=1 and SIMCLOUD_NIGHTLY=1")
	}
	found, err := engine.Find(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	name := fmt.Sprintf("simcloud-leftover-test-%d", os.Getpid())
	e := onlyOurs{found, name}
	loadImage(t, e, name+":1")
	t.Cleanup(func() {
		ctx := context.WithoutCancel(t.Context())
		err := e.Remove(ctx, name+"-control-plane", name+"-node-1", name+"-node-2")
		if err := errors.Join(err, e.RemoveNetwork(ctx, name), e.RemoveImage(ctx, name+":1")); err != nil {
			t.Error(err)
		}
	})
	owner := startOwner(t, name)
	if left, err := leftover.Remove(t.Context(), e); err != nil || len(left) != 0 {
		t.Errorf("while its owner lives: %v, %v", left, err)
	}
	if err := owner.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = owner.Wait() // killed
	left, err := leftover.Remove(t.Context(), e)
	if err != nil || len(left) != 1 || left[0].Cluster != name || len(left[0].Containers) != 3 {
		t.Errorf("got %v, %v, want three containers of %s", left, err, name)
	}
	if rest, err := e.List(t.Context()); err != nil || len(rest) != 0 {
		t.Errorf("%v, %v: want no container left", rest, err)
	}
	if _, err := e.Network(t.Context(), name); !errors.Is(err, simcloud.NotFound) {
		t.Errorf("the network: %v, want %s", err, simcloud.NotFound)
	}
}

// startOwner starts the process that makes the cluster, and returns when it has.
func startOwner(t *testing.T, cluster string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestWhatAKilledRunLeavesInARealEngine$")
	cmd.Env = append(os.Environ(), "LEFTOVER_CLUSTER_IN="+t.TempDir(), "LEFTOVER_CLUSTER="+cluster)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	said := make([]byte, 1000)
	n, err := out.Read(said)
	if err != nil || !strings.HasPrefix(string(said[:n]), "the cluster") {
		t.Fatalf("%v: %s", err, said[:n])
	}
	return cmd
}

func makeCluster(t *testing.T, dir, cluster string) *leftover.Claim {
	t.Helper()
	e, err := engine.Find(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	c, err := leftover.NewClaim(dir, cluster)
	if err != nil {
		t.Fatal(err)
	}
	createNetwork(t, e, cluster, c.Labels())
	kinds := map[string]string{engine.KindClusterLabel: cluster}
	ours := c.Labels()
	ours[engine.KindClusterLabel] = cluster
	for _, spec := range []engine.RunSpec{
		{Name: cluster + "-control-plane", Labels: kinds},
		{Name: cluster + "-node-1", Labels: ours, Flags: e.NodeFlags(cluster+"-node-1", false)},
		{Name: cluster + "-node-2", Labels: ours},
	} {
		spec.Image, spec.Network = cluster+":1", cluster
		if err := e.Run(t.Context(), spec); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(e.Pause(t.Context(), cluster+"-node-1"), e.Disconnect(t.Context(), cluster, cluster+"-node-2")); err != nil {
		t.Fatal(err)
	}
	return c
}

func createNetwork(t *testing.T, e *engine.Engine, name string, labels map[string]string) {
	t.Helper()
	for n := 200; n < 250; n++ {
		pools := []engine.Pool{{Subnet: netip.MustParsePrefix(fmt.Sprintf("10.%d.0.0/16", n))}}
		err := e.CreateNetwork(t.Context(), engine.NetworkSpec{Name: name, Labels: labels, Pools: pools})
		if err == nil {
			return
		}
		if !errors.Is(err, simcloud.InUse) {
			t.Fatal(err)
		}
	}
	t.Fatal("no subnet is free")
}

func loadImage(t *testing.T, e onlyOurs, name string) {
	t.Helper()
	binary, err := tools.Build(t.Context(), "pause", nil)
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(binary)
	if err != nil {
		t.Fatal(err)
	}
	archive := filepath.Join(t.TempDir(), "image.tar")
	image := ociimage.Image{
		Name: name, Title: "pause", Version: "1", Architecture: runtime.GOARCH, Entrypoint: []string{"/pause"},
		Files: []ociimage.File{{Path: "pause", Mode: 0o755, Content: content}},
	}
	if err := errors.Join(image.WriteFile(archive), e.Load(t.Context(), archive)); err != nil {
		t.Fatal(err)
	}
}
