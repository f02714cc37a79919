package sim

import (
	"bytes"
	"errors"
	"log/slog"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// failingListener answers these errors in turn.
type failingListener struct {
	net.Listener

	errs []error
}

func (l *failingListener) Accept() (net.Conn, error) {
	err := l.errs[0]
	l.errs = l.errs[1:]
	return nil, err
}

// TestDescriptorsAreTold: the log says once that no descriptor is left, and again when that begins another time.
func TestDescriptorsAreTold(t *testing.T) {
	t.Parallel()
	full := &net.OpError{Op: "accept", Err: os.NewSyscallError("accept4", syscall.EMFILE)}
	var log bytes.Buffer
	d := newDescriptors(slog.New(slog.NewTextHandler(&log, nil)))
	now := time.Unix(1000, 0)
	d.now = func() time.Time { return now }
	l := watchedListener{&failingListener{errs: []error{errors.New("another"), full, full, nil, full, full, nil, full}}, d.note}
	for i, pause := range []time.Duration{0, 0, time.Second, time.Second, 50 * time.Second, 50 * time.Second, time.Second, 2 * time.Minute} {
		now = now.Add(pause)
		_, _ = l.Accept() // what it returns is the listener's
		want := 0
		switch {
		case i >= 7:
			want = 2
		case i >= 1:
			want = 1
		}
		if got := strings.Count(log.String(), "no file descriptor is left"); got != want {
			t.Fatalf("after call %d the log has %d lines, want %d:\n%s", i, got, want, log.String())
		}
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(d.failed)
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	if n := families[0].GetMetric()[0].GetCounter().GetValue(); n != 5 {
		t.Errorf("%v failures are counted", n)
	}
}
