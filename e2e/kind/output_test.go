package kind

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	kinderrors "sigs.k8s.io/kind/pkg/errors"
	"sigs.k8s.io/kind/pkg/exec"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// kubeadmOutput is as kubeadm writes with --v=6 when it gives up, but for the control character.
const kubeadmOutput = `I0414 08:54:23.349258     174 initconfiguration.go:207] loading configuration from "/kind/kubeadm.conf"
[init] Using Kubernetes version: v1.37.1
I0414 08:54:24.349258     174 round_trippers.go:632] "Response" verb="GET" status="" milliseconds=0
[control-plane-check] kube-apiserver is not healthy after 4m0s

	- 'crictl --runtime-endpoint unix:///run/containerd/containerd.sock ps -a'
kube-apiserver check failed:` + " \x1b[31mconnection refused\r" + `
k8s.io/kubernetes/cmd/kubeadm/app/cmd/phases/workflow.(*Runner).visitAll
	k8s.io/kubernetes/cmd/kubeadm/app/cmd/phases/workflow/runner.go:446
runtime.goexit
	runtime/asm_amd64.s:1695
error execution phase wait-control-plane
main.main
	k8s.io/kubernetes/cmd/kubeadm/kubeadm.go:25
goroutine 1 [running]:
main.crash({0x1, 0x2})
	/go/src/kubeadm.go:25 +0x1d
`

func TestReasonOfAFailedCommand(t *testing.T) {
	t.Parallel()
	want := `[init] Using Kubernetes version: v1.37.1
[control-plane-check] kube-apiserver is not healthy after 4m0s
	- 'crictl --runtime-endpoint unix:///run/containerd/containerd.sock ps -a'
kube-apiserver check failed: \x1b[31mconnection refused
error execution phase wait-control-plane
goroutine 1 [running]:`
	if diff := cmp.Diff(want, reason(kubeadmOutput)); diff != "" {
		t.Errorf("the reason (-want +got):\n%s", diff)
	}
	var long strings.Builder
	for i := range 100 {
		fmt.Fprintf(&long, "line %d\n", i)
	}
	if got := strings.Split(reason(long.String()), "\n"); len(got) != 20 || got[0] != "line 80" || got[19] != "line 99" {
		t.Errorf("of 100 lines there are %q, want the last 20", got)
	}
	if got := reason("\tkubeadm.go:25\n"); got != "" {
		t.Errorf("of half a frame there is %q", got)
	}
}

func TestExplainTellsTheOutput(t *testing.T) {
	t.Parallel()
	failed := &exec.RunError{
		Command: []string{"docker", "exec", "x", "kubeadm", "init"}, Output: []byte(kubeadmOutput), Inner: errors.New("exit status 1"),
	}
	err := explain(kinderrors.Wrap(kinderrors.WithStack(failed), "failed to init node with kubeadm"))
	if !errors.Is(err, simcloud.Unavailable) || !errors.Is(err, failed) {
		t.Errorf("%v: want %s, which wraps the error of the command", err, simcloud.Unavailable)
	}
	for _, part := range []string{
		"failed to init node with kubeadm", "docker exec x kubeadm init", "exit status 1", "error execution phase wait-control-plane",
	} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q is missing in: %v", part, err)
		}
	}
	silent := &exec.RunError{Command: []string{"docker"}, Inner: errors.New("exit status 1")}
	for _, other := range []error{nil, errStopped(), silent} {
		if got := explain(other); got != other { //nolint:errorlint // the very same
			t.Errorf("%v became %v, want it as it is", other, got)
		}
	}
}

// TestCreationTellsTheOutput has kind fail where it asks for the cluster's nodes.
func TestCreationTellsTheOutput(t *testing.T) {
	e := fakeDocker(t, `image) echo 'sha256:1';;
ps) echo 'the disk is full' >&2; exit 1;;`)
	b, err := New(Config{Name: "c", Dir: t.TempDir(), Engine: e, Image: "n"})
	if err != nil {
		t.Fatal(err)
	}
	b.network = &network{name: "c", n: firstNetwork}
	if err := b.createWithKind(t.Context(), &plane{}); err == nil || !strings.Contains(err.Error(), "the disk is full") {
		t.Errorf("got %v, want an error with what the command wrote", err)
	}
}
