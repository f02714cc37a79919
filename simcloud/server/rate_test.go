package server_test

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/server"
)

// rated is a server with rates and a clock that the test moves.
type rated struct {
	*serving
	mu    sync.Mutex
	rates []simcloud.Rate
	clock simcloud.ClockStatus
}

func serveRated(t *testing.T, clock simcloud.ClockSpec, rates ...simcloud.Rate) *rated {
	t.Helper()
	s := &rated{rates: rates, clock: simcloud.ClockStatus{ClockSpec: clock, Now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}}
	s.serving = serve(t, func(cfg *server.Config) {
		cfg.Rates = func() []simcloud.Rate { s.mu.Lock(); defer s.mu.Unlock(); return s.rates }
		cfg.Clock = func() simcloud.ClockStatus { s.mu.Lock(); defer s.mu.Unlock(); return s.clock }
	})
	s.cloud.get = func(_ context.Context, id simcloud.ID) (simcloud.Instance, error) { return machine(id), nil }
	s.cloud.create = func(simcloud.InstanceSpec, simcloud.CallOptions) (simcloud.Result[simcloud.Instance], error) {
		return simcloud.Result[simcloud.Instance]{Resource: machine("i-9")}, nil
	}
	return s
}

func (s *rated) pass(by time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clock.Now = s.clock.Now.Add(by)
}

func (s *rated) setRates(rates ...simcloud.Rate) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rates = rates
}

// left is what an answer says of the rate: its status, then limit, remaining and reset.
func (s *rated) left(t *testing.T, method, path, body string, headers ...string) string {
	t.Helper()
	res, _ := s.send(t, method, path, body, headers...)
	return strings.Join([]string{
		http.StatusText(res.StatusCode), res.Header.Get("RateLimit-Limit"), res.Header.Get("RateLimit-Remaining"),
		res.Header.Get("RateLimit-Reset"), res.Header.Get("Retry-After"),
	}, " ")
}

func (s *rated) read(t *testing.T) string {
	t.Helper()
	return s.left(t, "GET", "/v1/instances/i-1", "")
}

func equal(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %q, want %q", what, got, want)
	}
}

// TestRateBucket empties a bucket and lets it fill again by the cloud's clock.
func TestRateBucket(t *testing.T) {
	t.Parallel()
	s := serveRated(t, simcloud.ClockSpec{Mode: simcloud.ClockManual}, simcloud.Rate{Class: "read", PerSecond: 0.5, Burst: 2})
	equal(t, "the first", s.read(t), "OK 2 1 2 ")
	equal(t, "the second", s.read(t), "OK 2 0 4 ")
	equal(t, "one too many", s.read(t), "Too Many Requests 2 0 4 2")
	equal(t, "another class", s.left(t, "POST", "/v1/instances", "{}"), "Created    ")
	equal(t, "another token", s.left(t, "GET", "/v1/instances/i-1", "", "Authorization", "Bearer reader"), "OK 2 1 2 ")
	s.pass(2 * time.Second)
	equal(t, "after a while", s.read(t), "OK 2 0 4 ")
	s.pass(1999 * time.Millisecond)
	equal(t, "a moment too early", s.read(t), "Too Many Requests 2 0 3 1")
	s.pass(time.Hour)
	equal(t, "it holds no more than its burst", s.read(t), "OK 2 1 2 ")
	s.setRates(simcloud.Rate{Class: "read", PerSecond: 1, Burst: 5})
	equal(t, "a changed rate", s.read(t), "OK 5 4 1 ")
	s.setRates()
	equal(t, "no rates", s.read(t), "OK    ")
}

// TestRateClasses: a call counts in each class that it is in, and in none when one is used up.
func TestRateClasses(t *testing.T) {
	t.Parallel()
	s := serveRated(t, simcloud.ClockSpec{Mode: simcloud.ClockManual},
		simcloud.Rate{Class: "write", PerSecond: 1, Burst: 3}, simcloud.Rate{Class: "Create*", PerSecond: 1, Burst: 1})
	equal(t, "the tightest class", s.left(t, "POST", "/v1/instances", "{}"), "Created 1 0 1 ")
	equal(t, "used up", s.left(t, "POST", "/v1/instances", "{}"), "Too Many Requests 1 0 1 1")
	equal(t, "a refused call costs nothing elsewhere", s.left(t, "POST", "/v1/instances/i-1/start", ""), "OK 3 1 2 ")
	for range 9 {
		if res, _ := s.send(t, "DELETE", "/_sim/journal", ""); res.StatusCode != http.StatusOK || res.Header.Get("RateLimit-Limit") != "" {
			t.Fatalf("the simulator's own call: %d, %v", res.StatusCode, res.Header)
		}
	}
}

// TestRateLimitedProblem: who comes too often is told when to come again, and the journal records it.
func TestRateLimitedProblem(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		clock simcloud.ClockSpec
		wait  int64
	}{
		"real":   {simcloud.ClockSpec{Mode: simcloud.ClockReal}, 4000},
		"manual": {simcloud.ClockSpec{Mode: simcloud.ClockManual}, 4000},
		"scaled": {simcloud.ClockSpec{Mode: simcloud.ClockScaled, Factor: 8}, 500},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serveRated(t, c.clock, simcloud.Rate{Class: "GetInstance", PerSecond: 0.25, Burst: 1})
			s.read(t)
			p := s.refused(t, "GET", "/v1/instances/i-1", "", http.StatusTooManyRequests, simcloud.RateLimited)
			if p.RetryAfterMS != c.wait || !strings.Contains(p.Detail, "GetInstance allows 0.25 calls a second, and 1 at once") {
				t.Errorf("%d ms, %s", p.RetryAfterMS, p.Detail)
			}
			entries, err := s.journal.ListJournal(t.Context(), simcloud.JournalFilter{Errors: true})
			if err != nil || len(entries) != 1 || entries[0].Code != simcloud.RateLimited || entries[0].Status != 429 || entries[0].Caller.Token != "tok-1" {
				t.Errorf("journal %+v, %v", entries, err)
			}
			_, raw := s.send(t, "GET", "/metrics", "")
			if line := `simcloud_rate_limited_total{class="GetInstance"} 1`; !strings.Contains(string(raw), line+"\n") {
				t.Errorf("no line %s", line)
			}
		})
	}
}

// TestRatesHoldUnderLoad: of many calls at once exactly the burst gets through.
func TestRatesHoldUnderLoad(t *testing.T) {
	t.Parallel()
	const calls, burst = 64, 10
	s := serveRated(t, simcloud.ClockSpec{Mode: simcloud.ClockManual}, simcloud.Rate{Class: "*", PerSecond: 1, Burst: burst})
	statuses := make(chan int, calls)
	var all sync.WaitGroup
	for range calls {
		all.Go(func() {
			res, _ := s.send(t, "GET", "/v1/instances/i-1", "")
			statuses <- res.StatusCode
		})
	}
	all.Wait()
	close(statuses)
	counts := map[int]int{}
	for status := range statuses {
		counts[status]++
	}
	if diff := cmp.Diff(map[int]int{200: burst, 429: calls - burst}, counts); diff != "" {
		t.Errorf("statuses (-want +got):\n%s", diff)
	}
}
