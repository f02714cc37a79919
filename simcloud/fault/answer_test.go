package fault_test

import (
	"context"
	"errors"
	"log/slog"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
	"github.com/simcloud-dev/simcloud/simcloud/server"
	"github.com/simcloud-dev/simcloud/simcloud/sim"
	"github.com/simcloud-dev/simcloud/simcloud/simtest"
)

func TestError(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	rule := l.add(`{"match": {"operation": "CreateInstance"}, "effect": {"error": {"code": "rate_limited", "message": "slow down", "retryAfter": "90s"}}}`)
	_, err := l.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "a"})
	var e *simcloud.Error
	if !errors.As(err, &e) || e.Code != simcloud.RateLimited || e.Message != "slow down" || e.RetryAfter != 90*time.Second || e.Resource != "instance" {
		t.Errorf("got %#v", err)
	}
	if there := l.named("a"); len(there) != 0 {
		t.Errorf("there is %v", there)
	}
	want := simcloud.JournalEntry{
		Operation: "CreateInstance", Name: "CreateInstance", Write: true, Resource: "instance", Status: 429, Code: simcloud.RateLimited,
		Message: "slow down", Fault: rule.ID, Effect: "error",
	}
	ignored := cmpopts.IgnoreFields(simcloud.JournalEntry{}, "Seq", "Time", "RequestID", "Caller", "Duration")
	if diff := cmp.Diff(want, l.recorded(rule.ID), ignored); diff != "" {
		t.Errorf("journal (-want +got):\n%s", diff)
	}
}

// TestEveryCode: each code comes through as what it is.
func TestEveryCode(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	for _, code := range simcloud.Codes() {
		rule := l.add(`{"when": {"times": 1}, "effect": {"error": {"code": "` + string(code) + `"}}}`)
		_, err := l.GetInstance(t.Context(), "i-1")
		l.want(err, code)
		if l.hits(rule.ID) != 1 {
			t.Errorf("%s has not fired", code)
		}
	}
}

// TestMeantDefect: an internal error of a fault rule has the rule's message,
// and is not reported as a defect.
func TestMeantDefect(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	set := fault.New(fault.Config{})
	rule, err := fault.Parse([]byte(`{"match": {"operation": "GetInstance"}, "effect": {"error": {"code": "internal", "message": "disk on fire"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := set.AddFault(t.Context(), rule); err != nil {
		t.Fatal(err)
	}
	c := serve(t, set, &reader{}, func(cfg *server.Config) { cfg.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	_, err = c.GetInstance(t.Context(), "i-1")
	var e *simcloud.Error
	if !errors.As(err, &e) || e.Code != simcloud.Internal || e.Message != "disk on fire" {
		t.Errorf("got %v", err)
	}
	if log.Len() > 0 {
		t.Errorf("the log says %s", log.String())
	}
}

func TestHeader(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	if _, got := l.raw("/v1/regions"); got != "" {
		t.Errorf("without a rule the header is %q", got)
	}
	l.add(`{"match": {"operation": "ListRegions"}, "effect": {"ok": {}}}`)
	if _, got := l.raw("/v1/regions"); got != "fault-1" {
		t.Errorf("the header is %q, want fault-1", got)
	}
	if _, got := l.raw("/v1/zones"); got != "" {
		t.Errorf("where no rule matches the header is %q", got)
	}
}

func TestDelay(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.add(`{"match": {"operation": "GetRegion"}, "effect": {"delay": {"duration": "40ms", "jitter": "1ms"}}}`)
	begun := time.Now()
	page, err := l.ListRegions(t.Context(), simcloud.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.GetRegion(t.Context(), page.Items[0].ID); err != nil || time.Since(begun) < 40*time.Millisecond {
		t.Errorf("got %v after %s", err, time.Since(begun))
	}
}

// TestJitter: a delay is longer by chance. A jitter of a day is over in time at one call in ten thousands.
func TestJitter(t *testing.T) {
	t.Parallel()
	s := newSet(t, 1, `{"effect": {"delay": {"duration": "1ns", "jitter": "24h"}}}`)
	hit := s.Pick(t.Context(), &fault.Call{Endpoint: endpoint(t, "ListRegions")})
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if err := hit.After(ctx, fault.Result{}); !errors.Is(err, fault.ErrDrop) {
		t.Errorf("got %v, want it to last", err)
	}
}

// abandoned creates an instance, gives up once the rule keeps the call waiting, and returns how it ended.
func (l *lab) abandoned(rule fault.Rule, name string) error {
	ctx, giveUp := context.WithCancel(l.Context())
	defer giveUp()
	go func() {
		_ = l.cloud.Faults().AwaitCaught(ctx, rule.ID) // an error is the end of the call
		giveUp()
	}()
	_, err := l.CreateInstance(ctx, simcloud.InstanceSpec{Name: name})
	return err
}

// TestDelayThatIsNotWaitedFor: the operation has happened all the same.
func TestDelayThatIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	rule := l.add(`{"match": {"operation": "CreateInstance"}, "effect": {"delay": {"duration": "1h"}}}`)
	if err := l.abandoned(rule, "a"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want it to last until it is given up", err)
	}
	if entry := l.recorded(rule.ID); !entry.Committed || entry.Status != 0 || len(l.named("a")) != 1 {
		t.Errorf("instances %v, journal %+v", l.named("a"), entry)
	}
}

func TestHang(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	rule := l.add(`{"match": {"operation": "CreateInstance"}, "effect": {"hang": {}}}`)
	if err := l.abandoned(rule, "a"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want it to last until it is given up", err)
	}
	// That it is recorded says that the server has not kept the call.
	if entry := l.recorded(rule.ID); entry.Committed || entry.Code != simcloud.Unavailable || len(l.named("a")) != 0 {
		t.Errorf("instances %v, journal %+v", l.named("a"), entry)
	}
}

// TestCloseEndsWhatHangs: neither a call that hangs nor a late one keeps a cloud from closing.
func TestCloseEndsWhatHangs(t *testing.T) {
	t.Parallel()
	for _, effect := range []string{`{"hang": {}}`, `{"delay": {"duration": "1h"}}`} {
		cloud, err := sim.Open(t.Context(), sim.Config{Ephemeral: true})
		if err != nil {
			t.Fatal(err)
		}
		l := &lab{T: t, cloud: cloud}
		l.Client = l.dial(func(cfg *client.Config) { cfg.Retries = -1 })
		rule := l.add(`{"match": {"operation": "ListRegions"}, "effect": ` + effect + `}`)
		ended := make(chan error)
		go func() {
			_, err := l.ListRegions(context.WithoutCancel(t.Context()), simcloud.ListOptions{})
			ended <- err
		}()
		for l.hits(rule.ID) == 0 {
			runtime.Gosched()
		}
		ctx, cancel := context.WithTimeout(t.Context(), simtest.Patience)
		if err := cloud.Close(ctx); err != nil {
			t.Errorf("%s: close: %v", effect, err)
		}
		cancel()
		l.want(<-ended, simcloud.Unavailable)
	}
}

func TestResetBefore(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	rule := l.add(`{"match": {"operation": "CreateInstance"}, "effect": {"reset": {"when": "before"}}}`)
	_, err := l.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "a"})
	l.want(err, simcloud.Unavailable)
	if entry := l.recorded(rule.ID); entry.Committed || len(l.named("a")) != 0 {
		t.Errorf("instances %v, journal %+v", l.named("a"), entry)
	}
}

// TestResetAfter: the answer to a create is lost. With its key it succeeds when
// it is repeated, and there is one instance.
func TestResetAfter(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	rule := l.add(`{"match": {"operation": "CreateInstance"}, "when": {"times": 1}, "effect": {"reset": {"when": "after"}}}`)
	spec, key := simcloud.InstanceSpec{Name: "a"}, simcloud.IdempotencyKey("k")
	// On a connection of its own: on one that was used before, package http would repeat it.
	fresh := l.dial(func(cfg *client.Config) { cfg.Retries = -1 })
	_, err := fresh.CreateInstance(t.Context(), spec, key)
	l.want(err, simcloud.Unavailable)
	there := l.named("a")
	if len(there) != 1 {
		t.Fatalf("there is %v, want one", there)
	}
	entry := l.recorded(rule.ID)
	if !entry.Committed || entry.Status != 0 || entry.Code != simcloud.Unavailable || entry.Resource != "instance/"+string(there[0].ID) {
		t.Errorf("journal %+v", entry)
	}
	result, err := l.CreateInstance(t.Context(), spec, key)
	if err != nil || result.Resource.ID != there[0].ID || len(l.named("a")) != 1 {
		t.Errorf("the second attempt has %v, %v; there is %v", result.Resource.ID, err, l.named("a"))
	}
}

// TestResetAfterWithRetries: a client that retries by itself notices nothing.
func TestResetAfterWithRetries(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.add(`{"match": {"operation": "*Instance"}, "when": {"every": 2}, "effect": {"reset": {"when": "after"}}}`)
	patient := l.dial(func(*client.Config) {})
	for _, name := range []string{"a", "b", "c"} {
		result, err := patient.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: name}, simcloud.IdempotencyKey(name))
		if err != nil || len(l.named(name)) != 1 {
			t.Fatalf("%s: %v, there is %v", name, err, l.named(name))
		}
		if _, err := patient.DeleteInstance(t.Context(), result.Resource.ID); err != nil {
			t.Errorf("delete %s: %v", name, err)
		}
	}
}

func TestGarble(t *testing.T) {
	t.Parallel()
	for _, body := range []string{"html", "empty", "null", "truncated", "bare-404"} {
		t.Run(body, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			made := l.create("a", nil)
			rule := l.add(`{"match": {"operation": "*Instance*"}, "effect": {"garble": {"body": "` + body + `"}}}`)
			_, err := l.GetInstance(t.Context(), made.ID)
			l.want(err, simcloud.Unavailable)
			_, err = l.ListInstances(t.Context(), simcloud.ListOptions{})
			l.want(err, simcloud.Unavailable)
			_, err = l.GetInstance(t.Context(), "i-99") // nor is not_found what it looks like
			l.want(err, simcloud.Unavailable)
			_, err = l.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "b"})
			l.want(err, simcloud.Unavailable)
			if len(l.named("b")) != 1 || l.hits(rule.ID) != 4 {
				t.Errorf("there is %v, %d hits", l.named("b"), l.hits(rule.ID))
			}
		})
	}
}

// TestGarbledStatus: what the rule says, or else what goes with the body.
func TestGarbledStatus(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	for garble, want := range map[string]int{
		`{"body": "html"}`:                 502,
		`{"body": "html", "status": 200}`:  200,
		`{"body": "empty"}`:                200,
		`{"body": "empty", "status": 503}`: 503,
		`{"body": "empty", "status": 204}`: 204,
		`{"body": "html", "status": 304}`:  304,
		`{"body": "null"}`:                 200,
		`{"body": "truncated"}`:            200,
		`{"body": "bare-404"}`:             404,
	} {
		rule := l.add(`{"when": {"times": 1}, "effect": {"garble": ` + garble + `}}`)
		if got, _ := l.raw("/v1/regions"); got != want {
			t.Errorf("%s: status %d, want %d", garble, got, want)
		}
		if entry := l.recorded(rule.ID); entry.Status != want || entry.Code != simcloud.Unavailable {
			t.Errorf("%s: journal %+v", garble, entry)
		}
	}
}

func TestUnknownEnum(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	made := l.create("a", nil)
	l.add(`{"effect": {"garble": {"body": "unknown-enum"}}}`)
	got, err := l.GetInstance(t.Context(), made.ID)
	if err != nil || got.State != "unheard-of" || got.Name != "a" {
		t.Errorf("got %+v, %v", got, err)
	}
	page, err := l.ListInstances(t.Context(), simcloud.ListOptions{})
	if err != nil || len(page.Items) != 1 || page.Items[0].State != "unheard-of" {
		t.Errorf("got %+v, %v", page, err)
	}
	_, err = l.GetInstance(t.Context(), "i-99")
	l.want(err, "unheard-of")
}

// TestStreams: what can happen to an answer can happen to a stream, at its beginning.
func TestStreams(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	watch := func() error {
		for _, err := range l.WatchEvents(t.Context(), 0) {
			return err
		}
		return nil
	}
	for effect, want := range map[string]simcloud.Code{
		`{"error": {"code": "forbidden"}}`:       simcloud.Forbidden,
		`{"reset": {"when": "before"}}`:          simcloud.Unavailable,
		`{"reset": {"when": "after"}}`:           simcloud.Unavailable,
		`{"garble": {"body": "html"}}`:           simcloud.Unavailable,
		`{"garble": {"body": "bare-404"}}`:       simcloud.Unavailable,
		`{"delay": {"duration": "1ms"}}`:         "",
		`{"error": {"code": "unauthenticated"}}`: simcloud.Unauthenticated,
	} {
		rule := l.add(`{"match": {"operation": "WatchEvents"}, "effect": ` + effect + `}`)
		l.create("a", nil)
		l.want(watch(), want)
		if l.hits(rule.ID) == 0 {
			t.Errorf("%s has not fired", effect)
		}
		if err := l.ClearFaults(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}
