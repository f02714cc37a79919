// Package exit is how commands end: the exit codes, and errors that lead to one.
package exit

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
	CodeOK          = 0
	CodeFailed      = 1 // the cloud refused, or a scenario failed
	CodeUsage       = 2 // unusable input: a flag, an argument, a file
	CodeEnvironment = 3 // the machine lacks something: a port, a binary, a readable data file, a cloud that answers
	CodeInterrupted = 130
)

// Error is an error with the exit code that it ends in.
type Error struct {
	Code int
	Err  error
}

func (e *Error) Error() string { return e.Err.Error() }
func (e *Error) Unwrap() error { return e.Err }

// Usage marks err as the fault of the input.
func Usage(err error) error { return &Error{CodeUsage, err} }

// Environment marks err as the fault of the machine.
func Environment(err error) error { return &Error{CodeEnvironment, err} }

// errReported stands for an error that the user has read already.
var errReported = errors.New("reported already")

// Reported ends with a code and prints nothing: another program has told what is wrong.
func Reported(code int) error { return &Error{code, errReported} }

// printError prints err. Its text can be a caller's, or that of what listens in
// place of a cloud: only the first line begins at the margin.
func printError(stderr io.Writer, err error) {
	fmt.Fprintf(stderr, "simcloud: %s\n", strings.ReplaceAll(escape.Block(err.Error()), "\n", "\n  "))
}

// Report prints err, if any, and returns the code to exit with.
func Report(stderr io.Writer, err error) int {
	if err == nil {
		return CodeOK
	}
	var marked *Error
	switch {
	case errors.Is(err, context.Canceled):
		return CodeInterrupted
	case errors.As(err, &marked):
		if !errors.Is(err, errReported) {
			printError(stderr, err)
		}
		return marked.Code
	}
	printError(stderr, err)
	switch simcloud.CodeOf(err) {
	case simcloud.Invalid:
		return CodeUsage
	case simcloud.Unavailable, simcloud.Timeout, simcloud.Unauthenticated:
		return CodeEnvironment
	default:
		return CodeFailed
	}
}
