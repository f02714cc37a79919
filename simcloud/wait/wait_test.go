package wait_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud/wait"
)

// TestUntil polls in fake time: how often is exact.
func TestUntil(t *testing.T) {
	t.Parallel()
	broken, over := errors.New("broken"), errors.New("the test is over")
	tests := map[string]struct {
		check func(call int) (bool, error)
		want  error
		calls int
	}{
		"AtOnce":  {func(int) (bool, error) { return true, nil }, nil, 1},
		"Third":   {func(call int) (bool, error) { return call == 3, nil }, nil, 3},
		"Error":   {func(int) (bool, error) { return false, broken }, broken, 1},
		"TooLate": {func(int) (bool, error) { return false, nil }, over, 11},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeoutCause(t.Context(), 10500*time.Millisecond, over)
				defer cancel()
				calls, began := 0, time.Now()
				err := wait.Until(ctx, time.Second, func(context.Context) (bool, error) {
					calls++
					return tt.check(calls)
				})
				if !errors.Is(err, tt.want) || calls != tt.calls {
					t.Errorf("%d calls, %v; want %d, %v", calls, err, tt.calls, tt.want)
				}
				if took, want := time.Since(began), time.Duration(tt.calls-1)*time.Second; !errors.Is(tt.want, over) && took != want {
					t.Errorf("it took %s, want %s", took, want)
				}
			})
		})
	}
}
