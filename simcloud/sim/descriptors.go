package sim

import (
	"errors"
	"log/slog"
	"net"
	"sync"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// quiet is how long no connection must have failed for the next failure to be told again.
const quiet = time.Minute

// descriptors notes when a cloud cannot accept connections because its process, or the machine, has no file descriptor left. The
// connections that are open go on, and net/http tries again.
type descriptors struct {
	log    *slog.Logger
	now    func() time.Time
	failed prometheus.Counter

	mu   sync.Mutex
	last time.Time // of the failures
}

func newDescriptors(log *slog.Logger) *descriptors {
	return &descriptors{log: log, now: time.Now, failed: prometheus.NewCounter(prometheus.CounterOpts{
		Name: "simcloud_accept_failures_total", Help: "How often a connection could not be accepted for want of file descriptors.",
	})}
}

// note is called with the result of each Accept.
func (d *descriptors) note(err error) {
	if !errors.Is(err, syscall.EMFILE) && !errors.Is(err, syscall.ENFILE) {
		return
	}
	d.failed.Inc()
	d.mu.Lock()
	now := d.now()
	tell := now.Sub(d.last) > quiet
	d.last = now
	d.mu.Unlock()
	if !tell {
		return
	}
	var limit syscall.Rlimit
	_ = syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) // 0 says that it is not known
	d.log.Warn("no file descriptor is left: new connections wait, and open ones go on; raise the limit (ulimit -n), or let clients open fewer connections",
		"limit", limit.Cur, "error", err)
}

// watchedListener notes what Accept returns.
type watchedListener struct {
	net.Listener

	note func(error)
}

// Accept implements net.Listener.
func (l watchedListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	l.note(err)
	return conn, err
}
