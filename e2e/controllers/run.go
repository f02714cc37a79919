// Package controllers runs the controllers of k8s.io/cloud-provider (v0.37) as a part of this program. It does what the library's
// app does, without what belongs to a process: global flags, sockets, exits. So it can run in a testing/synctest bubble.
package controllers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/rest"
	cloudprovider "k8s.io/cloud-provider"
	controllersmetrics "k8s.io/component-base/metrics/prometheus/controllers"
	_ "k8s.io/controller-manager/pkg/features/register" // gates that the controllers ask for

	"github.com/simcloud-dev/simcloud/e2e/virtual"
)

// Config is a CCM.
type Config struct {
	// Kube is its access to the cluster. Its Transport may be in memory: the idle connections of that are closed at the end.
	Kube *rest.Config
	// Open makes the provider. Its error ends the CCM.
	Open func(ctx context.Context) (cloudprovider.Interface, error)
	// Flags are those of a binary with upstream's app. Refused are --feature-gates, which are global to this program, --version and
	// --enable-leader-migration. Without effect are those of the process's server and of its access to the
	// cluster, --use-service-account-credentials and the format of the log; --v counts for contextual loggers.
	Flags []string
	// Controllers are those besides upstream's, like [PVLabels].
	Controllers []Controller
	// Log gets the log. What goroutines of the CCM log through the global klog is there too.
	Log io.Writer
	// Identity is the holder of the lease; empty is the name of the host and a random id, as a process has.
	Identity string
	// Ended is called, unless it is nil, when the process has ended and before its goroutines are awaited. It is to cut the
	// provider off from its cloud, and to end what the provider lets wait for ever because it relies on the end of a process.
	Ended func()
	// ReleaseLease gives the lease up at the end, as simcloud-ccm does. Upstream's app keeps it until it expires.
	ReleaseLease bool
}

// Prepare makes global state fit for [Run], once in a program, and is [virtual.Prepare] with what the controllers add: their flags
// and metrics. Run does it too, but before the first bubble it is the caller's: what lives as long as the program is made then.
func Prepare() error { return prepared() }

var prepared = sync.OnceValue(func() error {
	if err := virtual.Prepare(); err != nil {
		return err
	}
	controllersmetrics.Register()
	_, err := parseFlags([]string{"--cloud-provider=none"}, nil, io.Discard) // freezes the registries of flags
	return err
})

// patience bounds the end of the main function, and lingering that of the other goroutines after it. A retry of upstream's does
// not know of the end, and may sleep for seconds. Some goroutines end with their process alone; a restart would be as late as
// they are waited for.
const (
	patience  = 30 * time.Second
	lingering = 5 * time.Second
)

// Run runs the CCM until ctx is done, and returns when the goroutines that it has started have ended, but for those
// of the connections of the provider's HTTP clients, which are its owner's. If the cause is [virtual.ErrKilled], no request leaves
// any more, not even the one that releases the lease; what the provider asks of its cloud is its owner's to cut. An error is an unexpected end, with the
// words that a process logs, or a [*virtual.LeftError] with goroutines that have not ended.
//
// A panic of a controller or of the provider in one of its goroutines ends Run as it ends a process: the log has
// "Observed a panic", the error begins with "panic: ", and no request leaves any more. So does klog.Fatal. See [virtual.Prepare] for what
// ends the program.
func Run(ctx context.Context, c Config) error {
	if err := Prepare(); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	open, shut := context.WithCancel(context.WithoutCancel(ctx))
	defer shut()
	defer context.AfterFunc(ctx, func() {
		if errors.Is(context.Cause(ctx), virtual.ErrKilled) {
			shut()
		}
	})()
	transport, err := newTransport(c.Kube)
	if err != nil {
		return err
	}
	m := &manager{Config: c, transport: &gate{open: open, life: ctx, next: transport}}
	p := virtual.Start(c.Log, func() error { return m.main(ctx) })
	await(ctx, p)
	cancel()
	shut()
	if c.Ended != nil {
		c.Ended()
	}
	utilnet.CloseIdleConnectionsFor(transport)
	defer utilnet.CloseIdleConnectionsFor(transport) // those that were not idle
	return errors.Join(ended(p), p.Wait(lingering))
}

// await waits until the process has ended: with patience, once it is told to.
func await(ctx context.Context, p *virtual.Process) {
	select {
	case <-p.Done():
		return
	case <-ctx.Done():
	}
	late := time.NewTimer(patience)
	defer late.Stop()
	select {
	case <-p.Done():
	case <-late.C:
	}
}

// ended is how the process ended. One that has not ended has a goroutine that Wait names.
func ended(p *virtual.Process) error {
	select {
	case <-p.Done():
		return p.Err()
	default:
		return nil
	}
}

// main is the main function of the CCM. Its error is the last line of the log, as of a process.
func (m *manager) main(ctx context.Context) error {
	err := m.run(ctx)
	if ctx.Err() != nil {
		return nil
	}
	_, _ = fmt.Fprintf(virtual.Current(), "%v\n", err)
	return err
}
