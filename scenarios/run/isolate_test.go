package run

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/e2e/simulated/bubble"
)

// TestIsolateFallsBack: a scenario for which time stands still is skipped with the reason, or runs on the cluster of Fallback; one that
// leaves goroutines behind is broken, or runs there; an error of another kind is not hidden by Fallback.
func TestIsolateFallsBack(t *testing.T) {
	t.Parallel()
	stuck, leak := &bubble.StuckError{Waiting: []bubble.Goroutine{{State: "sync.Mutex.Lock"}}}, &bubble.LeakError{Reason: "deadlock"}
	for _, c := range []struct {
		name             string
		isolated         error
		alone, elsewhere string
	}{
		{"stuck", stuck, "skipped", "passed"},
		{"leak", leak, "broken", "passed"},
		{"else", errors.New("no memory"), "broken", "broken"},
		{"well", nil, "passed", "passed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				isolate := func(ctx context.Context, f func(context.Context) error) error {
					if errors.Is(c.isolated, stuck) { // it does not return
						return c.isolated
					}
					return errors.Join(f(ctx), c.isolated)
				}
				for fallback, want := range map[bool]string{false: c.alone, true: c.elsewhere} {
					opened := 0
					r := Runner{Isolate: isolate, Open: opensInTurn(mortal(t, false))}
					if fallback {
						r.Fallback = func(ctx context.Context, slot int) (Cluster, error) {
							opened++
							return opensInTurn(mortal(t, false))(ctx, slot)
						}
					}
					report, out, _ := runAll(t, t.Context(), r, parsedScenario(t, "one", ""))
					if diff := cmp.Diff([]string{"one " + want}, endings(report)); diff != "" {
						t.Errorf("with a fallback: %t (-want +got):\n%s\n%s", fallback, diff, out)
					}
					if told := strings.Contains(out, "one runs on a real cluster: "); told != (opened == 1) {
						t.Errorf("it ran on %d other clusters, told %t:\n%s", opened, told, out)
					}
				}
			})
		})
	}
}
