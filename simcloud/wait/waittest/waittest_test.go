package waittest_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud/wait/waittest"
)

func TestFor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		late := func() bool { return time.Since(began) >= time.Second }
		reason := func() error {
			if late() {
				return nil
			}
			return errors.New("too early")
		}
		waittest.For(t, "true", late)
		waittest.For(t, "no error", reason)
		waittest.For(t, "no error with a context", func(context.Context) error { return reason() })
		waittest.For(t, "true and no error", func(context.Context) (bool, error) { return late(), reason() })
		if took := time.Since(began); took < time.Second || took > 2*time.Second {
			t.Errorf("it took %s", took)
		}
	})
}

// failing is a test that notes its end instead of failing.
type failing struct {
	testing.TB
	said string
}

func (f *failing) Fatalf(format string, args ...any) {
	f.said = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

// TestForGivesUp: it reports what it waited for and the last error, and asks again where one call hangs.
func TestForGivesUp(t *testing.T) {
	for factor, limit := range map[string]time.Duration{"": 2 * time.Minute, "2.5": 5 * time.Minute, "none": 2 * time.Minute} {
		t.Setenv(waittest.EnvPatience, factor)
		for reason, condition := range map[string]func(context.Context) (bool, error){
			"the condition is false": func(context.Context) (bool, error) { return false, nil },
			"call 3":                 func(context.Context) (bool, error) { return true, errors.New("call 3") },
			"hangs":                  func(ctx context.Context) (bool, error) { <-ctx.Done(); return false, errors.New("hangs") },
		} {
			synctest.Test(t, func(t *testing.T) {
				began, f := time.Now(), &failing{TB: t}
				done := make(chan struct{})
				go func() {
					defer close(done)
					waittest.For(f, "the node is ready", condition)
				}()
				<-done
				if took := time.Since(began); took != limit || waittest.Patience() != limit {
					t.Errorf("factor %q: it took %s, want %s", factor, took, limit)
				}
				for _, want := range []string{"the node is ready", limit.String(), reason} {
					if !strings.Contains(f.said, want) {
						t.Errorf("it reported %q, want %q in it", f.said, want)
					}
				}
			})
		}
	}
}
