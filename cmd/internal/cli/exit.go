package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/escape"
)

// The exit codes of simcloud.
const (
	exitOK          = 0
	exitFailed      = 1 // the cloud refused, or a scenario failed
	exitUsage       = 2 // unusable input: a flag, an argument, a file
	exitEnvironment = 3 // the machine lacks something: a port, a binary, a readable data file, a cloud that answers
	exitInterrupted = 130
)

// exitError is an error with the exit code that it ends in.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string { return e.err.Error() }
func (e *exitError) Unwrap() error { return e.err }

// usageError marks err as the fault of the input.
func usageError(err error) error { return &exitError{exitUsage, err} }

// environmentError marks err as the fault of the machine.
func environmentError(err error) error { return &exitError{exitEnvironment, err} }

// printError prints err. Its text can be a caller's, or that of what listens in
// place of a cloud: only the first line begins at the margin.
func printError(stderr io.Writer, err error) {
	fmt.Fprintf(stderr, "simcloud: %s\n", strings.ReplaceAll(escape.Block(err.Error()), "\n", "\n  "))
}

// exitCode prints err, if any, and returns the code to exit with.
func exitCode(stderr io.Writer, err error) int {
	if err == nil {
		return exitOK
	}
	var marked *exitError
	switch {
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.As(err, &marked):
		printError(stderr, err)
		return marked.code
	}
	printError(stderr, err)
	switch simcloud.CodeOf(err) {
	case simcloud.Invalid:
		return exitUsage
	case simcloud.Unavailable, simcloud.Timeout, simcloud.Unauthenticated:
		return exitEnvironment
	default:
		return exitFailed
	}
}
