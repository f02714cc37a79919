package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// ExitError is how a command ended that did not succeed.
type ExitError struct {
	Command string // what was run, shortened
	Code    int    // its exit status; -1 when a signal ended it
	Stderr  string // what it said last
}

// Error says all of it in one line.
func (e *ExitError) Error() string {
	if e.Stderr == "" {
		return fmt.Sprintf("%s: exit status %d", e.Command, e.Code)
	}
	return fmt.Sprintf("%s: %s", e.Command, e.Stderr)
}

// run runs the engine's command and returns what it wrote. Its error is an
// *ExitError with a code that says what kind of failure it is.
func (e *Engine) run(ctx context.Context, stdin io.Reader, args ...string) ([]byte, error) {
	var stdout bytes.Buffer
	err := e.stream(ctx, stdin, &stdout, args...)
	return stdout.Bytes(), err
}

// stream is run for what writes much, or long.
func (e *Engine) stream(ctx context.Context, stdin io.Reader, stdout io.Writer, args ...string) error {
	stderr := &tail{limit: 4 << 10}
	cmd := exec.CommandContext(ctx, e.path, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stdout, stderr
	cmd.SysProcAttr = attributes()
	cmd.WaitDelay = outputDelay
	err := runHere(cmd)
	if ctx.Err() != nil {
		return fmt.Errorf("%s: %w", e.shorten(args), context.Cause(ctx))
	}
	var exit *exec.ExitError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &exit):
		return e.classify(&ExitError{Command: e.shorten(args), Code: exit.ExitCode(), Stderr: stderr.String()})
	}
	return fmt.Errorf("%s: %w", e.shorten(args), err)
}

// outputDelay is how long the output may stay open after the end of a command,
// by whoever inherited it. What the command itself wrote last is still to be
// read then, which takes its time on a machine that is busy.
const outputDelay = 20 * time.Second

// runHere keeps the OS thread until the command has ended: the kernel sends
// the parent-death signal when the thread that started the child ends.
func runHere(cmd *exec.Cmd) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return cmd.Run()
}

// shorten is the command for messages: its first words.
func (e *Engine) shorten(args []string) string {
	const most = 6
	words := append([]string{e.Name()}, args...)
	if len(words) > most {
		words = append(words[:most:most], "…")
	}
	return strings.Join(words, " ")
}

// tail keeps the end of what is written to it.
type tail struct {
	limit int
	kept  []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.kept = append(t.kept, p...)
	if over := len(t.kept) - t.limit; over > 0 {
		t.kept = t.kept[over:]
	}
	return len(p), nil
}

func (t *tail) String() string { return strings.TrimSpace(string(t.kept)) }

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
