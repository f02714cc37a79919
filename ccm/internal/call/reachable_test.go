package call

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

func failed(code simcloud.Code) func() error {
	return func() error { return simcloud.Errorf(code, "", "as the test says") }
}

func TestHealthIsLostAfterAWhile(t *testing.T) {
	t.Parallel()
	now, reachable := time.Unix(0, 0), false
	h := NewHealth(time.Minute, func() time.Time { return now }, func(yes bool) { reachable = yes })
	for _, step := range []struct {
		name      string
		after     time.Duration
		call      func() error
		healthy   bool
		reachable bool
	}{
		{"an answer", 0, failed(""), true, true},
		{"no answer", 0, failed(simcloud.Unavailable), true, false},
		{"none for 59 seconds", 59 * time.Second, failed(simcloud.Timeout), true, false},
		{"none for a minute", time.Second, failed(simcloud.Unauthenticated), false, false},
		{"the caller gave up", 0, func() error { return context.Canceled }, false, false},
		{"a refusal is an answer", 0, failed(simcloud.QuotaExceeded), true, true},
		{"and the minute starts again", time.Hour, failed(simcloud.Unavailable), true, false},
	} {
		now = now.Add(step.after)
		_ = h.Around(step.call)
		if err := h.Check(); (err == nil) != step.healthy || reachable != step.reachable {
			t.Errorf("%s: check %v, gauge %v; want healthy %v, gauge %v", step.name, err, reachable, step.healthy, step.reachable)
		}
	}
	now = now.Add(2 * time.Minute)
	if err := h.Check(); !errors.Is(err, simcloud.Unavailable) || !strings.Contains(err.Error(), "for 2m0s: ") {
		t.Errorf("got %v, want one that says for how long, and why", err)
	}
}
