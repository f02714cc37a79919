package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/sandbox"
)

// testSandbox returns a sandbox in a state folder of the test's own.
func testSandbox(t *testing.T, name string) sandbox.Folder {
	t.Helper()
	s, err := sandbox.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// runs makes a sandbox look as one that runs in this process.
func runs(t *testing.T, s sandbox.Folder, state sandbox.State) *sandbox.Lock {
	t.Helper()
	lock, err := s.Lock()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = lock.Release() })
	if err := errors.Join(lock.Sign(s, os.Getpid()), s.WriteState(state)); err != nil {
		t.Fatal(err)
	}
	return lock
}

// lockedBuffer allows concurrent writes, as a file does: a command that is interrupted
// reports it while it ends.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// simcloudMain runs the command line and returns its exit code and what it wrote.
func simcloudMain(args ...string) (code int, out, errs string) {
	var o, e lockedBuffer
	code = run(args, output.Streams{In: strings.NewReader(""), Out: &o, Err: &e})
	return code, o.String(), e.String()
}

func TestSandboxNames(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	for name, ok := range map[string]bool{
		"default": true, "a": true, "my-1": true, "": false, "../x": false, "A": false, "-a": false, "a/b": false, strings.Repeat("a", 41): false,
	} {
		if _, err := sandbox.Open(name); (err == nil) != ok {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestSandboxFolderFollowsXDG(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_STATE_HOME", "")
	if got, want := testSandbox(t, "default").Dir, filepath.Join(home, ".local/state/simcloud/default"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	t.Setenv("XDG_STATE_HOME", "/state")
	if got, want := testSandbox(t, "default").Dir, "/state/simcloud/default"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestASandboxRunsWhileItsLockIsHeld(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	s := testSandbox(t, "default")
	if s.Running() || s.Exists() {
		t.Error("it runs before it is there")
	}
	lock := runs(t, s, sandbox.State{Name: "default", PID: os.Getpid(), Phase: sandbox.PhaseReady})
	if _, err := s.Lock(); !errors.Is(err, sandbox.ErrRuns) {
		t.Errorf("second lock: %v, want %v", err, sandbox.ErrRuns)
	}
	if state, err := s.ReadState(); err != nil || state.Phase != sandbox.PhaseReady {
		t.Errorf("phase %q, %v", state.Phase, err)
	}
	if err := lock.Release(); err != nil {
		t.Fatal(err)
	}
	// The state file names a living process, this one: a pid that was used again.
	if state, err := s.ReadState(); err != nil || state.Phase != sandbox.PhaseCrashed || s.Running() {
		t.Errorf("phase %q, %v, running %v: no process holds the lock, so none runs it", state.Phase, err, s.Running())
	}
}

// TestWhoAsksDoesNotRunIt: to find out whether a sandbox runs takes its lock for a moment.
func TestWhoAsksDoesNotRunIt(t *testing.T) {
	t.Parallel()
	s := sandbox.Folder{Name: "default", Dir: t.TempDir()}
	asks, err := os.OpenFile(s.Path("lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err == nil {
		err = syscall.Flock(int(asks.Fd()), syscall.LOCK_SH)
	}
	if err != nil {
		t.Fatal(err)
	}
	tooSoon := make(chan bool, 1)
	go func() {
		time.Sleep(2 * sandbox.PollPeriod) // it must have found the lock held
		tooSoon <- s.Running()
		_ = asks.Close()
	}()
	lock, err := s.Lock()
	if err != nil {
		t.Fatalf("while another process asks: %v", err)
	}
	if <-tooSoon {
		t.Error("it took the lock from who asked")
	}
	if _, err := s.Lock(); !errors.Is(err, sandbox.ErrRuns) {
		t.Errorf("while a process holds it that has not signed: %v, want %v", err, sandbox.ErrRuns)
	}
	if err := lock.Release(); err != nil {
		t.Fatal(err)
	}
}

func TestFindSandbox(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	if _, err := sandbox.Find(""); err == nil || !strings.Contains(err.Error(), "simcloud up") {
		t.Errorf("none: %v, want an error that says how to start one", err)
	}
	runs(t, testSandbox(t, "b"), sandbox.State{Name: "b"})
	if s, err := sandbox.Find(""); err != nil || s.Name != "b" {
		t.Errorf("the only one: %v, %v", s.Name, err)
	}
	runs(t, testSandbox(t, "c"), sandbox.State{Name: "c"})
	if _, err := sandbox.Find(""); err == nil || !strings.Contains(err.Error(), "b, c") {
		t.Errorf("two: %v, want an error that names both", err)
	}
	runs(t, testSandbox(t, "default"), sandbox.State{Name: "default"})
	if s, err := sandbox.Find(""); err != nil || s.Name != "default" {
		t.Errorf("the default one goes first: %v, %v", s.Name, err)
	}
	if _, err := sandbox.Find("d"); err == nil || !strings.Contains(err.Error(), "--sandbox d") {
		t.Errorf("one that does not run: %v", err)
	}
}

func TestUpRefusesASecondSandboxOfTheName(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	runs(t, testSandbox(t, "default"), sandbox.State{Name: "default", PID: os.Getpid(), Phase: sandbox.PhaseReady})
	for _, args := range [][]string{{"up", "--ccm", "none"}, {"up", "--ccm", "none", "--detach"}} {
		code, _, errs := simcloudMain(args...)
		if code != exit.CodeUsage || !strings.Contains(errs, "runs already") || !strings.Contains(errs, "simcloud down") {
			t.Errorf("%v: code %d, %s", args, code, errs)
		}
	}
}

func TestUpRefusesBadFlags(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	for flag, args := range map[string][]string{
		"--nodes":       {"--nodes", "-1"},
		"--backend":     {"--backend", "minikube"},
		"--progression": {"--progression", "never"},
		"--data":        {"--data", "x.db", "--ephemeral"},
		"--sandbox":     {"--sandbox", "No/Way"},
		"--ccm":         {"--ccm", "/no/such/ccm --x"},
		"--bogus":       {"--bogus"},
		"extra":         {"extra"},
	} {
		code, _, errs := simcloudMain(append([]string{"up"}, args...)...)
		if code != exit.CodeUsage || !strings.Contains(errs, flag) {
			t.Errorf("%v: code %d, %s; want %d and a message that names %s", args, code, errs, exit.CodeUsage, flag)
		}
	}
	if entries, _ := os.ReadDir(filepath.Join(os.Getenv("XDG_STATE_HOME"), "simcloud")); len(entries) > 0 {
		t.Errorf("bad input left %v behind", entries)
	}
}

func TestEnv(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Setenv("PATH", "/usr/bin:/bin")
	if code, _, errs := simcloudMain("env"); code != exit.CodeEnvironment || !strings.Contains(errs, "simcloud up") {
		t.Errorf("no sandbox: code %d, %s", code, errs)
	}
	runs(t, testSandbox(t, "default"), sandbox.State{
		Name: "default", PID: os.Getpid(), Phase: sandbox.PhaseReady,
		Endpoint: "http://127.0.0.1:1", TokenFile: "/it's/token", Kubeconfig: "/k", Path: "/sandbox/bin",
	})
	code, out, errs := simcloudMain("env")
	want := "export SIMCLOUD_SANDBOX='default'\nexport SIMCLOUD_ENDPOINT='http://127.0.0.1:1'\nexport SIMCLOUD_TOKEN_FILE='/it'\\''s/token'\nexport KUBECONFIG='/k'\nexport PATH='/sandbox/bin:/usr/bin:/bin'\n"
	if diff := cmp.Diff(want, out); code != exit.CodeOK || diff != "" {
		t.Errorf("code %d, %s(-want +got):\n%s", code, errs, diff)
	}
	_, out, _ = simcloudMain("env", "-o", "json")
	var object map[string]string
	if err := json.Unmarshal([]byte(out), &object); err != nil || object["SIMCLOUD_TOKEN_FILE"] != "/it's/token" {
		t.Errorf("json: %v: %s", err, out)
	}
	if code, _, errs := simcloudMain("env", "-o", "fish"); code != exit.CodeUsage || !strings.Contains(errs, "must be shell or json") {
		t.Errorf("unknown format: code %d, %s", code, errs)
	}
}

func TestPathGetsTheFolderOnce(t *testing.T) {
	t.Parallel()
	if got := withFolder(withFolder("/bin", "/s"), "/s"); got != "/s:/bin" {
		t.Errorf("got %s", got)
	}
}

func TestKubectlIsLinkedForPeopleWhoHaveNone(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	u := &up{sandbox: testSandbox(t, "default")}
	tools := t.TempDir()
	t.Setenv("PATH", tools)
	dir, err := u.linkKubectl("/opt/simcloud-kube")
	if err != nil {
		t.Fatal(err)
	}
	if to, err := os.Readlink(filepath.Join(dir, "kubectl")); err != nil || to != "/opt/simcloud-kube" {
		t.Errorf("link to %q, %v", to, err)
	}
	if err := os.WriteFile(filepath.Join(tools, "kubectl"), []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if dir, err := u.linkKubectl("/opt/simcloud-kube"); err != nil || dir != "" {
		t.Errorf("got %q, %v: there is a kubectl", dir, err)
	}
}

func TestLogs(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	s := testSandbox(t, "default")
	if code, _, errs := simcloudMain("logs"); code != exit.CodeEnvironment || !strings.Contains(errs, "simcloud up") {
		t.Errorf("no sandbox: code %d, %s", code, errs)
	}
	for path, text := range map[string]string{
		s.Path("logs", "ccm.log"): "from the ccm\n", s.Path("logs", "simcloud.log"): "from the cloud\n", s.Path("kube", "logs", "etcd.log"): "from etcd\n",
	} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		args []string
		want string
	}{{nil, "from the cloud\n"}, {[]string{"ccm"}, "from the ccm\n"}, {[]string{"etcd"}, "from etcd\n"}} {
		if code, out, errs := simcloudMain(append([]string{"logs"}, c.args...)...); code != exit.CodeOK || out != c.want {
			t.Errorf("logs %v: code %d, %q, %s", c.args, code, out, errs)
		}
	}
	if code, _, errs := simcloudMain("logs", "etdc"); code != exit.CodeUsage || !strings.Contains(errs, "ccm, etcd, simcloud") {
		t.Errorf("unknown component: code %d, %s; want the list", code, errs)
	}
}

func TestFollowerGoesOnWhereItWas(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "log")
	var out bytes.Buffer
	f := &follower{path: path}
	for _, text := range []string{"a\n", "", "b\nc"} {
		file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		_, err = file.WriteString(text)
		if err := errors.Join(err, file.Close(), f.copy(&out)); err != nil {
			t.Fatal(err)
		}
	}
	if got := out.String(); got != "a\nb\nc" {
		t.Errorf("got %q", got)
	}
}

func TestDown(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	if code, _, errs := simcloudMain("down"); code != exit.CodeOK {
		t.Errorf("nothing there: code %d, %s", code, errs)
	}
	s := testSandbox(t, "default")
	lock := runs(t, s, sandbox.State{Name: "default", PID: os.Getpid(), Phase: sandbox.PhaseReady, Endpoint: "http://127.0.0.1:1"})
	if err := lock.Release(); err != nil {
		t.Fatal(err)
	}
	// It crashed, and its pid is this process's now: that must live.
	if code, _, errs := simcloudMain("down"); code != exit.CodeOK || s.Exists() {
		t.Errorf("crashed: code %d, %s, exists %v", code, errs, s.Exists())
	}
}

func TestStatusOfACrashedSandbox(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	s := testSandbox(t, "old")
	lock := runs(t, s, sandbox.State{Name: "old", Phase: sandbox.PhaseReady, Started: time.Unix(0, 0)})
	if err := lock.Release(); err != nil {
		t.Fatal(err)
	}
	code, out, errs := simcloudMain("status", "--name", "old", "-o", "json")
	var got sandboxStatus
	if err := json.Unmarshal([]byte(out), &got); code != exit.CodeOK || err != nil || got.Phase != sandbox.PhaseCrashed {
		t.Errorf("code %d, %v, phase %q, %s", code, err, got.Phase, errs)
	}
	if code, _, errs := simcloudMain("status"); code != exit.CodeEnvironment || !strings.Contains(errs, "simcloud up") {
		t.Errorf("without a name: code %d, %s", code, errs)
	}
}

// TestFollowerReadsToTheEnd: a process that ends may take its log with it, and
// what it said last is shown all the same.
func TestFollowerReadsToTheEnd(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	s := testSandbox(t, "default")
	log, err := prepareBackground(s)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = log.Close() }()
	var out bytes.Buffer
	f := &follower{file: log}
	for _, text := range []string{"a\n", "the last words\n"} {
		_, err := log.WriteString(text)
		if err := errors.Join(err, s.Remove(), f.copy(&out)); err != nil {
			t.Fatal(err)
		}
	}
	if got := out.String(); got != "a\nthe last words\n" {
		t.Errorf("got %q", got)
	}
}
