package virtual_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/klog/v2"

	"github.com/simcloud-dev/simcloud/e2e/virtual"
)

func TestMain(m *testing.M) {
	if err := virtual.Prepare(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// limit is how long goroutines may take to end.
const limit = time.Minute

// TestLog: what a goroutine of a process logs, however deep it was started, is in the log of that process alone.
func TestLog(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"one", "two", "three"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { logsOwn(t, name) })
		})
	}
}

func logsOwn(t *testing.T, name string) {
	var log strings.Builder
	p := virtual.Start(&log, func() error {
		deep := make(chan struct{})
		go func() {
			go func() {
				defer close(deep)
				for range 20 {
					time.Sleep(time.Second)
					klog.Infof("unstructured of %s", name)
					klog.InfoS("Structured", "by", name)
					klog.FromContext(context.Background()).Info("Contextual", "by", name)
				}
				utilruntime.HandleError(errors.New("handled by " + name))
			}()
		}()
		<-deep
		return nil
	})
	klog.Info("of no process")
	if err := finished(p); err != nil {
		t.Error(err)
	}
	for line := range strings.Lines(log.String()) {
		if !strings.Contains(line, name) {
			t.Errorf("the log has a line of another process: %s", line)
		}
	}
	for text, want := range map[string]int{"] unstructured of " + name: 20, `] "Structured" by="` + name + `"`: 20, `] "Contextual" by="` + name + `"`: 20, `err="handled by `: 1, "I0101 00:00:": 60} {
		if got := strings.Count(log.String(), text); got != want {
			t.Errorf("%d times %q in the log, want %d:\n%s", got, text, want, log.String())
		}
	}
}

// finished waits for the end of a process and of its goroutines.
func finished(p *virtual.Process) error {
	<-p.Done()
	return errors.Join(p.Err(), p.Wait(limit))
}

// TestEnds: what ends a process ends the virtual one, with the same words in its log.
func TestEnds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		main  func(ctx context.Context) error
		err   string
		lines []string // of the log
	}{
		{"returns an error", func(context.Context) error { return errors.New("no flags") }, "no flags", nil},
		{"panics", func(context.Context) error { panic("boom") }, "panic: boom", []string{"panic: boom\n\ngoroutine "}},
		{"a worker panics", func(ctx context.Context) error {
			go wait.UntilWithContext(ctx, func(context.Context) { panic(errors.New("boom")) }, time.Second)
			<-ctx.Done()
			return nil
		}, "panic: boom", []string{`"Observed a panic" panic="boom"`, "\npanic: boom [recovered, repanicked]\n\ngoroutine "}},
		{"klog.Fatal", func(ctx context.Context) error {
			go klog.Fatalf("no %s", "cloud")
			<-ctx.Done()
			return nil
		}, "exit status 255", []string{"] no cloud\n"}},
		{"klog.FlushAndExit in main", func(context.Context) error {
			klog.FlushAndExit(time.Second, 7)
			return nil
		}, "exit status 7", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				var log strings.Builder
				p := virtual.Start(&log, func() error { return c.main(ctx) })
				<-p.Done()
				cancel()
				if err := p.Wait(limit); err != nil {
					t.Error(err)
				}
				if err := p.Err(); err == nil || err.Error() != c.err {
					t.Errorf("it ended with %v, want %s", err, c.err)
				}
				for _, line := range c.lines {
					if !strings.Contains(log.String(), line) {
						t.Errorf("no %q in the log:\n%s", line, log.String())
					}
				}
			})
		})
	}
}

// TestWait: it awaits what ends by itself later, and names what does not.
func TestWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		stop := make(chan struct{})
		p := virtual.Start(t.Output(), func() error {
			go time.Sleep(limit / 2)
			for range 3 {
				go leaked(stop)
			}
			return nil
		})
		err := p.Wait(limit)
		left := (*virtual.LeftError)(nil)
		if !errors.As(err, &left) || left.Count != 3 || len(left.Stacks) != 1 {
			t.Fatalf("got %v", err)
		}
		if !strings.Contains(err.Error(), "3 goroutines have not ended 1m0s after they were told to") || !strings.Contains(err.Error(), "virtual_test.leaked") {
			t.Errorf("got %v", err)
		}
		close(stop)
	})
}

func leaked(stop chan struct{}) { <-stop }
