package embedded

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/e2e/backendtest"
	"github.com/simcloud-dev/simcloud/e2e/machine"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// fakeKube is a simcloud-kube that is this script, in a backend that is not started.
func fakeKube(t *testing.T, script string) *Backend {
	t.Helper()
	dir := t.TempDir()
	b, err := New(Config{Dir: filepath.Join(dir, "cluster"), Kube: program(t, filepath.Join(dir, binaryName), script)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Stop(t.Context()); err != nil {
			t.Errorf("stop: %v", err)
		}
	})
	return b
}

func TestNewFails(t *testing.T) {
	t.Parallel()
	for field, config := range map[string]Config{
		"Dir":  {Kube: "/bin/sh"},
		"Kube": {Dir: t.TempDir(), Kube: "/no/such/file"},
	} {
		if _, err := New(config); !errors.Is(err, simcloud.Invalid) || !strings.Contains(err.Error(), field+": ") {
			t.Errorf("%s: got %v, want Invalid that names it", field, err)
		}
	}
}

// starts are the commands that a fake simcloud-kube was run with.
func (b *Backend) starts(t *testing.T) []string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(string(b.dir), "starts"))
	if err != nil {
		t.Fatal(err)
	}
	starts := strings.Split(strings.TrimSpace(string(data)), "\n")
	slices.Sort(starts)
	return starts
}

// TestStartFails also proves that a part that fails is not tried again without reason.
func TestStartFails(t *testing.T) {
	t.Parallel()
	b := fakeKube(t, `echo "$1" >> starts; [ "$1" = etcd ] || exec sleep 1000; echo etcd is broken; exit 1`)
	_, err := b.Start(t.Context())
	if !errors.Is(err, simcloud.Unavailable) || !strings.Contains(err.Error(), "etcd is broken") || !strings.Contains(err.Error(), "etcd.log") {
		t.Errorf("got %v, want what etcd said and where", err)
	}
	if starts := b.starts(t); starts[0] != "etcd" || slices.Contains(starts[1:], "etcd") {
		t.Errorf("started %q, want etcd once", starts)
	}
}

// TestLostPort takes etcd's port away; another one is tried.
func TestLostPort(t *testing.T) {
	t.Parallel()
	b := fakeKube(t, `[ "$1" = etcd ] || exec sleep 1000
echo "$*" >> starts; echo "listen tcp 127.0.0.1:1: bind: address already in use"; exit 1`)
	if _, err := b.Start(t.Context()); err == nil {
		t.Error("started")
	}
	if starts := b.starts(t); len(starts) != 2 || starts[0] == starts[1] {
		t.Errorf("started %d times, want twice, with other ports: %q", len(starts), starts)
	}
}

// TestNodeMask: how many nodes a cluster has room for is what was asked for.
func TestNodeMask(t *testing.T) {
	t.Parallel()
	for mask, want := range map[int]string{0: "24", 28: "28"} {
		dir := t.TempDir()
		kube := program(t, filepath.Join(dir, binaryName), `echo "$*" >> starts; exit 1`)
		b, err := New(Config{Dir: filepath.Join(dir, "cluster"), Kube: kube, NodeMask: mask})
		if err != nil {
			t.Fatal(err)
		}
		p, err := b.newPlane(time.Now())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.startControllerManager(t.Context()); err == nil {
			t.Error("the kube-controller-manager runs, which is a script that ends")
		}
		if starts := b.starts(t); !strings.Contains(starts[0], " --node-cidr-mask-size="+want+" ") {
			t.Errorf("mask %d: it was started with %q, want %s", mask, starts, want)
		}
	}
}

func TestNotRunning(t *testing.T) {
	t.Parallel()
	b := fakeKube(t, "exit 1")
	if _, err := b.StartNode(t.Context(), machine.Spec{Name: "node-1"}); !errors.Is(err, simcloud.Unavailable) {
		t.Errorf("StartNode before Start: %v", err)
	}
	if err := b.Logs(t.Context(), filepath.Join(t.TempDir(), "logs")); err != nil {
		t.Errorf("Logs before Start: %v", err)
	}
	for range 2 {
		if err := b.Stop(t.Context()); err != nil {
			t.Errorf("Stop before Start: %v", err)
		}
	}
	if _, err := b.Start(t.Context()); !errors.Is(err, simcloud.Conflict) {
		t.Errorf("Start after Stop: %v", err)
	}
}

func TestKubeletArgs(t *testing.T) {
	t.Parallel()
	p := &plane{dir: "/d"}
	got := p.kubeletArgs(machine.Spec{Name: "n", Labels: map[string]string{"b": "2", "a": "1"}}, "node-n", "/k", 7)
	want := []string{
		"sandbox-kubelet", "--name=n", "--kubeconfig=/k", "--root-dir=/d/nodes/n", "--port=7",
		"--tls-cert-file=/d/pki/node-n.crt", "--tls-private-key-file=/d/pki/node-n.key", "--client-ca-file=/d/pki/ca.crt",
		"--node-labels=a=1,b=2",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestCapabilities: a control plane of processes has no network and no disks, and tells of its loss.
func TestCapabilities(t *testing.T) {
	t.Parallel()
	can := fakeKube(t, "exit 0").Capabilities()
	backendtest.Consistent(t, can)
	if can.Done == nil || can.RestartAPIServer == nil || can.Network != nil || can.Discard != nil || can.Exec != nil || can.Packets {
		t.Errorf("the capabilities are %+v", can)
	}
}
