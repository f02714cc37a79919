package oracle

import (
	"testing"
	"time"
)

// TestRestOf: a CCM rests once it has read the cloud and written nothing, and one that reads nothing after twice the time.
func TestRestOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		quiet time.Duration
		read  bool
		want  time.Duration
	}{
		{0, false, RestTime},
		{time.Second, true, RestTime - time.Second},
		{RestTime, true, 0},
		{RestTime, false, RestTime / 10},
		{syncTime - time.Millisecond, false, time.Millisecond},
		{syncTime, false, 0},
	} {
		if got := restOf(func(d time.Duration) time.Duration { return d }, c.quiet, c.read); got != c.want {
			t.Errorf("quiet for %s, read %t: %s more, want %s", c.quiet, c.read, got, c.want)
		}
	}
}
