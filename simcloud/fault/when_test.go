package fault_test

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
)

// set is the rules of a cloud whose clock a test moves.
type set struct {
	*testing.T
	*fault.Set
	now    time.Time
	asked  int
	around map[simcloud.ID]fault.Subject
}

func newSet(t *testing.T, seed uint64, rules ...string) *set {
	t.Helper()
	s := &set{T: t, now: time.Unix(1e9, 0), around: map[simcloud.ID]fault.Subject{}}
	s.Set = fault.New(fault.Config{
		Seed: seed, Now: func() time.Time { return s.now },
		Lookup: func(_ context.Context, _ simcloud.Kind, id simcloud.ID) (fault.Subject, bool) {
			s.asked++
			subject, ok := s.around[id]
			return subject, ok
		},
	})
	for _, rule := range rules {
		parsed, err := fault.Parse([]byte(rule))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.AddFault(t.Context(), parsed); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func endpoint(t *testing.T, operation string) simcloud.Endpoint {
	t.Helper()
	e, ok := simcloud.EndpointOf(operation)
	if !ok {
		t.Fatalf("there is no %s", operation)
	}
	return e
}

// pick is what happens at one call of an operation, "-" for nothing.
func (s *set) pick(operation string, id simcloud.ID) string {
	s.Helper()
	hit := s.Pick(s.Context(), &fault.Call{Endpoint: endpoint(s.T, operation), Resource: id})
	if hit == nil {
		return "-"
	}
	return strings.TrimPrefix(string(hit.Fault), "fault-")
}

// run is what happens at so many calls.
func (s *set) run(calls int) string {
	s.Helper()
	var seen strings.Builder
	for range calls {
		seen.WriteString(s.pick("GetInstance", "i-1"))
	}
	return seen.String()
}

func TestWhen(t *testing.T) {
	t.Parallel()
	for when, want := range map[string]string{
		``:                                   "1111111111",
		`"skip": 3`:                          "---1111111",
		`"times": 3`:                         "111-------",
		`"every": 3`:                         "--1--1--1-",
		`"every": 1`:                         "1111111111",
		`"skip": 2, "times": 1`:              "--1-------",
		`"skip": 1, "every": 2, "times": 3`:  "--1-1-1---",
		`"probability": 1`:                   "1111111111",
		`"skip": 2, "every": 4, "times": 99`: "-----1---1",
	} {
		s := newSet(t, 1, `{"when": {`+when+`}, "effect": {"hang": {}}}`)
		if got := s.run(10); got != want {
			t.Errorf("%s: got %s, want %s", when, got, want)
		}
	}
}

// TestWhenByTheClock: calls before After and from Until on are not counted.
func TestWhenByTheClock(t *testing.T) {
	t.Parallel()
	s := newSet(t, 1, `{"when": {"after": "10s", "until": "20s", "skip": 1}, "effect": {"hang": {}}}`)
	var seen strings.Builder
	for range 3 {
		seen.WriteString(s.run(2) + " ")
		s.now = s.now.Add(10*time.Second - time.Nanosecond)
		seen.WriteString(s.run(1) + " ")
		s.now = s.now.Add(time.Nanosecond)
	}
	if got, want := seen.String(), "-- - -1 1 -- - "; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if rule, err := s.GetFault(t.Context(), "fault-1"); err != nil || rule.Calls != 3 || rule.Hits != 2 {
		t.Errorf("%d calls, %d hits, %v; want 3 and 2", rule.Calls, rule.Hits, err)
	}
}

// TestProbability: dice are thrown by the seed, the rule and the number of its
// call, so that neither other rules nor other calls change them.
func TestProbability(t *testing.T) {
	t.Parallel()
	likely := `{"match": {"operation": "GetInstance"}, "when": {"probability": 0.3}, "effect": {"hang": {}}}`
	one := newSet(t, 7, likely).run(1000)
	if hits := strings.Count(one, "1"); hits < 250 || hits > 350 {
		t.Errorf("%d of 1000 calls are hit, want about 300", hits)
	}
	if two := newSet(t, 7, likely).run(1000); one != two {
		t.Error("two runs with the same seed differ")
	}
	if other := newSet(t, 8, likely).run(1000); one == other {
		t.Error("two seeds have the same dice")
	}
	two := newSet(t, 7, likely, likely).run(1000)
	if hits := strings.Count(two, "2"); hits < 160 || hits > 260 { // 0.3 of those that the first leaves
		t.Errorf("a second rule hits %d of 1000 calls, want about 210: its dice are not its own", hits)
	}
	crowded := newSet(t, 7, likely, `{"when": {"probability": 0.5}, "effect": {"ok": {}}}`)
	var seen strings.Builder
	for i := range 1000 {
		crowded.pick("GetZone", simcloud.ID(strconv.Itoa(i)))
		seen.WriteString(crowded.pick("GetInstance", "i-1"))
	}
	if got := strings.NewReplacer("2", "-").Replace(seen.String()); got != one {
		t.Error("other rules and calls change the dice")
	}
}

func TestMatch(t *testing.T) {
	t.Parallel()
	calls := map[string]fault.Call{
		"get":  {Endpoint: endpoint(t, "GetInstance"), Resource: "i-1"},
		"stop": {Endpoint: endpoint(t, "StopInstance"), Resource: "i-2"},
		"list": {Endpoint: endpoint(t, "ListInstances")},
		"create": {Endpoint: endpoint(t, "CreateInstance"), Subject: func() fault.Subject {
			return fault.Subject{Name: "web-9", Zone: "zone-a", Labels: map[string]string{"app": "web"}}
		}},
		"lb":     {Endpoint: endpoint(t, "GetLoadBalancer"), Resource: "lb-1"},
		"gone":   {Endpoint: endpoint(t, "GetInstance"), Resource: "i-99"},
		"theirs": {Endpoint: endpoint(t, "ListVolumes"), Caller: simcloud.Caller{Token: "tok-2", Project: "theirs", UserAgent: "ccm/1.2"}},
		"events": {Endpoint: endpoint(t, "WatchEvents")},
		"reset":  {Endpoint: endpoint(t, "Reset")},
		"faults": {Endpoint: endpoint(t, "ListFaults")},
	}
	for match, want := range map[string]string{
		``:                                         "create events get gone lb list stop theirs",
		`"operation": "Get*"`:                      "get gone lb",
		`"operation": "*Instance"`:                 "create get gone stop",
		`"operation": "WatchEvents"`:               "events",
		`"resource": "instance/*"`:                 "get gone stop",
		`"resource": "instance*"`:                  "create get gone list stop",
		`"resource": "*/i-1"`:                      "get",
		`"resource": "web-*"`:                      "create get lb",
		`"resource": "web-1"`:                      "get lb",
		`"resource": "w*1"`:                        "get lb",
		`"labels": "app=web"`:                      "create get",
		`"labels": "app!=web"`:                     "lb stop",
		`"labels": "app in (web,db)"`:              "create get stop",
		`"labels": "!app"`:                         "lb",
		`"zone": "zone-a"`:                         "create get",
		`"zone": "zone-b"`:                         "stop",
		`"zone": "zone-a", "labels": "app=db"`:     "",
		`"caller": "ccm/*"`:                        "theirs",
		`"caller": "tok-2"`:                        "theirs",
		`"caller": "other"`:                        "",
		`"project": "theirs"`:                      "theirs",
		`"project": "theirs", "operation": "Get*"`: "",
	} {
		s := newSet(t, 1, `{"match": {`+match+`}, "effect": {"hang": {}}}`)
		s.around["i-1"] = fault.Subject{Name: "web-1", Zone: "zone-a", Labels: map[string]string{"app": "web"}}
		s.around["i-2"] = fault.Subject{Name: "db-1", Zone: "zone-b", Labels: map[string]string{"app": "db"}}
		s.around["lb-1"] = fault.Subject{Name: "web-1"}
		var hit []string
		for _, name := range []string{"create", "events", "faults", "get", "gone", "lb", "list", "reset", "stop", "theirs"} {
			call := calls[name]
			if s.Pick(t.Context(), &call) != nil {
				hit = append(hit, name)
			}
		}
		if got := strings.Join(hit, " "); got != want {
			t.Errorf("%s: got %q, want %q", match, got, want)
		}
	}
}

// TestLookups: a resource is looked up once, and only for rules that ask for it.
func TestLookups(t *testing.T) {
	t.Parallel()
	s := newSet(t, 1, `{"match": {"resource": "instance/*"}, "effect": {"hang": {}}}`, `{"match": {"resource": "load_balancer/lb-1", "labels": "a"}, "effect": {"hang": {}}}`)
	s.run(3)
	if s.asked != 0 {
		t.Errorf("%d look-ups for rules that do not ask", s.asked)
	}
	s = newSet(t, 1, `{"match": {"labels": "a"}, "effect": {"hang": {}}}`, `{"match": {"zone": "z"}, "effect": {"hang": {}}}`)
	s.run(3)
	if s.asked != 3 {
		t.Errorf("%d look-ups for 3 calls", s.asked)
	}
}

// TestStateFits: of all operations that the glob matches, an effect applies only to those that can have it.
func TestStateFits(t *testing.T) {
	t.Parallel()
	s := newSet(t, 1, `{"effect": {"state": {"to": "suspended"}}}`)
	for operation, want := range map[string]string{
		"CreateInstance": "1", "StopInstance": "1", "GetInstance": "-", "CreateVolume": "-", "CreateLoadBalancer": "-", "CreateNetwork": "-",
	} {
		if got := s.pick(operation, ""); got != want {
			t.Errorf("%s: got %s, want %s", operation, got, want)
		}
	}
	s = newSet(t, 1, `{"effect": {"state": {"code": "unavailable"}}}`)
	for operation, want := range map[string]string{
		"CreateListener": "1", "CreateRoute": "1", "DeleteRoute": "1", "UpdateRouteTable": "-", "CreateNetwork": "-", "ListRouteTables": "-",
	} {
		if got := s.pick(operation, ""); got != want {
			t.Errorf("with a code, %s: got %s, want %s", operation, got, want)
		}
	}
}

// TestConcurrentHits: however many call at once, the counts are exact.
func TestConcurrentHits(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.add(`{"name": "some", "match": {"operation": "ListRegions"}, "when": {"skip": 10, "times": 25}, "effect": {"error": {"code": "conflict"}}}`)
	l.add(`{"name": "all", "match": {"operation": "List*"}, "effect": {"error": {"code": "in_use"}}}`)
	const callers, calls = 8, 20
	var some, all atomic.Uint64
	var group sync.WaitGroup
	for range callers {
		group.Go(func() {
			for i := range calls {
				_, err := l.ListRegions(t.Context(), simcloud.ListOptions{})
				switch simcloud.CodeOf(err) {
				case simcloud.Conflict:
					some.Add(1)
				case simcloud.InUse:
					all.Add(1)
				default:
					t.Errorf("got %v", err)
				}
				if i%5 == 0 { // rules come and go meanwhile
					added := fault.Rule{Match: fault.Match{Operation: "GetZone"}, Effect: fault.Effect{OK: &fault.OK{}}}
					if rule, err := l.AddFault(t.Context(), added); err != nil || l.DeleteFault(t.Context(), rule.ID) != nil {
						t.Errorf("add and delete: %v", err)
					}
				}
			}
		})
	}
	group.Wait()
	if some.Load() != 25 || all.Load() != callers*calls-25 {
		t.Errorf("%d and %d answers, want 25 and %d", some.Load(), all.Load(), callers*calls-25)
	}
	rules, err := l.ListFaults(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var counts [][2]uint64
	for _, rule := range rules {
		counts = append(counts, [2]uint64{rule.Calls, rule.Hits})
	}
	if diff := cmp.Diff([][2]uint64{{callers * calls, 25}, {callers * calls, callers*calls - 25}}, counts); diff != "" {
		t.Errorf("calls and hits (-want +got):\n%s", diff)
	}
}

// TestNoRulesCostNothing: a call that no rule matches allocates nothing.
func TestNoRulesCostNothing(t *testing.T) {
	set := fault.New(fault.Config{})
	call := &fault.Call{Endpoint: endpoint(t, "GetInstance"), Resource: "i-1"}
	if n := testing.AllocsPerRun(100, func() {
		if set.Any() || set.Pick(context.Background(), call) != nil {
			t.Error("a fault without a rule")
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestLockOfAProject: callers of other projects do not learn from a lock that the resource is there.
func TestLockOfAProject(t *testing.T) {
	t.Parallel()
	s := newSet(t, 1, `{"match": {"operation": "GetInstance"}, "effect": {"lock": {"for": "1m"}}}`)
	of := func(operation string, project simcloud.ID) *fault.Hit {
		return s.Pick(t.Context(), &fault.Call{
			Endpoint: endpoint(t, operation), Resource: "i-1", Caller: simcloud.Caller{Project: project},
		})
	}
	if err := of("GetInstance", "ours").After(t.Context(), fault.Result{}); err != nil {
		t.Fatal(err)
	}
	missing := fault.Result{Err: simcloud.Errorf(simcloud.NotFound, "instance/i-1", "there is no such instance")}
	if err := of("GetInstance", "theirs").After(t.Context(), missing); err != nil {
		t.Fatal(err)
	}
	if hit := of("DeleteInstance", "theirs"); hit != nil {
		t.Errorf("they are told: %v", hit.Before(t.Context()))
	}
	if hit := of("DeleteInstance", "ours"); hit == nil || simcloud.CodeOf(hit.Before(t.Context())) != simcloud.Locked {
		t.Errorf("we are not refused: %v", hit)
	}
}

// TestLockOfARuleThatIsGone: a call that is under way when its rule goes locks nothing any more.
func TestLockOfARuleThatIsGone(t *testing.T) {
	t.Parallel()
	s := newSet(t, 1, `{"name": "lock", "match": {"operation": "GetInstance"}, "effect": {"lock": {"for": "1m"}}}`,
		`{"match": {"operation": "ListZones"}, "effect": {"ok": {}}}`)
	hit := s.Pick(t.Context(), &fault.Call{Endpoint: endpoint(t, "GetInstance"), Resource: "i-1"})
	if err := s.DeleteFault(t.Context(), "lock"); err != nil {
		t.Fatal(err)
	}
	if err := hit.After(t.Context(), fault.Result{}); err != nil {
		t.Fatal(err)
	}
	if got := s.pick("DeleteInstance", "i-1"); got != "-" {
		t.Errorf("rule %s locks", got)
	}
}

// TestLocksAreLetGo: what is over is not remembered for ever.
func TestLocksAreLetGo(t *testing.T) {
	t.Parallel()
	s := newSet(t, 1, `{"match": {"operation": "GetInstance"}, "effect": {"lock": {"for": "1m"}}}`)
	const calls = 10_000
	for i := range calls {
		s.now = s.now.Add(time.Second)
		hit := s.Pick(t.Context(), &fault.Call{Endpoint: endpoint(t, "GetInstance"), Resource: simcloud.ID("i-" + strconv.Itoa(i))})
		if err := hit.After(t.Context(), fault.Result{}); err != nil {
			t.Fatal(err)
		}
	}
	if n := s.Locks(); n > calls/4 {
		t.Errorf("%d locks are remembered, of which 60 hold", n)
	}
	last := &fault.Call{Endpoint: endpoint(t, "DeleteInstance"), Resource: simcloud.ID("i-" + strconv.Itoa(calls-1))}
	if hit := s.Pick(t.Context(), last); hit == nil {
		t.Error("the last lock is gone")
	}
}
