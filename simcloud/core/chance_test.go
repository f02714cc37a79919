package core_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/core"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// TestEverythingByChance calls all that changes resources in a cloud that is
// slow, whose zones go down and whose operations fail: each rule that Check
// knows holds after every step, no call fails for an inner reason, and whoever
// follows the events knows the cloud.
func TestEverythingByChance(t *testing.T) {
	t.Parallel()
	for seed := range uint64(2) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			newTumult(t, seed).run(200)
		})
	}
}

// tumult does things by chance to a cloud.
type tumult struct {
	*testing.T
	cloud *core.Cloud
	clock *fakeClock
	dice  *rand.Rand
	state simcloud.State
	steps []chanceStep
	codes map[string]map[simcloud.Code]int
	known map[store.Ref]string // from events
	seen  uint64
	made  int
}

// chanceStep is a call; how often it is chosen is its weight.
type chanceStep struct {
	verb   string
	weight int
	do     func(context.Context) error
}

func newTumult(t *testing.T, seed uint64) *tumult {
	clock := newFakeClock()
	s := &tumult{
		T: t, clock: clock, dice: rand.New(rand.NewPCG(seed, 7)),
		codes: map[string]map[simcloud.Code]int{}, known: map[store.Ref]string{},
		cloud: open(t, core.Config{Seed: seed, Clock: clock, Progression: simcloud.Progression{
			Mode: simcloud.ProgressionTime, Duration: simcloud.Duration(time.Second), Jitter: simcloud.Duration(4 * time.Second),
		}}),
	}
	s.steps = slices.Concat(s.placeSteps(), s.networkSteps(), s.groupSteps(), s.targetGroupSteps(), s.machineSteps(), s.verbSteps(), s.volumeSteps(), s.frontSteps(), s.cloudSteps())
	return s
}

func (s *tumult) run(steps int) {
	var chosen []chanceStep
	for _, step := range s.steps {
		for range step.weight {
			chosen = append(chosen, step)
		}
	}
	for n := range steps {
		s.state = must[simcloud.State](s)(s.cloud.GetState(s.Context()))
		step := chosen[s.dice.IntN(len(chosen))]
		err := step.do(s.context(step.verb))
		if s.codes[step.verb] == nil {
			s.codes[step.verb] = map[simcloud.Code]int{}
		}
		code := simcloud.CodeOf(err)
		s.codes[step.verb][code]++
		if code == simcloud.Internal || code == simcloud.Unavailable {
			s.Fatalf("step %d, %s: %v", n, step.verb, err)
		}
		if err := s.cloud.Check(s.Context()); err != nil {
			s.Fatalf("step %d, %s (%v): %v", n, step.verb, err, err)
		}
		s.follow()
		if s.dice.IntN(2) == 0 {
			s.clock.move(time.Duration(s.dice.IntN(3000)) * time.Millisecond)
		}
	}
	s.calm()
	for _, verb := range slices.Sorted(maps.Keys(s.codes)) {
		s.Log(verb, s.codes[verb])
	}
}

// calm waits for all that is under way: then nothing is locked any more.
func (s *tumult) calm() {
	s.clock.move(time.Minute)
	state := must[simcloud.State](s)(s.cloud.GetState(s.Context()))
	for _, op := range state.Operations {
		if op.Finished.IsZero() {
			s.Errorf("%s never ends", op.ID)
		}
	}
	s.idle(metas(state.Instances), metas(state.Volumes), metas(state.LoadBalancers))
	if err := s.cloud.Check(s.Context()); err != nil {
		s.Errorf("in the end: %v", err)
	}
}

func (s *tumult) idle(kinds ...[]simcloud.Meta) {
	for _, meta := range slices.Concat(kinds...) {
		if meta.Operation != "" {
			s.Errorf("%s waits for %s", meta.ID, meta.Operation)
		}
	}
}

func metas[T any, P store.Resource[T]](items []T) []simcloud.Meta {
	all := make([]simcloud.Meta, len(items))
	for i := range items {
		all[i] = *P(&items[i]).GetMeta()
	}
	return all
}

// context is that of a call, now and then of one whose operation fails.
func (s *tumult) context(verb string) context.Context {
	fails := slices.ContainsFunc([]string{"Instance", "Volume", "LoadBalancer"}, func(kind string) bool { return strings.HasSuffix(verb, kind) })
	if !fails || s.dice.IntN(8) > 0 {
		return s.Context()
	}
	return simcloud.WithOverride(s.Context(), simcloud.Override{Outcome: simcloud.Outcome{State: "error"}})
}

// follow reads the events since it was last called, and compares what they
// tell with the cloud.
func (s *tumult) follow() {
	state := must[simcloud.State](s)(s.cloud.GetState(s.Context()))
	if state.Revision > s.seen {
		for event, err := range s.cloud.WatchEvents(s.Context(), s.seen) {
			if err != nil {
				s.Fatal(err)
			}
			s.learn(event)
			if s.seen == state.Revision {
				break
			}
		}
	}
	is := map[store.Ref]string{}
	describeAll(is, simcloud.KindZone, state.Zones)
	describeAll(is, simcloud.KindRegion, state.Regions)
	describeAll(is, simcloud.KindNetwork, state.Networks)
	describeAll(is, simcloud.KindSubnet, state.Subnets)
	describeAll(is, simcloud.KindInstance, state.Instances)
	describeAll(is, simcloud.KindVolume, state.Volumes)
	describeAll(is, simcloud.KindSSHKey, state.SSHKeys)
	describeAll(is, simcloud.KindLoadBalancer, state.LoadBalancers)
	describeAll(is, simcloud.KindFloatingIP, state.FloatingIPs)
	describeAll(is, simcloud.KindRouteTable, state.RouteTables)
	describeAll(is, simcloud.KindCluster, state.Clusters)
	describeAll(is, simcloud.KindDocument, state.Documents)
	describeAll(is, simcloud.KindSecurityGroup, state.SecurityGroups)
	describeAll(is, simcloud.KindTargetGroup, state.TargetGroups)
	for ref, text := range is {
		if s.known[ref] != text {
			s.Fatalf("%v is %s, the events say %s", ref, text, s.known[ref])
		}
	}
	for ref, text := range s.known {
		if is[ref] == "" {
			s.Fatalf("%v is gone, the events say %s", ref, text)
		}
	}
}

func (s *tumult) learn(event simcloud.Event) {
	if event.Revision != s.seen+1 {
		s.Fatalf("the event after %d is %d", s.seen, event.Revision)
	}
	s.seen = event.Revision
	ref := store.Ref{Kind: event.Kind, ID: event.ID}
	_, there := s.known[ref]
	followed := event.Kind != simcloud.KindOperation && event.Kind != simcloud.KindProject && event.Kind != simcloud.KindQuota &&
		event.Kind != simcloud.KindInstanceType && event.Kind != simcloud.KindFloatingIPPool
	switch {
	case !followed:
	case there == (event.Type == simcloud.Created):
		s.Fatalf("%v is %s, and was there: %t", ref, event.Type, there)
	case event.Type == simcloud.Deleted:
		delete(s.known, ref)
	default:
		s.known[ref] = string(event.Object)
	}
}

func describeAll[T any, P store.Resource[T]](is map[store.Ref]string, kind simcloud.Kind, items []T) {
	for i := range items {
		raw, _ := json.Marshal(items[i])
		is[store.Ref{Kind: kind, ID: P(&items[i]).GetMeta().ID}] = string(raw)
	}
}
