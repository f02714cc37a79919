// Command simcloud is a cloud simulator and a test harness for Kubernetes
// cloud controller managers.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() { os.Exit(run(os.Args[1:], stdio{os.Stdin, os.Stdout, os.Stderr})) }

// run is main without the process: tests call it.
func run(args []string, io stdio) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	defer endAtOnceWhenAskedAgain(ctx)()
	root := newRootCommand(io)
	root.SetArgs(args)
	return exitCode(io.err, root.ExecuteContext(ctx))
}
