// Command testserver is what the pods of scenarios run: a server that says who
// answered and whom it sees, over HTTP, TCP and UDP, and the clients to ask it
// with from within a pod. It is one static binary of the standard library, so
// that an image needs nothing beside it.
//
//	testserver serve --http :8080 --tcp :8082 --udp :8081 --drain 5s
//	testserver get http://10.0.0.1:8080/hostname
//	testserver udp 10.0.0.1:8081 clientip
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	os.Exit(run(context.Background(), os.Args[1:], signals, os.Stdout, os.Stderr))
}

// The exit codes of testserver.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

const usage = `testserver serve [--http ADDRESS] [--tcp ADDRESS] [--udp ADDRESS] [--proxy-protocol] [--drain DURATION]
testserver get [--timeout DURATION] URL
testserver tcp [--timeout DURATION] ADDRESS TEXT
testserver udp [--timeout DURATION] ADDRESS TEXT
`

// errUsage is an error of the command line, which has been reported already.
var errUsage = errors.New("wrong usage")

// run runs a command. What comes over signals ends a server, in order.
func run(ctx context.Context, args []string, signals <-chan os.Signal, stdout, stderr io.Writer) int {
	var err error
	switch {
	case len(args) == 0:
		fmt.Fprint(stderr, usage)
		return exitUsage
	case args[0] == "serve":
		err = serve(ctx, args[1:], signals, stderr)
	case args[0] == "get":
		err = get(ctx, args[1:], stdout, stderr)
	case args[0] == "tcp", args[0] == "udp":
		err = ask(ctx, args[0], args[1:], stdout, stderr)
	default:
		fmt.Fprintf(stderr, "testserver %s: there is no such command\n%s", args[0], usage)
		return exitUsage
	}
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return exitOK
	case errors.Is(err, errUsage):
		return exitUsage
	default:
		fmt.Fprintf(stderr, "testserver %s: %v\n", args[0], err)
		return exitFailed
	}
}

// parse reads flags and wants so many arguments after them.
func parse(flags *flag.FlagSet, args []string, want int, stderr io.Writer) error {
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprint(stderr, usage)
		flags.PrintDefaults()
	}
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return err
	case err != nil:
		return errUsage
	case flags.NArg() != want:
		fmt.Fprintf(stderr, "testserver %s: %d arguments after the flags, want %d\n%s", flags.Name(), flags.NArg(), want, usage)
		return errUsage
	}
	return nil
}
