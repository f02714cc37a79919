package manager

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"k8s.io/client-go/rest"
	cloudprovider "k8s.io/cloud-provider"

	"github.com/simcloud-dev/simcloud/e2e/control"
	"github.com/simcloud-dev/simcloud/e2e/simulated/bubble"
	"github.com/simcloud-dev/simcloud/e2e/virtual"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/wire"
)

// simulated runs a provider in this process, with the controllers of k8s.io/cloud-provider, on a network in memory. It can be
// killed and paused, and have a second replica, as a process can: its host on the network is cut off, or held.
type simulated struct{ *CCM }

func (s simulated) prepare(ctx context.Context) error { return onHost(s).prepare(ctx) }

// tokenRenewed has nothing to do: the provider reads the file itself.
func (simulated) tokenRenewed(context.Context) error { return nil }

// launch returns when the provider is open.
func (s simulated) launch(ctx context.Context, settings control.Settings) (ccmRun, endpoint, error) {
	run, err := s.start(settings)
	if err != nil {
		return nil, endpoint{}, err
	}
	select {
	case <-run.open:
		return run, endpoint{}, nil
	case <-run.done:
		return nil, endpoint{}, fmt.Errorf("it has ended: %w", run.Err())
	case <-ctx.Done():
		return nil, endpoint{}, errors.Join(context.Cause(ctx), run.Kill())
	}
}

func (s simulated) launchFailing(ctx context.Context, settings control.Settings) (log string, err error) {
	run, err := s.start(settings)
	if err != nil {
		return "", err
	}
	select {
	case <-run.done:
		if run.err == nil {
			return "", simcloud.Errorf(simcloud.Conflict, "ccm", "the cloud controller manager ended without an error: it should fail")
		}
		return strings.Join(s.LogTail(failLogLines), "\n"), nil
	case <-ctx.Done():
		err = simcloud.Errorf(simcloud.Conflict, "ccm", "the cloud controller manager has not ended: it should fail: %w", context.Cause(ctx))
		return "", errors.Join(err, run.Kill())
	}
}

// start begins to run the provider and its controllers.
func (s simulated) start(settings control.Settings) (*simulatedRun, error) {
	const noPort = 0 // nothing is served
	values, err := s.files.placeholders(s.deps, noPort)
	if err != nil {
		return nil, err
	}
	log, err := os.OpenFile(s.files.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the log of the cloud controller manager: %w", err)
	}
	access, err := s.files.access(s.deps, s.subject, settings, values)
	if err != nil {
		return nil, errors.Join(err, log.Close())
	}
	host := s.deps.Wire.Host(s.name)
	host.Join()
	kube := rest.AnonymousClientConfig(s.deps.Kube.Config)
	kube.BearerToken, kube.Transport = s.files.token.secrets.latest(clusterSecret), s.api.delaying(host.Transport())
	run := &simulatedRun{host: host, patience: s.deps.Timings.Stop, open: make(chan struct{}), done: make(chan struct{})}
	cloud := host.Transport()
	cloud.DialContext = run.dial
	ctx, cancel := context.WithCancelCause(context.Background())
	run.cancel = cancel
	access.Transport, access.DialContext, access.Log = cloud, run.dial, log
	go func() {
		defer close(run.done)
		defer cancel(nil)
		err := run.main(ctx, s.deps.RunProvider, s.subject, access, kube)
		giveUp(err, log)
		run.err = errors.Join(err, log.Close())
		cloud.CloseIdleConnections()
	}()
	return run, nil
}

// giveUp gives the goroutines up that a process has left behind, as an error says: its end would have ended them. The log names them.
func giveUp(err error, log io.Writer) {
	if left := (*virtual.LeftError)(nil); errors.As(err, &left) {
		_, _ = fmt.Fprintf(log, "the provider lets goroutines wait for the end of its process: %v\n", left)
		bubble.GiveUp(left.Count)
	}
}

// simulatedRun is a provider with its controllers, from its start until all its goroutines have ended.
type simulatedRun struct {
	host     *wire.Host
	patience time.Duration // with its end
	cancel   context.CancelCauseFunc
	over     atomic.Bool   // whether the process has ended: goroutines that are left reach nothing any more
	open     chan struct{} // closed when the provider is open
	cloud    cloudprovider.Interface
	done     chan struct{}
	err      error // set before done is closed
}

func (r *simulatedRun) main(ctx context.Context, run ProviderRunner, subject CCMSpec, access Access, kube *rest.Config) error {
	return run(ctx, ProviderConfig{
		Kube: kube, Flags: access.Flags, Log: access.Log,
		Open: func(ctx context.Context) (cloudprovider.Interface, error) {
			cloud, err := subject.Provider(ctx, access)
			if err != nil {
				return nil, err
			}
			r.cloud = cloud
			close(r.open)
			return cloud, nil
		},
		Ended: r.ended,
	})
}

// ender is a provider that has calls wait for the end of its process.
type ender interface{ End() }

// errOver is what goroutines get that have outlived their process.
var errOver = errors.New("the process of the cloud controller manager has ended")

// dial connects the provider to its cloud. The next process has the same host, and other connections.
func (r *simulatedRun) dial(ctx context.Context, network, address string) (net.Conn, error) {
	if r.over.Load() {
		return nil, errOver
	}
	return r.host.DialContext(ctx, network, address)
}

// ended cuts the provider off from its cloud, and lets what waits for that return.
func (r *simulatedRun) ended() {
	r.over.Store(true)
	r.host.Cut()
	select {
	case <-r.open:
		if e, ok := r.cloud.(ender); ok {
			e.End()
		}
	default:
	}
}

// finisher is a provider that lets calls under way end before its process does.
type finisher interface {
	Finish(ctx context.Context) error
}

// finishTimeout is how long calls under way may take when a process is told to end, as with simcloud-ccm.
const finishTimeout = 5 * time.Second

// Stop tells it to end, and returns when all its goroutines have ended.
func (r *simulatedRun) Stop(ctx context.Context) error {
	select {
	case <-r.open:
		if f, ok := r.cloud.(finisher); ok {
			finish, cancel := context.WithTimeout(ctx, finishTimeout)
			_ = f.Finish(finish) // what is under way then is cut off
			cancel()
		}
	default:
	}
	return r.end(ctx, nil)
}

// Kill cuts it off, so that nothing more leaves it, and returns when all its goroutines have ended.
func (r *simulatedRun) Kill() error {
	r.over.Store(true)
	r.host.Cut()
	r.host.Release()
	return r.end(context.Background(), virtual.ErrKilled)
}

func (r *simulatedRun) end(ctx context.Context, why error) error {
	r.cancel(why)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	select {
	case <-r.done:
		return nil
	case <-ctx.Done():
		return simcloud.Errorf(simcloud.Timeout, "ccm", "the cloud controller manager was told to end and has not returned: %w", context.Cause(ctx))
	}
}

// Pause lets nothing in or out. Its timers go on, but what they lead to waits.
func (r *simulatedRun) Pause() error {
	r.host.Hold()
	return nil
}

// Resume lets all through that waits.
func (r *simulatedRun) Resume() error {
	r.host.Release()
	return nil
}

// Done is closed when all its goroutines have ended.
func (r *simulatedRun) Done() <-chan struct{} { return r.done }

// Err says how it ended by itself.
func (r *simulatedRun) Err() error {
	if r.err == nil {
		return errors.New("its main function returned without an error")
	}
	return r.err
}
