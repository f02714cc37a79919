// Package cli is the command line of simcloud: its commands, what they print, and the codes they exit with.
package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
)

// Main runs the command that the arguments name on the standard streams. It returns the code to exit with.
func Main(args []string) int {
	return run(args, output.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr})
}

// run is Main with any streams.
func run(args []string, io output.Streams) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	defer endAtOnceWhenAskedAgain(ctx)()
	root := newRootCommand(io)
	root.SetArgs(args)
	return exit.Report(io.Err, root.ExecuteContext(ctx))
}

// echo is how soon after a signal another one is the same request: timeout(1) sends a
// signal to the process, and then to its group, which has the process in it.
const echo = time.Second

// endAtOnceWhenAskedAgain gives the signals that ctx ends by their usual effect
// once it ended: a second Ctrl-C does not wait for an orderly end. No process
// outlives it; "simcloud down", or the next "simcloud test", removes the
// folder. The result undoes it, unless ctx has ended.
func endAtOnceWhenAskedAgain(ctx context.Context) (undo func() bool) {
	return afterEcho(ctx, func() { signal.Reset(os.Interrupt, syscall.SIGTERM) })
}

// afterEcho calls do when ctx ended and the echo of the signal that has ended it is over.
func afterEcho(ctx context.Context, do func()) (undo func() bool) {
	return context.AfterFunc(ctx, func() { time.AfterFunc(echo, do) })
}
