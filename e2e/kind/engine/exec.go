package engine

import (
	"bytes"
	"context"
	"errors"
	"io"
)

// Exec runs a command in a container and returns what it wrote to its standard
// output. Without stdin it reads nothing. The error of a command that fails is
// an *ExitError; it has a code only when the engine could not run it.
func (e *Engine) Exec(ctx context.Context, container string, stdin io.Reader, argv ...string) ([]byte, error) {
	var stdout bytes.Buffer
	err := e.ExecTo(ctx, container, stdin, &stdout, argv...)
	return stdout.Bytes(), err
}

// ExecTo is Exec for a command that writes much.
func (e *Engine) ExecTo(ctx context.Context, container string, stdin io.Reader, stdout io.Writer, argv ...string) error {
	args := []string{"exec"}
	if stdin != nil {
		args = append(args, "--interactive")
	}
	err := e.stream(ctx, stdin, stdout, append(append(args, container), argv...)...)
	var exit *ExitError
	if errors.As(err, &exit) && !isOurs(exit) {
		return exit
	}
	return err
}
