package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/sandbox"
	"github.com/simcloud-dev/simcloud/e2e/planetest"
	"github.com/simcloud-dev/simcloud/simcloud/console"
	"github.com/simcloud-dev/simcloud/simcloud/wait/waittest"
)

// upTimeout is how long a sandbox may take to be ready on a machine that tests keep busy.
const upTimeout = 4 * time.Minute

// upPatience bounds the wait for something that must happen: up says sooner why it is not ready.
const upPatience = upTimeout + time.Minute

// binaries are the real ones.
type binaries struct {
	dir   string
	state string // XDG_STATE_HOME
	env   []string
}

// buildBinaries builds what a user has: simcloud, and simcloud-ccm next to it.
func buildBinaries(t *testing.T) binaries {
	t.Helper()
	planetest.Cluster(t)
	dir := os.Getenv(envBin)
	if dir == "" {
		dir = t.TempDir()
		build := exec.Command("go", "build", "-trimpath", "-o", dir, "../../simcloud", "../../simcloud-ccm")
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("build: %v\n%s", err, out)
		}
	}
	state := t.TempDir()
	return binaries{dir: dir, state: state, env: append(os.Environ(),
		"XDG_STATE_HOME="+state, "SIMCLOUD_CCM=", "SIMCLOUD_SANDBOX=", "PATH="+dir+":"+os.Getenv("PATH"))}
}

func (b binaries) command(args ...string) *exec.Cmd {
	cmd := exec.Command(args[0], args[1:]...)
	if args[0] == "simcloud" {
		cmd = exec.Command(filepath.Join(b.dir, "simcloud"), args[1:]...)
	}
	cmd.Env = b.env
	return cmd
}

// must runs a command to its end and returns what it wrote to stdout.
func (b binaries) must(t *testing.T, args ...string) string {
	t.Helper()
	cmd := b.command(args...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s%s", strings.Join(args, " "), err, out, errs.String())
	}
	t.Logf("%s\n%s", strings.Join(args, " "), errs.String())
	return string(out)
}

// start starts a command, whose end it tells of. It does not outlive the test.
func (b binaries) start(t *testing.T, args ...string) (*exec.Cmd, <-chan error) {
	t.Helper()
	cmd := b.command(args...)
	cmd.Stdout, cmd.Stderr = t.Output(), t.Output()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended, gone := make(chan error, 1), make(chan struct{})
	go func() {
		ended <- cmd.Wait()
		close(gone)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-gone
	})
	return cmd, ended
}

func (b binaries) status(t *testing.T) (status sandboxStatus) {
	t.Helper()
	if err := json.Unmarshal([]byte(b.must(t, "simcloud", "status", "--name", "default", "-o", "json")), &status); err != nil {
		t.Fatal(err)
	}
	return status
}

// awaitStatus waits until the sandbox is ready: a kubelet that gets no time is
// NotReady for a moment. What up has waited for and lasts it wants at once: so
// many nodes, which the CCM has initialised.
func (b binaries) awaitStatus(t *testing.T, nodes int) (status sandboxStatus) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), upPatience)
	defer cancel()
	err := sandbox.Poll(ctx, func() (bool, error) {
		status = b.status(t)
		answers := status.ControlPlane.Ready && status.ControlPlane.Error == ""
		if status.Phase != sandbox.PhaseReady || answers && (len(status.Nodes) != nodes || slices.ContainsFunc(status.Nodes, uninitialized)) {
			return false, errors.New("up was ready too soon")
		}
		return answers && status.CCM.Running && !slices.ContainsFunc(status.Nodes, unwell), nil
	})
	if err != nil {
		t.Fatalf("status %+v, want %d nodes that are ready, have a provider ID and no taints, as the CCM makes them: %v", status, nodes, err)
	}
	return status
}

func uninitialized(node nodeRow) bool {
	return !strings.HasPrefix(node.ProviderID, "simcloud://") || strings.Contains(node.Status, "uninitialized")
}

func unwell(node nodeRow) bool { return node.Status != "Ready" }

// sandboxDir is the folder of the default sandbox.
func (b binaries) sandboxDir() string { return filepath.Join(b.state, "simcloud", "default") }

// family returns a process and all that descend from it.
func family(t *testing.T, pid int) []int {
	t.Helper()
	out, err := exec.Command("ps", "-A", "-o", "pid=,ppid=").Output()
	if err != nil {
		t.Fatal(err)
	}
	children := map[int][]int{}
	lines := bufio.NewScanner(bytes.NewReader(out))
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		child, err1 := strconv.Atoi(fields[0])
		parent, err2 := strconv.Atoi(fields[1])
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
		children[parent] = append(children[parent], child)
	}
	all := []int{pid}
	for i := 0; i < len(all); i++ {
		all = append(all, children[all[i]]...)
	}
	return all
}

// socketsAt are the sockets on which the processes listen at the URLs.
func socketsAt(t *testing.T, pids []int, urls ...string) []socket {
	t.Helper()
	var found []socket
	open := socketsOf(pids)
	for _, raw := range urls {
		u, err := url.Parse(raw)
		if err != nil {
			t.Fatal(err)
		}
		at := socket{address: u.Host}
		if i := slices.IndexFunc(open, func(s socket) bool { return s.address == u.Host }); i >= 0 {
			at = open[i]
		}
		found = append(found, at)
	}
	return found
}

// gone waits until none of the processes lives and the sockets are closed.
func gone(t *testing.T, pids []int, sockets []socket) {
	t.Helper()
	deadline := time.Now().Add(upPatience)
	for {
		var left []string
		for _, pid := range pids {
			if syscall.Kill(pid, 0) == nil && !zombie(pid) {
				left = append(left, "process "+strconv.Itoa(pid))
			}
		}
		for _, s := range stillOpen(sockets) {
			left = append(left, "port "+s.address)
		}
		if len(left) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("still there: %s", strings.Join(left, ", "))
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// zombie reports whether a process has ended and only its parent does not know yet.
func zombie(pid int) bool {
	out, err := exec.Command("ps", "-o", "stat=", "-p", strconv.Itoa(pid)).Output()
	return err != nil || strings.HasPrefix(strings.TrimSpace(string(out)), "Z")
}

// server returns where the API server of a kubeconfig is.
func server(t *testing.T, kubeconfig string) string {
	t.Helper()
	raw, err := os.ReadFile(kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(raw)) {
		if at, ok := strings.CutPrefix(strings.TrimSpace(line), "server: "); ok {
			return at
		}
	}
	t.Fatalf("no server in %s", raw)
	return ""
}

// TestSandbox runs the real binaries, one sandbox after the other: in the gate one in
// the background. TestKilledRunLeavesNothing kills what the same code has started.
func TestSandbox(t *testing.T) {
	b := buildBinaries(t)
	planetest.Slot(t)
	t.Run("Background", func(t *testing.T) { backgroundUntilDown(t, b) })
	if !planetest.InNightly() {
		return
	}
	t.Run("Interrupt", func(t *testing.T) { foregroundUntil(t, b, syscall.SIGINT) })
	t.Run("BrokenCCM", func(t *testing.T) { brokenCCMFailsFast(t, b) })
	t.Run("Kill", func(t *testing.T) { foregroundUntil(t, b, syscall.SIGKILL) })
}

// sandboxTopology has, beside what --nodes makes, a node with a kubelet, one
// without, and a machine that is no node.
const sandboxTopology = `
instances:
- {name: web, zone: zone-b}
- {name: light, labels: {sim.simcloud.dev/node: light}}
- {name: halted, state: stopped}
`

// sandboxProfile wants annotations of Services.
const sandboxProfile = `
apiVersion: simcloud.dev/v1alpha1
kind: Profile
metadata: {name: mine}
spec: {like: simcloud, serviceAnnotations: {example.com/kind: network, service.simcloud.dev/idle-timeout: 90s}}
`

// backgroundUntilDown runs a sandbox in the background and uses it as people do.
func backgroundUntilDown(t *testing.T, b binaries) {
	topology, profile := filepath.Join(t.TempDir(), "topology.yaml"), filepath.Join(t.TempDir(), "mine.yaml")
	err := errors.Join(os.WriteFile(topology, []byte(sandboxTopology), 0o600), os.WriteFile(profile, []byte(sandboxProfile), 0o600))
	if err != nil {
		t.Fatal(err)
	}
	out := b.must(t, "simcloud", "up", "--detach", "--nodes", "1", "--topology", topology, "--profile", profile, "--timeout", upTimeout.String())
	defer func() { _ = b.command("simcloud", "down").Run() }()
	if !strings.Contains(out, `eval "$(simcloud env)"`) {
		t.Errorf("summary %q, want how to go on", out)
	}
	status := b.awaitStatus(t, 3)
	nodes := b.must(t, "sh", "-c", `eval "$(simcloud env)"; kubectl get nodes -o name | sort`)
	if nodes != "node/light\nnode/node-1\nnode/web\n" {
		t.Errorf("kubectl get nodes: %q", nodes)
	}
	if log := b.must(t, "simcloud", "logs", "ccm"); log == "" {
		t.Error("the CCM has no log")
	}
	consoleShowsNodes(t, b, status.Endpoint)
	servicesAreAnnotated(t, b)
	again := b.command("simcloud", "up")
	if text, err := again.CombinedOutput(); err == nil || !strings.Contains(string(text), "runs already") {
		t.Errorf("a second up: %v, %s", err, text)
	}
	pids := family(t, status.PID)
	if len(pids) < 8 {
		t.Errorf("%d processes, want those of the control plane, two kubelets, the CCM and up itself", len(pids))
	}
	sockets := socketsAt(t, pids, status.Endpoint, server(t, status.Kubeconfig))
	b.must(t, "simcloud", "down")
	gone(t, pids, sockets)
	if _, err := os.Stat(b.sandboxDir()); !os.IsNotExist(err) {
		t.Errorf("the folder is still there: %v", err)
	}
	b.must(t, "simcloud", "down")
}

// consoleShowsNodes: the console of a sandbox has the Nodes of its cluster as they are, and what has happened to them.
func consoleShowsNodes(t *testing.T, b binaries, endpoint string) {
	t.Helper()
	token, err := os.ReadFile(filepath.Join(b.sandboxDir(), "token"))
	if err != nil {
		t.Fatal(err)
	}
	var shown console.Changes
	waittest.For(t, "the console to show the Nodes", func(ctx context.Context) error {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, endpoint+console.ClusterPath, nil)
		if err != nil {
			return err
		}
		req.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			return err
		}
		defer func() { _ = res.Body.Close() }()
		if err := json.NewDecoder(res.Body).Decode(&shown); err != nil {
			return err
		}
		unwell := func(n console.Node) bool { return n.State != "Ready" || len(n.Taints) > 0 || n.ProviderID == "" }
		if len(shown.Nodes) != 3 || slices.ContainsFunc(shown.Nodes, unwell) || shown.Trouble != "" {
			return fmt.Errorf("%+v", shown)
		}
		return nil
	})
	if !slices.ContainsFunc(shown.Records, func(r console.Record) bool { return r.Event != nil && r.Kind == "node" }) {
		t.Errorf("no Event of a Node is shown: %+v", shown.Records)
	}
}

// servicesAreAnnotated: Services of type LoadBalancer get the annotations of sandboxProfile that they do not have.
func servicesAreAnnotated(t *testing.T, b binaries) {
	t.Helper()
	const both = `{"example.com/kind":"network","service.simcloud.dev/idle-timeout":"90s"}`
	const try = ` --dry-run=server -o jsonpath='{.metadata.annotations}'`
	const local = `kubectl create service loadbalancer web --tcp=80 --dry-run=client -o yaml | kubectl annotate --local -f - -o yaml `
	for command, want := range map[string]string{
		`kubectl create service loadbalancer web --tcp=80` + try:                                      both,
		`kubectl create service clusterip web --tcp=80` + try:                                         "",
		`kubectl patch service kubernetes -p '{"spec": {"type": "LoadBalancer"}}'` + try:              both, // which becomes one
		local + `example.com/kind=classic | kubectl create -f -` + try:                                `{"example.com/kind":"classic","service.simcloud.dev/idle-timeout":"90s"}`,
		local + `service.simcloud.dev/idle-timeout=90s example.com/kind= | kubectl create -f -` + try: `{"example.com/kind":"","service.simcloud.dev/idle-timeout":"90s"}`,
	} {
		if got := b.must(t, "sh", "-c", `eval "$(simcloud env)"; `+command); got != want {
			t.Errorf("%s: got %q, want %q", command, got, want)
		}
	}
}

// foregroundUntil ends a sandbox in the foreground by a signal: nothing of it is left.
func foregroundUntil(t *testing.T, b binaries, signal syscall.Signal) {
	up, ended := b.start(t, "simcloud", "up", "--nodes", "1", "--ephemeral", "--timeout", upTimeout.String())
	status := awaitReady(t, b, ended)
	pids := family(t, up.Process.Pid)
	sockets := socketsAt(t, pids, status.Endpoint, server(t, status.Kubeconfig))
	if err := up.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
	crashes := signal == syscall.SIGKILL
	if err := <-ended; (err != nil) != crashes {
		t.Errorf("it ended with %v", err)
	}
	gone(t, pids, sockets)
	if crashes {
		if got := b.status(t).Phase; got != sandbox.PhaseCrashed {
			t.Errorf("phase %s, want %s", got, sandbox.PhaseCrashed)
		}
		b.must(t, "simcloud", "down")
	}
	if _, err := os.Stat(b.sandboxDir()); !os.IsNotExist(err) {
		t.Errorf("the folder is still there: %v", err)
	}
}

// brokenCCMFailsFast starts a sandbox whose CCM ends by itself.
func brokenCCMFailsFast(t *testing.T, b binaries) {
	up := b.command("simcloud", "up", "--nodes", "1", "--timeout", "1h", "--ccm", "/bin/sh -c 'echo cannot do; exit 4'")
	out, err := up.CombinedOutput()
	var ended *exec.ExitError
	if !errors.As(err, &ended) || ended.ExitCode() != exit.CodeEnvironment || !strings.Contains(string(out), "cannot do") || !strings.Contains(string(out), "exit status 4") {
		t.Errorf("got %v, want exit code %d and what the CCM said\n%s", err, exit.CodeEnvironment, out)
	}
	if log := b.must(t, "simcloud", "logs", "ccm"); log != "cannot do\n" {
		t.Errorf("the CCM's log after the failure: %q", log)
	}
	b.must(t, "simcloud", "down")
}

// awaitReady waits for the sandbox that up runs in the foreground.
func awaitReady(t *testing.T, b binaries, ended <-chan error) sandboxStatus {
	t.Helper()
	deadline := time.Now().Add(upPatience)
	for time.Now().Before(deadline) {
		select {
		case err := <-ended:
			t.Fatalf("up ended: %v", err)
		default:
		}
		raw, err := os.ReadFile(filepath.Join(b.sandboxDir(), "state.json"))
		if err == nil {
			var state sandboxStatus
			if err := json.Unmarshal(raw, &state); err == nil && state.Phase == sandbox.PhaseReady {
				return state
			}
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatal("up is not ready")
	return sandboxStatus{}
}
