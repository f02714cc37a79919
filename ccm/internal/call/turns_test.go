package call

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"k8s.io/apimachinery/pkg/types"
)

func TestTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var turns Turns
		take := func(ctx context.Context, uid string) func() {
			t.Helper()
			end, err := turns.Take(ctx, types.UID(uid))
			if err != nil {
				t.Fatal(err)
			}
			return end
		}
		end := take(t.Context(), "a")
		take(t.Context(), "b")() // another Service's turn is no matter

		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := turns.Take(ctx, "a"); !errors.Is(err, context.Canceled) {
			t.Errorf("who waits with a context that is done gets %v", err)
		}
		taken := false
		go func() {
			defer take(t.Context(), "a")()
			taken = true
		}()
		synctest.Wait()
		if taken {
			t.Error("two have the turn of one Service at the same time")
		}
		end()
		synctest.Wait()
		if !taken {
			t.Error("the turn has ended, and who waited for it still waits")
		}
	})
}
