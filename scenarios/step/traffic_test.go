package step_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"github.com/simcloud-dev/simcloud/scenarios/run/runtest"
	"github.com/simcloud-dev/simcloud/scenarios/step"
	"github.com/simcloud-dev/simcloud/scenarios/step/steptest"
)

// scripted is a request that is answered as a function of the time since the beginning says.
type scripted struct {
	began  time.Time
	answer func(since time.Duration) (step.Answer, error)
}

func (s scripted) Send(context.Context) (step.Answer, error) { return s.answer(time.Since(s.began)) }

// TestTraffic: what is sent is counted, and the longest time without a good answer.
func TestTraffic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := scripted{time.Now(), func(since time.Duration) (step.Answer, error) {
			switch {
			case since >= 1000*time.Millisecond && since < 1300*time.Millisecond:
				return step.Answer{}, fmt.Errorf("refused at %s", since)
			case since == 1300*time.Millisecond:
				return step.Answer{Status: "503"}, nil
			}
			return step.Answer{Ok: true}, nil
		}}
		traffic := step.StartTraffic(t.Context(), r, 100*time.Millisecond, time.Second)
		time.Sleep(1250 * time.Millisecond)
		wantTraffic(t, traffic, 13, 10, 3, 350, "after 1s: refused at 1s", "after 1.1s: refused at 1.1s", "after 1.2s: refused at 1.2s")
		time.Sleep(700 * time.Millisecond)
		traffic.Stop(t.Context())
		wantTraffic(t, traffic, 20, 16, 4, 500, "after 1s: refused at 1s", "after 1.1s: refused at 1.1s", "after 1.2s: refused at 1.2s", "after 1.3s: the status 503")
		time.Sleep(time.Hour)
		traffic.Stop(t.Context())
		if got := traffic.Value()["longestGap"]; got != int64(500) {
			t.Errorf("after its end the gap is %v, want 500", got)
		}
	})
}

func wantTraffic(t *testing.T, traffic *step.Traffic, sent, ok, failed, gap int64, errs ...any) {
	t.Helper()
	synctest.Wait()
	want := map[string]any{"sent": sent, "ok": ok, "failed": failed, "longestGap": gap, "errors": errs}
	if got := traffic.Value(); !reflect.DeepEqual(got, want) {
		t.Errorf("it is %v, want %v", got, want)
	}
}

// TestTrafficHangs: a request that hangs keeps no other from being sent, is
// given up in time, and is waited for at the end.
func TestTrafficHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		traffic := step.StartTraffic(t.Context(), hanging{}, 100*time.Millisecond, time.Second)
		time.Sleep(450 * time.Millisecond)
		traffic.Stop(t.Context())
		got := traffic.Value()
		if got["sent"] != int64(5) || got["failed"] != int64(5) || got["longestGap"] != int64(1400) {
			t.Errorf("it is %v, want 5 sent, 5 failed in 1.4 s", got)
		}
		if first := observe.List(got["errors"])[0]; first != "after 1s: no answer within 1s" {
			t.Errorf("the first error is %v", first)
		}
	})
}

// TestTrafficIsGivenUp: whoever stops a traffic does not wait longer than he
// may, however long its requests may take, and nothing of it goes on.
func TestTrafficIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		traffic := step.StartTraffic(t.Context(), hanging{}, time.Minute, time.Hour)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		traffic.Stop(ctx)
		if took := time.Since(began); took != time.Second || traffic.Value()["failed"] != int64(1) {
			t.Errorf("it took %s: %v; want 1 s, and that the request has failed", took, traffic.Value())
		}
	})
}

type hanging struct{}

func (hanging) Send(ctx context.Context) (step.Answer, error) {
	<-ctx.Done()
	return step.Answer{}, errors.New("i/o timeout")
}

// TestTrafficVerb: traffic goes on while steps run, and ends with them.
func TestTrafficVerb(t *testing.T) {
	address, asked := flaky(t, 0)
	c := steptest.NewCluster(t)
	r := runtest.PerformSpec(t, c, strings.ReplaceAll(`packets: true
  ccm: stopped
  steps:
  - traffic: {start: load, url: "http://ADDRESS/", every: 10ms, from: 127.0.0.9, timeout: 60s}
  - traffic: {start: other, url: "http://ADDRESS/", every: 10ms, timeout: 60s}
  - within: 20s
    expect: traffic["load"].ok > 5 && traffic["other"].ok > 5
  - traffic: {stop: load}
  - expect: traffic["load"].sent == traffic["load"].ok && traffic["load"].failed == 0 && traffic["load"].errors == [] && traffic["load"].longestGap < 20000
  finally:
  - capture: {before: 'traffic["other"].sent'}
  - sleep: 100ms
  - expect: traffic["other"].sent == before
`, "ADDRESS", address))
	runtest.Passes(t, r)
	before := asked.Load()
	time.Sleep(50 * time.Millisecond)
	if got := asked.Load(); got != before {
		t.Errorf("%d requests came after the end", got-before)
	}
}
