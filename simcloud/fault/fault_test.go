package fault_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
	"github.com/simcloud-dev/simcloud/simcloud/sim"
	"github.com/simcloud-dev/simcloud/simcloud/simtest"
)

// lab is a cloud that serves, and a client that calls once: no retry hides a fault.
type lab struct {
	*testing.T
	*client.Client
	cloud *sim.Cloud
}

func newLab(t *testing.T, opts ...simtest.Option) *lab {
	t.Helper()
	cloud, c := simtest.Open(t, opts...)
	t.Cleanup(c.Close)
	l := &lab{T: t, cloud: cloud}
	l.Client = l.dial(func(cfg *client.Config) { cfg.Retries = -1 })
	return l
}

// dial returns another client of the cloud.
func (l *lab) dial(configure func(*client.Config)) *client.Client {
	l.Helper()
	cfg := client.Config{Endpoint: l.cloud.URL(), Token: l.cloud.Token(), UserAgent: "lab/1", Backoff: time.Millisecond}
	configure(&cfg)
	return simtest.Dial(l, cfg)
}

// add adds a rule that stands there as JSON.
func (l *lab) add(rule string) fault.Rule {
	l.Helper()
	parsed, err := fault.Parse([]byte(rule))
	if err != nil {
		l.Fatal(err)
	}
	added, err := l.AddFault(l.Context(), parsed)
	if err != nil {
		l.Fatal(err)
	}
	return added
}

// hits is how often a rule has fired.
func (l *lab) hits(id simcloud.ID) uint64 {
	l.Helper()
	rule, err := l.GetFault(l.Context(), id)
	if err != nil {
		l.Fatal(err)
	}
	return rule.Hits
}

func (l *lab) create(name string, labels map[string]string) simcloud.Instance {
	l.Helper()
	result, err := l.CreateInstance(l.Context(), simcloud.InstanceSpec{Name: name, Labels: labels})
	if err != nil {
		l.Fatal(err)
	}
	return result.Resource
}

// named returns the instances of that name that there are in truth.
func (l *lab) named(name string) []simcloud.Instance {
	l.Helper()
	page, err := l.cloud.Core().ListInstances(l.Context(), simcloud.ListOptions{Name: name})
	if err != nil {
		l.Fatal(err)
	}
	return page.Items
}

func (l *lab) want(err error, code simcloud.Code) {
	l.Helper()
	if got := simcloud.CodeOf(err); got != code {
		l.Errorf("got %v, want code %q", err, code)
	}
}

// recorded waits for the entry of the journal about a call that a fault has changed.
func (l *lab) recorded(id simcloud.ID) simcloud.JournalEntry {
	l.Helper()
	ctx, cancel := context.WithTimeout(l.Context(), simtest.Patience)
	defer cancel()
	for entry, err := range l.WatchJournal(ctx, simcloud.JournalFilter{}) {
		if err != nil {
			l.Fatal(err)
		}
		if entry.Fault == id {
			return entry
		}
	}
	l.Fatalf("the journal ends without a call that %s changed", id)
	return simcloud.JournalEntry{}
}

// raw sends a GET and returns the answer's status and the header of faults.
func (l *lab) raw(path string) (status int, faultID string) {
	l.Helper()
	req, err := http.NewRequestWithContext(l.Context(), http.MethodGet, l.cloud.URL()+path, nil)
	if err != nil {
		l.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+l.cloud.Token())
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		l.Fatal(err)
	}
	if err := res.Body.Close(); err != nil {
		l.Fatal(err)
	}
	return res.StatusCode, res.Header.Get(fault.Header)
}

func TestAPI(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	ctx := t.Context()
	if rules, err := l.ListFaults(ctx); err != nil || len(rules) != 0 {
		t.Errorf("a new cloud has the rules %v, %v", rules, err)
	}
	first := l.add(`{"name": "slow", "match": {"operation": "Get*"}, "when": {"times": 2}, "effect": {"delay": {"duration": "1ms"}}}`)
	second := l.add(`{"effect": {"ok": {}}}`)
	if first.ID != "fault-1" || second.ID != "fault-2" || first.Added.IsZero() {
		t.Errorf("added %+v and %+v", first, second)
	}
	for _, id := range []simcloud.ID{"fault-1", "slow"} {
		got, err := l.GetFault(ctx, id)
		if err != nil || got.ID != "fault-1" || got.Name != "slow" || got.Effect.Delay.Duration != simcloud.Duration(time.Millisecond) {
			t.Errorf("GetFault(%s) = %+v, %v", id, got, err)
		}
	}
	_, err := l.AddFault(ctx, fault.Rule{Name: "slow", Effect: fault.Effect{Hang: &fault.Hang{}}})
	l.want(err, simcloud.AlreadyExists)
	_, err = l.GetFault(ctx, "fast")
	l.want(err, simcloud.NotFound)
	l.want(l.DeleteFault(ctx, "fast"), simcloud.NotFound)
	if err := l.DeleteFault(ctx, "slow"); err != nil {
		t.Error(err)
	}
	l.want(l.DeleteFault(ctx, "fault-1"), simcloud.NotFound)
	if err := l.ClearFaults(ctx); err != nil {
		t.Error(err)
	}
	if third := l.add(`{"effect": {"ok": {}}}`); third.ID != "fault-1" {
		t.Errorf("the first rule after all were cleared is %s", third.ID)
	}
	if rules, err := l.ListFaults(ctx); err != nil || len(rules) != 1 {
		t.Errorf("rules %v, %v", rules, err)
	}
}

func TestTooManyRules(t *testing.T) {
	t.Parallel()
	set := fault.New(fault.Config{})
	ok := fault.Rule{Effect: fault.Effect{OK: &fault.OK{}}}
	for range fault.MaxRules {
		if _, err := set.AddFault(t.Context(), ok); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := set.AddFault(t.Context(), ok); !errors.Is(err, simcloud.Capacity) {
		t.Errorf("got %v, want Capacity", err)
	}
}

// TestWrongRules: over HTTP, each wrong rule is 422 and names its field.
func TestWrongRules(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	for rule, field := range map[string]string{
		`{}`:                                                                                     "effect",
		`{"effect": {}}`:                                                                         "effect",
		`{"effect": {"hang": null}}`:                                                             "effect",
		`{"effect": {"explode": {}}}`:                                                            "effect.explode",
		`{"effect": "hang"}`:                                                                     "effect",
		`{"effect": {"hang": {"for": 1}}}`:                                                       "effect.hang.for",
		`{"effect": {"hang": {}, "ok": {}}}`:                                                     "effect",
		`{"effect": {"hang": {}}, "effect": {"ok": {}}}`:                                         "effect",
		`{"effect": {"hang": {}}, "Name": "x"}`:                                                  "Name",
		`{"effect": {"hang": {}}, "name": "a/b"}`:                                                "name",
		`{"effect": {"hang": {}}, "name": "fault-7"}`:                                            "name",
		`{"effect": {"hang": {}}, "id": "fault-7"}`:                                              "id",
		`{"effect": {"hang": {}}, "hits": 1}`:                                                    "hits",
		`{"effect": {"hang": {}}, "calls": 1}`:                                                   "calls",
		`{"effect": {"hang": {}}, "added": "2026-01-01T00:00:00Z"}`:                              "added",
		`{"effect": {"hang": {}}, "arm": "label"}`:                                               "name",
		`{"effect": {"hang": {}}, "arm": "trap", "name": "x"}`:                                   "arm",
		`{"effect": {"hang": {}}, "match": {"operation": "CreateCoffee"}}`:                       "match.operation",
		`{"effect": {"hang": {}}, "match": {"operation": "AddFault"}}`:                           "match.operation",
		`{"effect": {"hang": {}}, "match": {"labels": "a in ("}}`:                                "match.labels",
		`{"effect": {"hang": {}}, "match": {"operation": "List*", "labels": "a"}}`:               "match.operation",
		`{"effect": {"hang": {}}, "match": {"operation": "Watch*", "zone": "a"}}`:                "match.operation",
		`{"effect": {"hang": {}}, "match": {"operation": "List*"}, "arm": "label", "name": "x"}`: "match.operation",
		`{"effect": {"hang": {}}, "match": {"resource": "machine/*"}}`:                           "match.resource",
		`{"effect": {"hang": {}}, "match": {"operation": "*Volume", "resource": "instance/*"}}`:  "match.resource",
		`{"effect": {"hang": {}}, "match": {"operation": "List*", "resource": "instance/i-1"}}`:  "match.resource",
		`{"effect": {"hang": {}}, "match": {"label": "a"}}`:                                      "match.label",
		`{"effect": {"hang": {}}, "when": {"times": -1}}`:                                        "when.times",
		`{"effect": {"hang": {}}, "when": {"times": 0}}`:                                         "when.times",
		`{"effect": {"hang": {}}, "when": {"every": 0}}`:                                         "when.every",
		`{"effect": {"hang": {}}, "when": {"probability": 0}}`:                                   "when.probability",
		`{"effect": {"hang": {}}, "when": {"probability": 1.1}}`:                                 "when.probability",
		`{"effect": {"hang": {}}, "when": {"after": "soon"}}`:                                    "when.after",
		`{"effect": {"hang": {}}, "when": {"after": "-1s"}}`:                                     "when.after",
		`{"effect": {"hang": {}}, "when": {"after": "2s", "until": "2s"}}`:                       "when.until",
		`{"effect": {"error": {"code": "gone"}}}`:                                                "effect.error.code",
		`{"effect": {"error": {"code": "locked", "retryAfter": "-1s"}}}`:                         "effect.error.retryAfter",
		`{"effect": {"delay": {}}}`:                                                              "effect.delay.duration",
		`{"effect": {"delay": {"duration": 3}}}`:                                                 "effect.delay.duration",
		`{"effect": {"delay": {"duration": "1s", "jitter": "x"}}}`:                               "effect.delay.jitter",
		`{"effect": {"reset": {}}}`:                                                              "effect.reset.when",
		`{"effect": {"garble": {"body": "xml"}}}`:                                                "effect.garble.body",
		`{"effect": {"garble": {"body": "html", "status": 99}}}`:                                 "effect.garble.status",
		`{"effect": {"garble": {"body": "bare-404", "status": 200}}}`:                            "effect.garble.status",
		`{"effect": {"garble": {"body": "truncated"}}, "match": {"operation": "WatchEvents"}}`:   "effect.garble",
		`{"effect": {"stale": {}}}`:                                                              "effect.stale.by",
		`{"effect": {"stale": {"by": "1s"}}, "match": {"operation": "Create*"}}`:                 "effect.stale",
		`{"effect": {"hide": {"for": "0s"}}}`:                                                    "effect.hide.for",
		`{"effect": {"page": {"lie": "white"}}}`:                                                 "effect.page.lie",
		`{"effect": {"page": {"lie": "size"}}}`:                                                  "effect.page.size",
		`{"effect": {"page": {"lie": "drop", "size": 1}}}`:                                       "effect.page.size",
		`{"effect": {"page": {"lie": "drop"}}, "match": {"operation": "Get*"}}`:                  "effect.page",
		`{"effect": {"lock": {"for": "48h"}}}`:                                                   "effect.lock.for",
		`{"effect": {"lock": {"for": "1s"}}, "match": {"operation": "List*"}}`:                   "effect.lock",
		`{"effect": {"state": {"to": "exploded"}}}`:                                              "effect.state.to",
		`{"effect": {"state": {"to": "running"}}, "match": {"operation": "CreateVolume"}}`:       "effect.state",
		`{"effect": {"state": {"to": "error", "after": "-1s"}}}`:                                 "effect.state.after",
		`{"effect": {"state": {"code": "broken"}}}`:                                              "effect.state.code",
		`{"effect": {"state": {}}}`:                                                              "effect.state.to",
		`{"effect": {"state": {"code": "locked"}}, "match": {"operation": "CreateFloatingIP"}}`:  "effect.state",
		`{"effect": {"sequence": []}}`:                                                           "effect.sequence",
		`{"effect": {"sequence": [{"ok": {}}, {"delay": {"duration": "x"}}]}}`:                   "effect.sequence[1].delay.duration",
		`{"effect": {"sequence": [{"ok": {}}, {}]}}`:                                             "effect.sequence[1]",
		`{"effect": {"sequence": [{"sequence": [{"ok": {}}]}]}}`:                                 "effect.sequence[0].sequence",
		`{"effect": {"sequence": [{"page": {"lie": "drop"}}]}, "match": {"operation": "Get*"}}`:  "effect.sequence",
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, l.cloud.URL()+"/_sim/faults", strings.NewReader(rule))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+l.cloud.Token())
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		var problem struct {
			Code   simcloud.Code
			Errors []simcloud.FieldError
		}
		if err := errors.Join(json.NewDecoder(res.Body).Decode(&problem), res.Body.Close()); err != nil {
			t.Fatal(err)
		}
		if res.StatusCode != http.StatusUnprocessableEntity || problem.Code != simcloud.Invalid ||
			len(problem.Errors) != 1 || problem.Errors[0].Field != field {
			t.Errorf("%s: %d %+v, want 422 for %s alone", rule, res.StatusCode, problem, field)
		}
	}
	if rules, err := l.ListFaults(t.Context()); err != nil || len(rules) != 0 {
		t.Errorf("rules %v, %v", rules, err)
	}
}
