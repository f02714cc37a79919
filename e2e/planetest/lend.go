package planetest

import (
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/e2e"
	"github.com/simcloud-dev/simcloud/e2e/embedded"
	"github.com/simcloud-dev/simcloud/e2e/manager"
	"github.com/simcloud-dev/simcloud/e2e/slots"
	"github.com/simcloud-dev/simcloud/simcloud/sim"
)

// stopTimeout bounds the end of the lent cluster.
const stopTimeout = 2 * time.Minute

// lent is the cluster of this test binary. It is one per process by its nature: tests
// that borrow it run one after the other.
var lent lender

// lender keeps a cluster from one test to the next.
type lender struct {
	mu      sync.Mutex // held by the test that has the cluster
	cluster *e2e.Cluster
	subject manager.CCMSpec
	dir     string
	log     logSwitch
}

// Main runs the tests of a package, ends the cluster that they have borrowed, and
// returns the exit code. TestMain calls it.
func Main(m *testing.M) int {
	code := m.Run()
	if err := lent.close(); err != nil {
		_, _ = os.Stderr.WriteString("stop the cluster that tests have borrowed: " + err.Error() + "\n")
		return max(code, 1)
	}
	return code
}

// Borrow lends an empty cluster on the embedded backend, whose CCM is the subject and
// is not started, to a test and its subtests. The first test of a subject starts it; it is
// reset after each. Tests that borrow wait for each other, so none may borrow two.
func Borrow(t *testing.T, subject manager.CCMSpec) *e2e.Cluster {
	t.Helper()
	kube := Kube(t)
	lent.mu.Lock()
	t.Cleanup(lent.mu.Unlock)
	if err := lent.ready(t, kube, subject); err != nil {
		t.Fatal(err)
	}
	lent.log.to(t.Output())
	t.Cleanup(func() {
		lent.log.to(io.Discard)
		lent.takeBack(t)
	})
	return lent.cluster
}

// Return ends the lent cluster, so that a test can start one of its own with its slot.
func Return(t testing.TB) {
	t.Helper()
	if err := lent.close(); err != nil {
		t.Fatal(err)
	}
}

// ready starts the cluster unless there is one of the subject.
func (l *lender) ready(t *testing.T, kube string, subject manager.CCMSpec) error {
	t.Helper()
	if l.cluster != nil && reflect.DeepEqual(l.subject, subject) {
		return nil
	}
	if err := l.stop(); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "simcloud-planetest-")
	if err != nil {
		return err
	}
	l.dir = dir
	backend, err := embedded.New(embedded.Config{Dir: filepath.Join(dir, "kube"), Kube: kube})
	if err != nil {
		return err
	}
	l.log.to(t.Output())
	l.subject = subject
	l.cluster, err = e2e.Start(t.Context(), e2e.Config{
		Dir: dir, Backend: backend, Cloud: sim.Config{Ephemeral: true, Seed: 1}, Subject: subject,
		Log: slog.New(slog.NewTextHandler(&l.log, nil)), Slot: slots.Taking(func(line string) { t.Log(line) }),
	})
	return err
}

// takeBack empties the cluster. One that cannot be emptied is not lent again, nor is
// one whose test has failed: a retry shall not begin with what is left of it.
func (l *lender) takeBack(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), stopTimeout)
	defer cancel()
	err := l.cluster.Reset(ctx)
	if err != nil {
		t.Errorf("reset the borrowed cluster: %v", err)
	}
	if err != nil || t.Failed() {
		if err := l.stop(); err != nil {
			t.Error(err)
		}
	}
}

func (l *lender) close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.stop()
}

// stop ends the cluster, if there is one.
func (l *lender) stop() error {
	if l.cluster == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	err := l.cluster.Stop(ctx)
	l.cluster = nil
	if err == nil {
		err = os.RemoveAll(l.dir)
	}
	return err
}

// logSwitch writes to the output of the test that has the cluster.
type logSwitch struct {
	mu sync.Mutex
	w  io.Writer
}

func (s *logSwitch) to(w io.Writer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.w = w
}

// Write writes a line.
func (s *logSwitch) Write(line []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.w == nil {
		return len(line), nil
	}
	return s.w.Write(line)
}
