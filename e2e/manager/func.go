package manager

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime/debug"
	"strings"
	"time"

	cloudprovider "k8s.io/cloud-provider"

	"github.com/simcloud-dev/simcloud/e2e/control"
	"github.com/simcloud-dev/simcloud/e2e/process"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// inProcess runs a CCM as a function of this process.
type inProcess struct{ *CCM }

func (i inProcess) prepare(ctx context.Context) error { return Grant(ctx, i.deps.Kube.Client) }

// tokenRenewed has nothing to do: the function reads the file itself.
func (inProcess) tokenRenewed(context.Context) error { return nil }

// launch tries once more, with another port, when another process took the port meanwhile.
func (i inProcess) launch(ctx context.Context, settings control.Settings) (ccmRun, endpoint, error) {
	run, at, err := i.start(ctx, settings)
	if process.LostPort(err) {
		run, at, err = i.start(ctx, settings)
	}
	return run, at, err
}

// start calls the function and returns when it is healthy, if it serves its health.
func (i inProcess) start(ctx context.Context, settings control.Settings) (ccmRun, endpoint, error) {
	run, at, err := i.call(ctx, settings)
	if err != nil {
		return nil, at, err
	}
	if !i.subject.serves() {
		return run, at, nil
	}
	limit := i.deps.Timings.Start
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("not healthy within %s", limit))
	defer cancel()
	if err := run.awaitHealthy(ctx, healthzOf(at)); err != nil {
		return nil, at, errors.Join(err, run.Kill())
	}
	return run, at, nil
}

func (i inProcess) launchFailing(ctx context.Context, settings control.Settings) (log string, err error) {
	run, _, err := i.call(ctx, settings)
	if err != nil {
		return "", err
	}
	select {
	case <-run.done:
	case <-ctx.Done():
		err = simcloud.Errorf(simcloud.Conflict, "ccm", "the cloud controller manager has not ended: it should fail: %w", context.Cause(ctx))
		return "", errors.Join(err, run.Kill())
	}
	if run.err == nil {
		return "", simcloud.Errorf(simcloud.Conflict, "ccm", "the cloud controller manager ended without an error: it should fail")
	}
	return strings.Join(append(i.LogTail(failLogLines), run.err.Error()), "\n"), nil
}

// call calls the function with all that it needs.
func (i inProcess) call(ctx context.Context, settings control.Settings) (*funcRun, endpoint, error) {
	if i.leader != nil {
		return nil, endpoint{}, simcloud.Errorf(simcloud.Unimplemented, "ccm", "a cloud controller manager in this process has no second replica")
	}
	port, err := i.deps.freePort(ctx)
	if err != nil {
		return nil, endpoint{}, err
	}
	values, err := i.files.placeholders(i.deps, port)
	if err != nil {
		return nil, endpoint{}, err
	}
	log, err := os.OpenFile(i.files.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, endpoint{}, fmt.Errorf("open the log of the cloud controller manager: %w", err)
	}
	access, err := i.files.access(i.deps, i.subject, settings, values)
	if err != nil {
		return nil, endpoint{}, errors.Join(err, log.Close())
	}
	reach := i.deps.reach(i.name)
	run := &funcRun{patience: i.deps.Timings.Stop, done: make(chan struct{}), disconnect: reach.transport.CloseIdleConnections}
	access.Transport, access.DialContext, access.SecurePort, access.Log = reach.transport, reach.dial, port, log
	run.start(i.subject.Run, access, log)
	return run, endpoint{loopback, port}, nil
}

// funcRun is a function from its call until it has returned.
type funcRun struct {
	patience   time.Duration // with its end
	disconnect func()        // closes the connections that it leaves idle
	cancel     context.CancelFunc
	done       chan struct{}
	err        error // set before done is closed
}

// start calls the function in a goroutine, and closes the log after it.
func (r *funcRun) start(f Func, access Access, log io.Closer) {
	ctx, cancel := context.WithCancel(context.Background())
	r.cancel = cancel
	go func() {
		defer close(r.done)
		defer cancel()
		defer r.disconnect()
		r.err = errors.Join(recovered(func() error { return f(ctx, access) }), log.Close())
	}()
}

// recovered makes a panic an error.
func recovered(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return f()
}

// awaitHealthy waits until the function serves. One that returns before is an error.
func (r *funcRun) awaitHealthy(ctx context.Context, healthy func(context.Context) error) error {
	tick := time.NewTicker(healthPeriod)
	defer tick.Stop()
	for {
		err := probed(ctx, healthy)
		if err == nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-r.done:
			return fmt.Errorf("it has ended: %w", r.Err())
		case <-ctx.Done():
			return fmt.Errorf("wait for it to be healthy: %w (%w)", context.Cause(ctx), err)
		}
	}
}

// probeTimeout bounds one question for health: a port can be open without a server behind it.
const probeTimeout = 5 * time.Second

func probed(ctx context.Context, healthy func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	return healthy(ctx)
}

// Stop tells the function to return, and waits for that as long as a process may take to end.
func (r *funcRun) Stop(ctx context.Context) error {
	r.cancel()
	ctx, cancel := context.WithTimeout(ctx, r.patience)
	defer cancel()
	select {
	case <-r.done:
		return nil
	case <-ctx.Done():
		return simcloud.Errorf(simcloud.Timeout, "ccm", "the cloud controller manager was told to end and has not returned: %w", context.Cause(ctx))
	}
}

// Kill is Stop: nothing else ends a function.
func (r *funcRun) Kill() error { return r.Stop(context.Background()) }

// Pause answers Unimplemented.
func (*funcRun) Pause() error {
	return simcloud.Errorf(simcloud.Unimplemented, "ccm", "a cloud controller manager in this process cannot be paused")
}

// Resume answers Unimplemented.
func (r *funcRun) Resume() error { return r.Pause() }

// Done is closed when the function has returned.
func (r *funcRun) Done() <-chan struct{} { return r.done }

// Err says how the function ended by itself.
func (r *funcRun) Err() error {
	if r.err == nil {
		return errors.New("its function returned without an error")
	}
	return r.err
}

// Func is a CCM that runs in this process: it works until ctx is done, and
// returns when all that it has started has ended. An error before that is an
// unexpected end, as it is of a process.
type Func func(ctx context.Context, access Access) error

// Access is what a CCM in this process gets.
type Access struct {
	// Kubeconfig is the file with its access to the cluster, CloudConfig the
	// file that simcloud-ccm reads, and TokenFile that with the cloud's token.
	Kubeconfig, CloudConfig, TokenFile string
	// Endpoint is the URL of the cloud. Transport carries HTTP to it, and
	// DialContext connects to it; neither is nil. A CCM that works on every
	// backend makes its client of one of them, because there may be no socket.
	// Idle connections of Transport are closed when the CCM has ended.
	Endpoint    string
	Transport   http.RoundTripper
	DialContext func(ctx context.Context, network, address string) (net.Conn, error)
	ClusterName string
	ClusterCIDR string // of the pods
	// SecurePort is a free port, where /healthz is waited for when the subject Serves.
	SecurePort int
	// Dir is a folder of its own.
	Dir string
	// Env are the assignments of the subject's Env, as NAME=value, and ConfigFiles the paths of its config files by name: both
	// with their placeholders filled in. The environment of this process, which all of it shares, is as it was.
	Env         []string
	ConfigFiles map[string]string
	// Flags are all flags that simcloud-ccm gets, with those of the scenario at their end.
	Flags []string
	// Log is the CCM's log: what is said of failures is read there.
	Log io.Writer
}

// OpenProvider makes a provider. The access says where its cloud is and which token it
// takes; a provider that is configured by a file of its own writes that first.
type OpenProvider func(ctx context.Context, access Access) (cloudprovider.Interface, error)

// InProcess makes a subject of a function. With serves the CCM serves
// /healthz on the secure port, and has started when it is healthy; else it has
// started when the function was called.
func InProcess(name string, run Func, serves bool) CCMSpec {
	s := CCMSpec{Name: name, Run: run}
	if serves {
		s.Args = []string{phFlags}
	}
	return s
}

// InProcess reports whether the CCM runs in this process: it cannot be killed then,
// nor paused, nor have a second replica.
func (s CCMSpec) InProcess() bool { return s.Run != nil || s.Provider != nil }
