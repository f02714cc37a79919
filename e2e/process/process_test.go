package process_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/e2e/process"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/wait"
	"github.com/simcloud-dev/simcloud/simcloud/wait/waittest"
)

// shell is a process that runs a script, and is ready when the script made the file "ready".
func shell(t *testing.T, script string) process.Spec {
	t.Helper()
	dir := t.TempDir()
	return process.Spec{
		Name: "script", Path: "/bin/sh", Args: []string{"-c", script}, Dir: dir,
		LogFile: filepath.Join(dir, "logs", "script.log"),
		Ready: func(context.Context) error {
			_, err := os.Stat(filepath.Join(dir, "ready"))
			return err
		},
	}
}

func start(t *testing.T, spec process.Spec) *process.Process {
	t.Helper()
	p, err := process.Start(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Kill() })
	return p
}

func TestStartFails(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		change func(*testing.T, *process.Spec)
		script string
		want   []string
	}{
		"NoProgram": {
			change: func(_ *testing.T, s *process.Spec) { s.Path = "/no/such/program" },
			want:   []string{"/no/such/program", "no such file"},
		},
		"EndsEarly": {
			script: "for i in 1 2 3; do echo line $i; done; echo broken >&2; exit 7",
			want:   []string{"script ended before it was ready", "line 3\n  broken", "script.log", "exit status 7"},
		},
		"EndsEarlyInOrder": {script: "exit 0", want: []string{"ended before it was ready", "exited by itself"}},
		"NeverReady": {
			change: func(t *testing.T, s *process.Spec) {
				s.StartTimeout = 300 * time.Millisecond
				ready := s.Ready
				s.Ready = func(ctx context.Context) error { // it may take longer than that to say something
					waittest.For(t, "work", func() bool { _, err := os.Stat(filepath.Join(s.Dir, "works")); return err == nil })
					return ready(ctx)
				}
			},
			script: "echo at work; touch works; sleep 1000",
			want:   []string{"was not ready within 300ms", "at work", "ready: no such file"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec := shell(t, tt.script)
			if tt.change != nil {
				tt.change(t, &spec)
			}
			p, err := process.Start(t.Context(), spec)
			if err == nil {
				t.Fatalf("started: %v", p)
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("no %q in: %v", want, err)
				}
			}
			if !errors.Is(err, simcloud.Unavailable) {
				t.Errorf("%v is not Unavailable", err)
			}
		})
	}
}

// TestStartCancelled also proves that an abandoned process is gone, since Start waits for its end.
func TestStartCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	spec := shell(t, "echo $$ > pid; sleep 1000")
	go func() {
		defer cancel()
		err := wait.Until(ctx, 5*time.Millisecond, func(context.Context) (bool, error) { return readPID(filepath.Join(spec.Dir, "pid")) != 0, nil })
		if err != nil {
			t.Error(err)
		}
	}()
	if _, err := process.Start(ctx, spec); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
	wantGone(t, readPID(filepath.Join(spec.Dir, "pid")))
}

// wantGone: the process is gone, and what it started has been killed, which takes its time.
func wantGone(t *testing.T, pid int) {
	t.Helper()
	if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("process %d lives: %v", pid, err)
	}
	waittest.For(t, "end of the group", func() bool { return !alive(pid) })
}

func TestEndsByItself(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]string{
		"touch ready; read -r x < fifo; exit 3":     "exit status 3",
		"touch ready; read -r x < fifo; exit 0":     "exited by itself",
		"touch ready; read -r x < fifo; kill -9 $$": "killed",
	} {
		spec := shell(t, script)
		fifo := filepath.Join(spec.Dir, "fifo")
		if err := syscall.Mkfifo(fifo, 0o600); err != nil {
			t.Fatal(err)
		}
		p := start(t, spec)
		if p.Err() != nil {
			t.Errorf("%s: Err is %v while it runs", script, p.Err())
		}
		f, err := os.OpenFile(fifo, os.O_RDWR, 0) // both, so that neither side waits for the other to open
		if err != nil {
			t.Fatal(err)
		}
		if _, err := fmt.Fprintln(f, "go"); err != nil {
			t.Fatal(err)
		}
		<-p.Done()
		_ = f.Close()
		if p.Err() == nil || !strings.Contains(p.Err().Error(), want) {
			t.Errorf("%s: Err is %v, want %q", script, p.Err(), want)
		}
		if err := errors.Join(p.Stop(t.Context()), p.Kill(), p.Pause(), p.Resume()); err != nil {
			t.Errorf("%s: after the end: %v", script, err)
		}
	}
}

func TestStop(t *testing.T) {
	t.Parallel()
	const untilTerm = "trap 'echo bye; exit 0' TERM; touch ready; while :; do sleep 0.05; done"
	t.Run("InOrder", func(t *testing.T) {
		t.Parallel()
		p := start(t, shell(t, untilTerm))
		if err := p.Stop(t.Context()); err != nil {
			t.Errorf("stop: %v", err)
		}
		if tail := p.LogTail(1); len(tail) != 1 || tail[0] != "bye" {
			t.Errorf("the log ends with %q: it did not stop in order", tail)
		}
		if p.Err() != nil {
			t.Errorf("Err is %v after Stop", p.Err())
		}
	})
	t.Run("Paused", func(t *testing.T) {
		t.Parallel()
		p := start(t, shell(t, untilTerm))
		if err := p.Pause(); err != nil {
			t.Fatal(err)
		}
		if err := p.Stop(t.Context()); err != nil {
			t.Errorf("a paused process did not stop in order: %v", err)
		}
	})
	t.Run("Deaf", func(t *testing.T) {
		t.Parallel()
		spec := shell(t, "trap '' TERM; touch ready; while :; do sleep 0.05; done")
		spec.StopTimeout = 200 * time.Millisecond
		p := start(t, spec)
		if err := p.Stop(t.Context()); err == nil || !strings.Contains(err.Error(), "did not end within 200ms") {
			t.Errorf("got %v, want an error that says that it was killed", err)
		}
		wantGone(t, p.PID())
	})
	t.Run("Impatient", func(t *testing.T) {
		t.Parallel()
		p := start(t, shell(t, "trap '' TERM; touch ready; while :; do sleep 0.05; done"))
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := p.Stop(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want context.Canceled", err)
		}
		wantGone(t, p.PID())
	})
}

// TestGroup proves that what a process started ends with it, however it ends.
func TestGroup(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*process.Process) error{
		"Stop":     func(p *process.Process) error { return p.Stop(t.Context()) },
		"Kill":     (*process.Process).Kill,
		"ByItself": func(p *process.Process) error { return syscall.Kill(p.PID(), syscall.SIGKILL) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := start(t, shell(t, "(trap '' TERM; sleep 1000) & sleep 1000 & touch ready; wait"))
			if err := end(p); err != nil {
				t.Fatal(err)
			}
			<-p.Done()
			waittest.For(t, "end of the group", func() bool { return !alive(p.PID()) })
		})
	}
}

func TestPause(t *testing.T) {
	t.Parallel()
	// Without commands of its own: a shell that waits for a stopped vfork is in another state.
	spec := shell(t, "touch ready; i=0; while :; do i=$((i+1)); [ $((i % 5000)) != 0 ] || echo tick; done")
	p := start(t, spec)
	size := func() int64 {
		info, err := os.Stat(spec.LogFile)
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	grows := func() { before := size(); waittest.For(t, "more lines", func() bool { return size() > before }) }
	grows()
	if err := p.Pause(); err != nil {
		t.Fatal(err)
	}
	waittest.For(t, "state stopped", func() bool { return state(p.PID()) == "T" })
	if err := p.Resume(); err != nil {
		t.Fatal(err)
	}
	grows()
}

func TestLogTail(t *testing.T) {
	t.Parallel()
	spec := shell(t, "echo one; echo two; touch ready; sleep 1000")
	for range 2 { // the second appends, and its tail is its own
		_ = os.Remove(filepath.Join(spec.Dir, "ready"))
		p := start(t, spec)
		if got := strings.Join(p.LogTail(5), ","); got != "one,two" {
			t.Errorf("tail is %q", got)
		}
		if got := strings.Join(p.LogTail(1), ","); got != "two" {
			t.Errorf("last line is %q", got)
		}
		if err := p.Kill(); err != nil {
			t.Fatal(err)
		}
	}
	log, err := os.ReadFile(spec.LogFile)
	if err != nil || string(log) != "one\ntwo\none\ntwo\n" {
		t.Errorf("log is %q, %v", log, err)
	}
}

func TestRun(t *testing.T) {
	t.Parallel()
	if err := process.Run(t.Context(), shell(t, "exit 0")); err != nil {
		t.Errorf("exit 0: %v", err)
	}
	err := process.Run(t.Context(), shell(t, "echo reason; exit 2"))
	if err == nil || !strings.Contains(err.Error(), "reason") || !strings.Contains(err.Error(), "exit status 2") {
		t.Errorf("exit 2: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if err := process.Run(ctx, shell(t, "sleep 1000")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("time-out: %v", err)
	}
}
