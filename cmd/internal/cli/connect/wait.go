package connect

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
	"github.com/simcloud-dev/simcloud/simcloud/escape"
)

// waiting is how a command waits for operations.
type waiting struct {
	stderr io.Writer
	bound  time.Duration // of all waits of the command together; 0 for none
	ends   time.Time     // by bound
}

// limited returns ctx with the end of a wait.
func (w *waiting) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	if w.bound == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithDeadlineCause(ctx, w.ends, errWaited)
}

var errWaited = errors.New("the wait is over")

// Await returns the operation once it has ended. One that had ended when it was answered is not
// asked for: the cloud may not keep it any more.
func (s *Session) Await(ctx context.Context, c *client.Client, op simcloud.Operation) (simcloud.Operation, error) {
	if op.Finished.IsZero() {
		id := op.ID
		within, cancel := s.waiting.limited(ctx)
		defer cancel()
		defer s.waiting.tell(within, c, op)()
		var err error
		if op, err = c.WaitOperation(within, id); err != nil && errors.Is(context.Cause(within), errWaited) {
			return op, &exit.Error{Code: exit.CodeFailed, Err: fmt.Errorf(
				"timed out after %s (--timeout) waiting for %s, which has not ended: \"simcloud operation wait %s\" waits on", s.waiting.bound, id, id)}
		}
		if err != nil {
			return op, err
		}
	}
	if op.State != simcloud.OperationDone {
		return op, &exit.Error{Code: exit.CodeFailed, Err: fmt.Errorf("operation %s (%s) has %s: %s", op.ID, op.Verb, op.State, output.Dash(op.Error))}
	}
	return op, nil
}

// tell reports on stderr what a wait is for, where that may take long: at once when the clock stands still, and on a
// terminal as the operation proceeds. The result ends it.
func (w *waiting) tell(ctx context.Context, c *client.Client, op simcloud.Operation) (end func()) {
	if clock, err := c.GetClock(ctx); err == nil && clock.Mode == simcloud.ClockManual { // other roles than admin cannot ask
		output.Printer(w.stderr)(stoppedText(op, clock))
		return func() {}
	}
	if file, ok := w.stderr.(*os.File); !ok || !term.IsTerminal(int(file.Fd())) {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.follow(ctx, c, op, time.NewTicker(time.Second))
	}()
	return func() { cancel(); <-done }
}

// follow keeps a line about an operation current, and removes it in the end. An operation without
// a time to be ready at is not read: reads count for it.
func (w *waiting) follow(ctx context.Context, c *client.Client, op simcloud.Operation, tick *time.Ticker) {
	defer tick.Stop()
	const erase = "\r\x1b[K"
	for {
		fmt.Fprint(w.stderr, erase+escape.Line(waitText(op)))
		select {
		case <-tick.C:
		case <-ctx.Done():
			fmt.Fprint(w.stderr, erase)
			return
		}
		if op.ReadyAt.IsZero() {
			continue
		}
		if now, err := c.GetOperation(ctx, op.ID); err == nil {
			op = now
		}
	}
}

// waitText tells how far an operation is.
func waitText(op simcloud.Operation) string {
	if op.Verb == "" {
		return "waiting for " + string(op.ID)
	}
	return fmt.Sprintf("waiting for %s (%s, %d%%)", op.ID, op.Verb, op.Progress)
}

// stoppedText tells how to end the wait for an operation on a clock that stands still.
func stoppedText(op simcloud.Operation, clock simcloud.ClockStatus) string {
	by := op.ReadyAt.Sub(clock.Now)
	if by <= 0 { // unknown, or a matter of reads
		by = time.Second
	}
	return fmt.Sprintf("waiting for %s; the clock is manual: simcloud clock advance %s", op.ID, by)
}
