package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// endAtOnceWhenAskedAgain gives the signals that ctx ends by their usual effect
// once it ended: a second Ctrl-C does not wait for an orderly end. No process
// outlives it; "simcloud down", or the next "simcloud test", removes the
// folder. The result undoes it, unless ctx has ended.
func endAtOnceWhenAskedAgain(ctx context.Context) (undo func() bool) {
	return context.AfterFunc(ctx, func() { signal.Reset(os.Interrupt, syscall.SIGTERM) })
}
