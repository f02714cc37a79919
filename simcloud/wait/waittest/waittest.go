// Package waittest waits in tests for what happens by itself. It is for real
// time: what needs no socket, file or process waits in testing/synctest instead.
package waittest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud/wait"
)

// EnvPatience names the environment variable with a factor for [Patience], for a slow machine.
const EnvPatience = "SIMCLOUD_PATIENCE"

const (
	patience = 2 * time.Minute
	// askTimeout bounds one call of a condition: one that hangs is asked again.
	askTimeout = 30 * time.Second
	interval   = 10 * time.Millisecond
)

// Patience is how long a test waits before it fails: much longer than anything
// needs, because a test that passes never waits so long.
func Patience() time.Duration { return scaled(patience) }

// scaled is a duration times the factor of the environment.
func scaled(d time.Duration) time.Duration {
	factor, err := strconv.ParseFloat(os.Getenv(EnvPatience), 64)
	if err != nil || factor <= 0 {
		return d
	}
	return time.Duration(float64(d) * factor)
}

// Context ends with the test, or after [Patience].
func Context(t testing.TB) (context.Context, context.CancelFunc) {
	return context.WithTimeout(t.Context(), Patience())
}

// Condition is what a test waits for: a function that returns true, or no
// error, or both. It is called from the goroutine of [For].
type Condition interface {
	func() bool | func() error | func(context.Context) error | func(context.Context) (bool, error)
}

// For waits until the condition holds, and returns how long that took. After
// [Patience] it ends the test, with what was waited for and the last error of the condition.
func For[C Condition](t testing.TB, what string, condition C) time.Duration {
	t.Helper()
	return Within(t, patience, what, condition)
}

// Within is For with another limit, for what takes longer than [Patience] when
// all goes well. The limit is multiplied by the same factor.
func Within[C Condition](t testing.TB, limit time.Duration, what string, condition C) time.Duration {
	t.Helper()
	began, limit := time.Now(), scaled(limit)
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	check, last := asError(condition), error(nil)
	err := wait.Until(ctx, max(interval, limit/1000), func(ctx context.Context) (bool, error) {
		ask, cancel := context.WithTimeout(ctx, scaled(askTimeout))
		defer cancel()
		err := check(ask)
		if last == nil || ctx.Err() == nil { // an error after that says only that the time is over
			last = err
		}
		return err == nil, nil
	})
	if err != nil {
		t.Fatalf("timed out after %s waiting for this: %s: %v", limit, what, last)
	}
	return time.Since(began)
}

var errFalse = errors.New("the condition is false")

// asError gives each kind of condition the form of the one that returns an error.
func asError[C Condition](condition C) func(context.Context) error {
	switch ask := any(condition).(type) {
	case func() bool:
		return func(context.Context) error { return unless(ask()) }
	case func() error:
		return func(context.Context) error { return ask() }
	case func(context.Context) error:
		return ask
	case func(context.Context) (bool, error):
		return func(ctx context.Context) error {
			ok, err := ask(ctx)
			return errors.Join(err, unless(ok || err != nil))
		}
	}
	panic(fmt.Sprintf("waittest: no condition: %T", condition))
}

func unless(ok bool) error {
	if ok {
		return nil
	}
	return errFalse
}
