package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// endAtOnceWhenAskedAgain gives the signals that ctx ends by their usual effect
// once it ended: a second Ctrl-C does not wait for an orderly end. What up
// started does not outlive it; "simcloud down" removes its folder. The result
// undoes it, unless ctx has ended.
func endAtOnceWhenAskedAgain(ctx context.Context) (undo func() bool) {
	return context.AfterFunc(ctx, func() { signal.Reset(os.Interrupt, syscall.SIGTERM) })
}
