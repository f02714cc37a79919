package step_test

import (
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/scenarios/step"
)

func TestPatience(t *testing.T) {
	t.Parallel()
	for factor, want := range map[float64]time.Duration{0: time.Second, 1: time.Second, 2.5: 2500 * time.Millisecond} {
		if got := (step.World{Factor: factor}).Patience(time.Second); got != want {
			t.Errorf("with the factor %v a second is %s, want %s", factor, got, want)
		}
	}
}
