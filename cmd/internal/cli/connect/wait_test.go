package connect

import (
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

func TestWaitTexts(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	op := simcloud.Operation{Meta: simcloud.Meta{ID: "op-7"}, Verb: "CreateLoadBalancer", Progress: 40, ReadyAt: now.Add(90 * time.Second)}
	unknown := simcloud.Operation{Meta: simcloud.Meta{ID: "op-8"}}
	clock := simcloud.ClockStatus{Now: now}
	for got, want := range map[string]string{
		waitText(op):                "waiting for op-7 (CreateLoadBalancer, 40%)",
		waitText(unknown):           "waiting for op-8",
		stoppedText(op, clock):      "waiting for op-7; the clock is manual: simcloud clock advance 1m30s",
		stoppedText(unknown, clock): "waiting for op-8; the clock is manual: simcloud clock advance 1s",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
