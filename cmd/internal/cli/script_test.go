package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	bolt "go.etcd.io/bbolt"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/sandbox"
)

// envBin names a folder with simcloud and simcloud-ccm as make builds them, which tests run instead
// of building them, and instead of this binary, which is a slow one under the race detector.
const envBin = "SIMCLOUD_BIN"

// endAtOnce lets a process that the race detector watches end at once: by itself it waits for a second, in each of the
// hundreds of commands of these tests.
const endAtOnce = "atexit_sleep_ms=0"

// TestMain lets tests run this program as the command simcloud, in a process of its own.
func TestMain(m *testing.M) {
	if os.Getenv("GORACE") == "" {
		if err := os.Setenv("GORACE", endAtOnce); err != nil {
			panic(err) // never: the name is a good one
		}
	}
	testscript.Main(onPath{m}, map[string]func(){"simcloud": func() { os.Exit(Main(os.Args[1:])) }})
}

// onPath runs tests with the folder of envBin at the beginning of PATH.
type onPath struct{ *testing.M }

func (p onPath) Run() int {
	if dir := os.Getenv(envBin); dir != "" {
		if err := os.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH")); err != nil {
			panic(err) // never: the name is a good one
		}
	}
	return p.M.Run()
}

// TestScripts runs the command line as a user does. The scripts have commands of their own:
//
//	serve ARGS...            start "simcloud serve ARGS", which the end of the script stops
//	halt                     end it with SIGTERM, which must end well
//	exits CODE COMMAND...    run a command that must end in this code
//	newer FILE               make a data file one of a newer version
//	knock PATH AGENT         send a request without a token; AGENT may have escapes as Go writes them
//	appears FILE REGEXP      wait until a file, which another process writes, has a match
func TestScripts(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = taken.Close() })
	foreign := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(foreign.Close)
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"serve": scriptServe, "halt": scriptHalt, "exits": scriptExits, "newer": scriptNewer,
			"appears": scriptAppears, "knock": scriptKnock,
		},
		Setup: func(env *testscript.Env) error {
			env.Values[runningKey{}] = new(served)
			env.Setenv("XDG_STATE_HOME", env.WorkDir)
			env.Setenv("GORACE", os.Getenv("GORACE"))
			env.Setenv("TAKEN", taken.Addr().String())
			env.Setenv("FOREIGN", foreign.URL)
			return nil
		},
	})
}

// served is a "simcloud serve" that runs.
type served struct {
	cmd   *exec.Cmd
	lines []string      // what it has printed until it was ready
	ended chan struct{} // closed when all of its output has been read
}

// startServe returns when the cloud is ready.
func startServe(dir string, env, args []string) (*served, error) {
	path, err := exec.LookPath("simcloud")
	if err != nil {
		return nil, err
	}
	s := &served{cmd: exec.Command(path, append([]string{"serve"}, args...)...), ended: make(chan struct{})}
	s.cmd.Dir, s.cmd.Env = dir, env
	var stderr strings.Builder
	s.cmd.Stderr = &stderr
	stdout, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	scan := bufio.NewScanner(stdout)
	for len(s.lines) < 2 && scan.Scan() {
		s.lines = append(s.lines, scan.Text())
	}
	go func() {
		defer close(s.ended)
		_, _ = io.Copy(io.Discard, stdout)
	}()
	if len(s.lines) < 2 {
		return nil, errors.Join(fmt.Errorf("serve did not get ready: %v", s.lines), s.wait(), errors.New(stderr.String()))
	}
	return s, nil
}

// url is where it serves, as it has said.
func (s *served) url() string { return strings.TrimPrefix(s.lines[0], "simcloud ready on ") }

func (s *served) wait() error {
	<-s.ended
	return s.cmd.Wait()
}

// end sends a signal and waits.
func (s *served) end(signal syscall.Signal) error {
	return errors.Join(s.cmd.Process.Signal(signal), s.wait())
}

// runningKey is where a script keeps the cloud that it has started.
type runningKey struct{}

func scriptServe(ts *testscript.TestScript, _ bool, args []string) {
	env := append(os.Environ(), "TMPDIR="+ts.Getenv("TMPDIR"))
	s, err := startServe(ts.Getenv("WORK"), env, args)
	ts.Check(err)
	ts.Defer(func() { _ = s.end(syscall.SIGKILL) }) // fails when the script has stopped it
	ts.Setenv("SIMCLOUD_ENDPOINT", s.url())
	ts.Setenv("READY", strings.Join(s.lines, "\n"))
	*ts.Value(runningKey{}).(*served) = *s
}

func scriptHalt(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Check(ts.Value(runningKey{}).(*served).end(syscall.SIGTERM))
}

func scriptExits(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	var ended *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &ended) {
		got = ended.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// scriptNewer raises the version that a data file has.
func scriptNewer(ts *testscript.TestScript, _ bool, args []string) {
	db, err := bolt.Open(ts.MkAbs(args[0]), 0o600, nil)
	ts.Check(err)
	ts.Check(db.Update(func(tx *bolt.Tx) error {
		return tx.Bucket([]byte("meta")).Put([]byte("schema"), []byte("99"))
	}))
	ts.Check(db.Close())
}

// scriptKnock calls the cloud as someone who has no token, and is turned away.
func scriptKnock(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: knock PATH AGENT")
	}
	agent, err := strconv.Unquote(`"` + args[1] + `"`)
	ts.Check(err)
	req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, ts.Getenv("SIMCLOUD_ENDPOINT")+args[0], nil)
	ts.Check(err)
	req.Header.Set("User-Agent", agent)
	res, err := http.DefaultClient.Do(req)
	ts.Check(err)
	ts.Check(res.Body.Close())
	if res.StatusCode != http.StatusUnauthorized {
		ts.Fatalf("it answered %s", res.Status)
	}
}

// scriptAppears waits for what a command in the background has yet to write.
func scriptAppears(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: appears FILE REGEXP")
	}
	want, err := regexp.Compile(args[1])
	ts.Check(err)
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	var text []byte
	err = sandbox.Poll(ctx, func() (bool, error) {
		text, err = os.ReadFile(ts.MkAbs(args[0]))
		if errors.Is(err, os.ErrNotExist) {
			return false, nil
		}
		return want.Match(text), err
	})
	if err != nil {
		ts.Fatalf("no match for %#q in %s, which has\n%s\n%v", args[1], args[0], text, err)
	}
}
