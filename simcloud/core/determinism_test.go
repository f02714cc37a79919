package core_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/core"
)

// player plays calls on a cloud whose clock stands still, all chosen by dice.
type player struct {
	*testing.T
	*core.Cloud
	dice    *rand.Rand
	answers []string
}

func newPlayer(t *testing.T, seed uint64) *player {
	t.Helper()
	cloud := open(t, core.Config{Clock: newFakeClock(), Seed: seed})
	must[simcloud.ClockStatus](t)(cloud.SetClock(t.Context(), simcloud.ClockSpec{Mode: simcloud.ClockManual}))
	return &player{T: t, Cloud: cloud, dice: rand.New(rand.NewPCG(7, 7))}
}

// play makes so many calls.
func (p *player) play(times int) {
	p.Helper()
	for i := range times {
		if i%60 == 0 {
			p.configure()
		}
		calls := p.calls()
		answer, err := calls[p.dice.IntN(len(calls))](p.disturbed())
		p.note(answer, err)
	}
}

// play returns all that the cloud has and has told, in bytes, after some
// hundred calls of all kinds. The calls follow from their own seed alone.
func play(t *testing.T, seed uint64) (state simcloud.State, all []string) {
	t.Helper()
	p := newPlayer(t, seed)
	p.play(1000)
	state = must[simcloud.State](t)(p.GetState(t.Context()))
	p.note(state, nil)
	for _, event := range eventsOf(t, p.Cloud) {
		p.note(event, nil)
	}
	return state, p.answers
}

func (p *player) note(answer any, err error) {
	raw, marshalErr := json.Marshal(answer)
	if marshalErr != nil {
		p.Fatal(marshalErr)
	}
	p.answers = append(p.answers, fmt.Sprintf("%s %v", raw, err))
}

// configure lets operations take another course.
func (p *player) configure() {
	p.Helper()
	jittery := simcloud.Progression{Mode: simcloud.ProgressionTime, Duration: simcloud.Duration(time.Second), Jitter: simcloud.Duration(9 * time.Second)}
	choices := []simcloud.Progression{{Mode: simcloud.ProgressionImmediate}, jittery, pollsOf(2)}
	exceptions := map[simcloud.Kind]simcloud.Progression{
		simcloud.KindVolume: choices[p.dice.IntN(3)], simcloud.KindLoadBalancer: choices[p.dice.IntN(3)],
	}
	must[simcloud.Config](p)(p.UpdateConfig(p.Context(), simcloud.ConfigUpdate{
		Progression: &choices[p.dice.IntN(3)], Progressions: &exceptions,
		Consistency: &simcloud.Consistency{StaleLists: simcloud.Duration(p.dice.IntN(2)) * simcloud.Duration(5*time.Second)},
	}))
}

// disturbed is a context whose operations now and then end in error.
func (p *player) disturbed() context.Context {
	if p.dice.IntN(6) == 0 {
		return ending(p.T, "error", time.Duration(p.dice.IntN(3))*time.Second)
	}
	return p.Context()
}

// some returns an id that may be there.
func (p *player) some(prefix string) simcloud.ID {
	return simcloud.ID(fmt.Sprintf("%s%d", prefix, 1+p.dice.IntN(12)))
}

// played is a call whose answer is whatever it is.
type played func(context.Context) (any, error)

func answering[T any](call func(context.Context) (T, error)) played {
	return func(ctx context.Context) (any, error) { return call(ctx) }
}

// calls are those that may come next.
func (p *player) calls() []played {
	return append(append(p.instanceCalls(), p.networkCalls()...),
		answering(func(ctx context.Context) (simcloud.ClockAdvance, error) {
			return p.AdvanceClock(ctx, simcloud.Duration(p.dice.IntN(int(5*time.Second))))
		}),
		answering(func(ctx context.Context) (simcloud.Page[simcloud.Instance], error) {
			return p.ListInstances(ctx, simcloud.ListOptions{})
		}),
		answering(func(ctx context.Context) (simcloud.Page[simcloud.LoadBalancer], error) {
			return p.ListLoadBalancers(ctx, simcloud.ListOptions{})
		}),
		answering(func(ctx context.Context) (simcloud.Operation, error) { return p.GetOperation(ctx, p.some("op-")) }),
	)
}

func (p *player) instanceCalls() []played {
	instance, volume := p.some("i-"), p.some("vol-")
	key := simcloud.IdempotencyKey(fmt.Sprintf("key-%d", p.dice.IntN(400)))
	return []played{
		answering(func(ctx context.Context) (instanceResult, error) {
			return p.CreateInstance(ctx, simcloud.InstanceSpec{Name: "a"}, key)
		}),
		answering(func(ctx context.Context) (instanceResult, error) {
			return p.CreateInstance(ctx, simcloud.InstanceSpec{Name: "b", NoPublicAddress: true})
		}),
		answering(func(ctx context.Context) (instanceResult, error) { return p.StopInstance(ctx, instance) }),
		answering(func(ctx context.Context) (instanceResult, error) { return p.StartInstance(ctx, instance) }),
		answering(func(ctx context.Context) (instanceResult, error) { return p.RebootInstance(ctx, instance) }),
		answering(func(ctx context.Context) (instanceResult, error) { return p.RecreateInstance(ctx, instance) }),
		answering(func(ctx context.Context) (instanceResult, error) {
			return p.RebuildInstance(ctx, instance, simcloud.InstanceRebuild{})
		}),
		answering(func(ctx context.Context) (instanceResult, error) {
			return p.AddInstanceAddress(ctx, instance, simcloud.AddressSpec{Scope: simcloud.ScopePublic})
		}),
		answering(func(ctx context.Context) (simcloud.Operation, error) { return p.DeleteInstance(ctx, instance) }),
		answering(func(ctx context.Context) (simcloud.Result[simcloud.Volume], error) {
			return p.CreateVolume(ctx, simcloud.VolumeSpec{Name: "v", SizeGiB: 1})
		}),
		answering(func(ctx context.Context) (simcloud.Result[simcloud.Volume], error) {
			return p.AttachVolume(ctx, volume, simcloud.VolumeAttachment{Instance: instance})
		}),
		answering(func(ctx context.Context) (simcloud.Result[simcloud.Volume], error) {
			return p.DetachVolume(ctx, volume)
		}),
		answering(func(ctx context.Context) (simcloud.Operation, error) { return p.DeleteVolume(ctx, volume) }),
		answering(func(ctx context.Context) (simcloud.Result[simcloud.SSHKey], error) {
			return p.CreateSSHKey(ctx, simcloud.SSHKeySpec{Name: "k", PublicKey: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"})
		}),
	}
}

func (p *player) networkCalls() []played {
	instance, lb, fip := p.some("i-"), p.some("lb-"), p.some("fip-")
	port := 80 + p.dice.IntN(3)
	zone := []simcloud.ID{"zone-a", "zone-b"}[p.dice.IntN(2)]
	state := []simcloud.ZoneState{simcloud.ZoneAvailable, simcloud.ZoneDown}[p.dice.IntN(2)]
	return []played{
		answering(func(ctx context.Context) (simcloud.Result[simcloud.LoadBalancer], error) {
			return p.CreateLoadBalancer(ctx, simcloud.LoadBalancerSpec{
				Name: "lb", Scheme: simcloud.SchemeInternal, Targets: []simcloud.TargetSpec{{Instance: instance}},
			})
		}),
		answering(func(ctx context.Context) (simcloud.Result[simcloud.LoadBalancer], error) {
			return p.CreateListener(ctx, lb, simcloud.ListenerSpec{
				Protocol: simcloud.ProtocolTCP, Port: port, ListenerConfig: simcloud.ListenerConfig{TargetPort: port},
			})
		}),
		answering(func(ctx context.Context) (simcloud.Result[simcloud.LoadBalancer], error) {
			return p.FailoverLoadBalancer(ctx, lb)
		}),
		answering(func(ctx context.Context) (simcloud.Operation, error) { return p.DeleteLoadBalancer(ctx, lb) }),
		answering(func(ctx context.Context) (simcloud.Result[simcloud.FloatingIP], error) {
			return p.CreateFloatingIP(ctx, simcloud.FloatingIPSpec{Name: "f"})
		}),
		answering(func(ctx context.Context) (simcloud.Result[simcloud.FloatingIP], error) {
			return p.AttachFloatingIP(ctx, fip, simcloud.Attachment{Kind: simcloud.KindInstance, ID: instance})
		}),
		answering(func(ctx context.Context) (simcloud.Operation, error) { return p.DeleteFloatingIP(ctx, fip) }),
		answering(func(ctx context.Context) (simcloud.Result[simcloud.RouteTable], error) {
			return p.CreateRoute(ctx, "rt-1", simcloud.RouteSpec{
				Destination: fmt.Sprintf("10.244.%d.0/24", port), NextHop: simcloud.NextHop{Instance: instance},
			})
		}),
		answering(func(ctx context.Context) (simcloud.Result[simcloud.Zone], error) {
			return p.SetZoneState(ctx, zone, simcloud.ZoneStateSpec{State: state})
		}),
	}
}

// TestDeterminism: the same seed and the same calls make the same cloud, and
// tell the same story, to the last byte; another seed makes other addresses.
func TestDeterminism(t *testing.T) {
	t.Parallel()
	first, told := play(t, 1)
	_, again := play(t, 1)
	for i := range told {
		if told[i] != again[i] {
			t.Fatalf("answer %d (-first +second):\n%s", i, cmp.Diff(told[i], again[i]))
		}
	}
	if len(told) != len(again) || len(first.Operations) < 200 {
		t.Errorf("%d and %d answers, %d operations", len(told), len(again), len(first.Operations))
	}
	states := map[simcloud.OperationState]bool{}
	for _, op := range first.Operations {
		states[op.State] = true
	}
	if !states[simcloud.OperationDone] || !states[simcloud.OperationFailed] {
		t.Errorf("the operations are %v: some should be done and some failed", states)
	}
	other, _ := play(t, 2)
	if cmp.Equal(publicAddresses(first), publicAddresses(other)) {
		t.Errorf("another seed has the same addresses: %v", publicAddresses(other))
	}
}

func publicAddresses(state simcloud.State) (addresses []string) {
	for _, fip := range state.FloatingIPs {
		addresses = append(addresses, fip.Address)
	}
	return addresses
}
