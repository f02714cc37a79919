package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"k8s.io/klog/v2"

	"github.com/simcloud-dev/simcloud/ccm"
)

// process is what the parts of this process know of each other. They come to
// be one after the other, and a signal may come at any time.
type process struct {
	stderr io.Writer
	cloud  atomic.Pointer[ccm.Cloud]
	lease  atomic.Pointer[lease]
}

// What is done between a signal and the end is bounded: that calls end, that
// the lease is given up, both from the signal on, and that the framework returns.
const (
	finishTimeout  = 5 * time.Second
	releaseTimeout = 8 * time.Second
	endTimeout     = time.Second
)

// stopped returns a channel that closes after the first SIGINT or SIGTERM,
// once the process may end. The second ends it at once.
func (p *process) stopped() <-chan struct{} {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	stop := make(chan struct{})
	go func() {
		klog.InfoS("Stopping", "signal", <-signals)
		go func() {
			<-signals
			os.Exit(exitFailed)
		}()
		if p.finish() {
			os.Exit(exitOK)
		}
		close(stop)
		// The framework does not look at the channel while it waits to lead with leader migration.
		time.Sleep(endTimeout)
		klog.Flush()
		os.Exit(exitOK)
	}()
	return stop
}

// finish lets the calls under way end, and then the next leader begin. The
// controllers run on meanwhile, since the framework cannot stop them while
// it leads; but they cannot change the cloud any more.
//
// It reports whether the lease was given up. Then the process has to end at
// once: the framework renews the lease as long as it can, and would have it again.
func (p *process) finish() (released bool) {
	ctx, cancel := context.WithTimeout(context.Background(), releaseTimeout)
	defer cancel()
	if err := p.endCalls(ctx); err != nil {
		klog.ErrorS(err, "A call of the cloud is still under way")
		return false
	}
	held := p.lease.Load()
	if held == nil {
		return false
	}
	klog.Flush() // there is no time for it afterwards
	if err := held.release(ctx); err != nil {
		klog.ErrorS(err, "The lease was not given up; the next leader waits until it is over")
		return false
	}
	return true
}

func (p *process) endCalls(ctx context.Context) error {
	cloud := p.cloud.Load()
	if cloud == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, finishTimeout)
	defer cancel()
	return cloud.Finish(ctx)
}
