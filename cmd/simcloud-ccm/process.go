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

// What is done between a signal and the end is bounded: that calls end and the
// lease is given up, and then that the framework returns.
const (
	finishTimeout = 5 * time.Second
	endTimeout    = time.Second
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
		p.finish()
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
func (p *process) finish() {
	ctx, cancel := context.WithTimeout(context.Background(), finishTimeout)
	defer cancel()
	if cloud := p.cloud.Load(); cloud != nil {
		if err := cloud.Finish(ctx); err != nil {
			klog.ErrorS(err, "A call of the cloud is still under way")
			return
		}
	}
	if held := p.lease.Load(); held != nil {
		if err := held.release(ctx); err != nil {
			klog.ErrorS(err, "The lease was not given up; the next leader waits until it is over")
		}
	}
}
