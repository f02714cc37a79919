package cli

import (
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/sandbox"
)

// elsewhere is a process that seems to run a sandbox.
type elsewhere struct {
	cmd   *exec.Cmd
	ended chan struct{}
}

// runsElsewhere makes a sandbox look as one that another process runs.
func runsElsewhere(t *testing.T, s sandbox.Folder) elsewhere {
	t.Helper()
	lock, err := s.Lock()
	if err != nil {
		t.Fatal(err)
	}
	e := elsewhere{exec.Command("sleep", "3600"), make(chan struct{})}
	if err := e.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if err := lock.Sign(s, e.cmd.Process.Pid); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = errors.Join(e.cmd.Wait(), lock.Release()) // it is killed
		close(e.ended)
	}()
	t.Cleanup(func() {
		_ = e.cmd.Process.Kill()
		<-e.ended
	})
	return e
}

// endedBy waits for the end of the process and returns the signal that ended it.
func (e elsewhere) endedBy() syscall.Signal {
	<-e.ended
	status, _ := e.cmd.ProcessState.Sys().(syscall.WaitStatus)
	return status.Signal()
}

// noEngines lets no container engine of this machine answer: what others have left there is theirs to remove.
func noEngines(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	for _, name := range engineNames {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\nexit 1\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
}

func TestDownEndsASandboxWhoseStateIsUnreadable(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	noEngines(t)
	s := testSandbox(t, "default")
	holder := runsElsewhere(t, s)
	if err := os.WriteFile(s.Path("state.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := simcloudMain("down"); code != exit.CodeOK || s.Exists() {
		t.Fatalf("code %d, %s, exists %v", code, errs, s.Exists())
	}
	if got := holder.endedBy(); got != syscall.SIGTERM {
		t.Errorf("the process ended by %v, want %v", got, syscall.SIGTERM)
	}
}

// A new run holds the lock while the state file is still that of a crashed one,
// whose pid may be another process's now.
func TestDownSignalsWhoHoldsTheLock(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	noEngines(t)
	s := testSandbox(t, "default")
	bystander := runsElsewhere(t, testSandbox(t, "other"))
	holder := runsElsewhere(t, s)
	if err := s.WriteState(sandbox.State{Name: "default", PID: bystander.cmd.Process.Pid, Phase: sandbox.PhaseReady}); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := simcloudMain("down"); code != exit.CodeOK {
		t.Fatalf("code %d, %s", code, errs)
	}
	if got := holder.endedBy(); got != syscall.SIGTERM {
		t.Errorf("the process that holds the lock ended by %v, want %v", got, syscall.SIGTERM)
	}
	select {
	case <-bystander.ended:
		t.Error("another process ended")
	default:
	}
}

func TestAPidOfACrashedRunIsNobodys(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	noEngines(t)
	s := testSandbox(t, "default")
	for range 2 { // the second finds the file of the first
		lock, err := s.Lock()
		if err != nil {
			t.Fatal(err)
		}
		if pid, signed := s.Holder(); signed {
			t.Errorf("a holder that has not signed: %d", pid)
		}
		if err := lock.Sign(s, os.Getpid()); err != nil {
			t.Fatal(err)
		}
		if pid, signed := s.Holder(); !signed || pid != os.Getpid() {
			t.Errorf("got %d, %v, want %d", pid, signed, os.Getpid())
		}
		if err := lock.Release(); err != nil {
			t.Fatal(err)
		}
		if pid, signed := s.Holder(); signed {
			t.Errorf("no process holds it: %d", pid)
		}
	}
}

// listen listens on a port until the test ends, and returns its address.
func listen(t *testing.T) string {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	return listener.Addr().String()
}

func TestDownLeavesThePortOfACrashedSandboxToWhoHasItNow(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	noEngines(t)
	s := testSandbox(t, "default")
	lock := runs(t, s, sandbox.State{Name: "default", Phase: sandbox.PhaseReady, Endpoint: "http://" + listen(t)})
	if err := lock.Release(); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := simcloudMain("down"); code != exit.CodeOK || s.Exists() {
		t.Errorf("code %d, %s, exists %v", code, errs, s.Exists())
	}
}

// A port that the sandbox has released may be another's before the test looks.
func TestDownLeavesAPortOfASandboxThatEndsToWhoHasItNow(t *testing.T) {
	t.Parallel()
	if !sandbox.SeesChildren() {
		t.Skip("there is no /proc to see in that its processes are gone")
	}
	s := sandbox.Folder{Name: "default", Dir: t.TempDir()}
	runsElsewhere(t, s)
	if err := s.WriteState(sandbox.State{Name: s.Name, Phase: sandbox.PhaseReady, Endpoint: "http://" + listen(t)}); err != nil {
		t.Fatal(err)
	}
	if err := endProcesses(t.Context(), s, time.Minute); err != nil {
		t.Error(err)
	}
}

func TestAnInterruptedWaitForPortsIsNoSuccess(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := awaitClosed(ctx, []string{listen(t)}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}

func TestDownWaitsForTheProcessesOfACrashedSandbox(t *testing.T) {
	if !sandbox.SeesChildren() {
		t.Skip("there is no /proc to find them in")
	}
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	noEngines(t)
	s := testSandbox(t, "default")
	child := exec.CommandContext(t.Context(), "sleep", "3600")
	child.Env = append(os.Environ(), sandbox.EnvDir+"="+s.Dir)
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	visible, cancel := context.WithTimeout(t.Context(), upPatience)
	defer cancel()
	err := sandbox.Poll(visible, func() (bool, error) { return len(s.Children()) > 0, nil }) // its environment comes a moment after it
	if err != nil {
		t.Fatalf("it is not found: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*sandbox.PollPeriod)
	defer cancel()
	if err := s.AwaitChildren(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("while it lives: %v, want to wait until %v", err, context.DeadlineExceeded)
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait() // killed
	if err := s.AwaitChildren(t.Context()); err != nil {
		t.Errorf("when it is gone: %v", err)
	}
}

// TestDownLeavesTheAPIOfOthers: the cluster of --backend existing serves on when the sandbox has ended.
func TestDownLeavesTheAPIOfOthers(t *testing.T) {
	s := sandbox.Folder{Name: "default", Dir: t.TempDir()}
	config := clientcmdapi.NewConfig()
	config.Clusters["c"] = &clientcmdapi.Cluster{Server: "https://127.0.0.1:6443"}
	config.Contexts["c"] = &clientcmdapi.Context{Cluster: "c"}
	config.CurrentContext = "c"
	if err := clientcmd.WriteToFile(*config, s.Path("kubeconfig")); err != nil {
		t.Fatal(err)
	}
	for backend, want := range map[string][]string{
		backendExisting: {"127.0.0.1:1"},
		backendKind:     {"127.0.0.1:1", "127.0.0.1:6443"},
	} {
		state := sandbox.State{Backend: backend, Endpoint: "http://127.0.0.1:1", Kubeconfig: s.Path("kubeconfig")}
		if err := s.WriteState(state); err != nil {
			t.Fatal(err)
		}
		if got := portsOf(s); !slices.Equal(got, want) {
			t.Errorf("%s: it waits for %v, want %v", backend, got, want)
		}
	}
}
