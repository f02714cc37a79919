package simcloud_test

import (
	"errors"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

func TestParseProgression(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]simcloud.Progression{
		"immediate":             {Mode: simcloud.ProgressionImmediate},
		"time":                  {Mode: simcloud.ProgressionTime, Duration: simcloud.Duration(simcloud.DefaultDuration)},
		"time=5s":               {Mode: simcloud.ProgressionTime, Duration: simcloud.Duration(5 * time.Second)},
		"time=1m30s,jitter=1ms": {Mode: simcloud.ProgressionTime, Duration: simcloud.Duration(90 * time.Second), Jitter: simcloud.Duration(time.Millisecond)},
		"time,jitter=1s":        {Mode: simcloud.ProgressionTime, Duration: simcloud.Duration(simcloud.DefaultDuration), Jitter: simcloud.Duration(time.Second)},
		"time=0s":               {Mode: simcloud.ProgressionTime},
		"time=24h,jitter=24h":   {Mode: simcloud.ProgressionTime, Duration: simcloud.Duration(24 * time.Hour), Jitter: simcloud.Duration(24 * time.Hour)},
		"polls=3":               {Mode: simcloud.ProgressionPolls, Polls: 3},
	} {
		got, err := simcloud.ParseProgression(text)
		if err != nil || got != want {
			t.Errorf("%q: got %+v, %v, want %+v", text, got, err, want)
		}
		if again, err := simcloud.ParseProgression(got.String()); err != nil || again != got {
			t.Errorf("%q comes back from %q as %+v, %v", text, got, again, err)
		}
	}
	for _, text := range []string{
		"", "fast", "immediate=5s", "immediate,jitter=1s", "time=", "time=5", "time=-5s", "time=5s,jitter", "time=5s,1s",
		"time=5s,jitter=-1s", "time=5s,jitter=1s,jitter=2s", "Time", "polls", "polls=0", "polls=1001", "polls=3,jitter=1s",
		"time=24h1ns", "time=5s,jitter=24h1ns", "time=2562047h", "time=1s,jitter=2562047h47m16.854775807s",
	} {
		_, err := simcloud.ParseProgression(text)
		if !errors.Is(err, simcloud.Invalid) {
			t.Errorf("%q: got %v, want Invalid", text, err)
		}
	}
}
