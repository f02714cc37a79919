package core_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/core"
)

// shownInstance reads an instance and what it takes to show it, as a dialect does.
func shownInstance(cloud *core.Cloud, id simcloud.ID) func(context.Context) (any, error) {
	return func(ctx context.Context) (any, error) {
		instance, err := cloud.GetInstance(ctx, id)
		if err != nil {
			return nil, err
		}
		zone, err := cloud.GetZone(ctx, instance.Zone)
		if err != nil {
			return nil, err
		}
		operation, err := cloud.GetOperation(ctx, cmpOr(instance.Operation, "op-missing"))
		if err != nil && simcloud.CodeOf(err) != simcloud.NotFound {
			return nil, err
		}
		lbs, known, err := cloud.Referring(ctx, simcloud.KindLoadBalancer, simcloud.Ref(simcloud.KindInstance, id))
		if err != nil {
			return nil, err
		}
		fips, err := cloud.ListFloatingIPs(ctx, simcloud.ListOptions{RefersTo: simcloud.Ref(simcloud.KindInstance, id)})
		raw, errRaw := json.Marshal([]any{instance, zone, operation, lbs, known, fips.Items})
		return string(raw), errors.Join(err, errRaw)
	}
}

func cmpOr(id, other simcloud.ID) simcloud.ID {
	if id == "" {
		return other
	}
	return id
}

// TestRemember: whatever happens to the cloud, what is remembered is what would be read.
func TestRemember(t *testing.T) {
	t.Parallel()
	p := newPlayer(t, 12)
	remembered := 0
	for round := range 300 {
		if round%10 == 0 {
			p.settle()
		}
		p.play(2)
		for _, instance := range must[simcloud.State](t)(p.GetState(t.Context())).Instances {
			for range 2 {
				ran := false
				show := shownInstance(p.Cloud, instance.ID)
				got, err := p.Remember(t.Context(), string(instance.ID), func(ctx context.Context) (any, error) {
					ran = true
					return show(ctx)
				})
				if ran { // it may have been a read that counts: the next one has another answer
					continue
				}
				remembered++
				var want any
				wantErr := p.View(t.Context(), func(ctx context.Context) (err error) {
					want, err = show(ctx)
					return err
				})
				if err != nil || wantErr != nil || got != want {
					t.Fatalf("%s is remembered as\n%v, %v, and is\n%v, %v", instance.ID, got, err, want, wantErr)
				}
			}
		}
	}
	if remembered < 200 {
		t.Errorf("only %d answers were remembered", remembered)
	}
}

// remembering counts how often an answer had to be made.
type remembering struct {
	*core.Cloud
	made int
}

func (r *remembering) ask(ctx context.Context, fn func(context.Context) error) (made bool, err error) {
	before := r.made
	_, err = r.Remember(ctx, "key", func(ctx context.Context) (any, error) {
		r.made++
		return r.made, fn(ctx)
	})
	return r.made > before, err
}

// TestRememberNot: what an answer depends on beside resources, and what cannot be
// looked at again, is read each time.
func TestRememberNot(t *testing.T) {
	t.Parallel()
	zoneA := func(c *remembering) func(context.Context) error {
		return func(ctx context.Context) error {
			_, err := c.GetZone(ctx, "zone-a")
			return err
		}
	}
	once := func(ctx context.Context) func(*remembering) context.Context {
		return func(*remembering) context.Context { return ctx }
	}
	for name, test := range map[string]struct {
		read  func(*remembering) func(context.Context) error
		again func(*remembering) context.Context
		made  bool
	}{
		"the same":        {zoneA, once(t.Context()), false},
		"another project": {zoneA, once(simcloud.WithCaller(t.Context(), simcloud.Caller{Project: "other", Role: simcloud.CallerFrom(t.Context()).Role})), true},
		"another role":    {zoneA, once(simcloud.WithCaller(t.Context(), simcloud.Caller{Project: simcloud.CallerFrom(t.Context()).Project, Role: simcloud.RoleReader})), true},
		"the past":        {zoneA, once(behind(t.Context(), time.Second)), true},
		"the configuration": {zoneA, func(c *remembering) context.Context {
			must[simcloud.Config](t)(c.UpdateConfig(t.Context(), simcloud.ConfigUpdate{Progression: &minute}))
			return t.Context()
		}, true},
		"an error": {func(c *remembering) func(context.Context) error {
			return func(ctx context.Context) error {
				_, err := c.GetZone(ctx, "zone-missing")
				return err
			}
		}, once(t.Context()), true},
		"a list by pages": {func(c *remembering) func(context.Context) error {
			return func(ctx context.Context) error {
				_, err := c.ListZones(ctx, simcloud.ListOptions{PageSize: 1})
				return err
			}
		}, once(t.Context()), true},
		"a description": {func(c *remembering) func(context.Context) error {
			return func(ctx context.Context) error {
				_, err := c.GetState(ctx)
				return err
			}
		}, once(t.Context()), true},
	} {
		t.Run(name, func(t *testing.T) {
			cloud := &remembering{Cloud: open(t, core.Config{Clock: newFakeClock()})}
			_, firstErr := cloud.ask(t.Context(), test.read(cloud))
			ctx := test.again(cloud)
			made, err := cloud.ask(ctx, test.read(cloud))
			if made != test.made || cmp.Diff(simcloud.CodeOf(err), simcloud.CodeOf(firstErr)) != "" {
				t.Errorf("asked again, it was made: %v, want %v (%v, %v)", made, test.made, firstErr, err)
			}
		})
	}
}

// TestReferring: the ids are those that a list has, and only of what the caller may see.
func TestReferring(t *testing.T) {
	t.Parallel()
	cloud := open(t, core.Config{Clock: newFakeClock()})
	stranger := simcloud.WithCaller(t.Context(), simcloud.Caller{Project: "stranger", Role: simcloud.RoleReader})
	vm := must[instanceResult](t)(cloud.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "n"})).Resource.ID
	other := must[instanceResult](t)(cloud.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "o"})).Resource.ID
	var want []simcloud.ID
	for _, targets := range [][]simcloud.TargetSpec{{{Instance: vm}}, {{Instance: other}}, {{Instance: other}, {Instance: vm}}, nil} {
		made := must[simcloud.Result[simcloud.LoadBalancer]](t)(cloud.CreateLoadBalancer(t.Context(), simcloud.LoadBalancerSpec{Name: "lb", Targets: targets}))
		if len(targets) > 0 && targets[len(targets)-1].Instance == vm {
			want = append(want, made.Resource.ID)
		}
	}
	to := simcloud.Ref(simcloud.KindInstance, vm)
	got, ok, err := cloud.Referring(t.Context(), simcloud.KindLoadBalancer, to)
	if diff := cmp.Diff(want, got); diff != "" || !ok || err != nil {
		t.Errorf("%v, %v (-want +got):\n%s", ok, err, diff)
	}
	if got, ok, err := cloud.Referring(stranger, simcloud.KindLoadBalancer, to); len(got) > 0 || !ok || err != nil {
		t.Errorf("a stranger gets %v, %v, %v", got, ok, err)
	}
	if _, ok, err := cloud.Referring(t.Context(), simcloud.KindLoadBalancer, "i-1"); !ok || simcloud.CodeOf(err) != simcloud.Invalid {
		t.Errorf("what is no reference answers %v, %v", ok, err)
	}
	if _, ok, err := cloud.Referring(t.Context(), simcloud.KindToken, to); ok || err != nil {
		t.Errorf("tokens answer %v, %v", ok, err)
	}
}

// TestRememberCounts: reads that an operation waits for are made.
func TestRememberCounts(t *testing.T) {
	t.Parallel()
	cloud := &remembering{Cloud: open(t, core.Config{Clock: newFakeClock()})}
	polls := pollsOf(3)
	must[simcloud.Config](t)(cloud.UpdateConfig(t.Context(), simcloud.ConfigUpdate{Progression: &polls}))
	id := must[simcloud.Result[simcloud.Instance]](t)(cloud.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "n"})).Resource.ID
	var state simcloud.InstanceState
	read := func(ctx context.Context) error {
		instance, err := cloud.GetInstance(ctx, id)
		state = instance.State
		return err
	}
	for range 4 {
		if _, err := cloud.ask(t.Context(), read); err != nil {
			t.Fatal(err)
		}
	}
	if state != simcloud.InstanceRunning {
		t.Errorf("after four reads of the three that it takes the instance is %s", state)
	}
}

// TestRememberBehind: what reads show is not what is there, where they are behind.
func TestRememberBehind(t *testing.T) {
	t.Parallel()
	for name, consistency := range map[string]simcloud.Consistency{
		"lists": {StaleLists: simcloud.Duration(time.Minute)}, "gets": {StaleGets: simcloud.Duration(time.Minute)},
	} {
		cloud := &remembering{Cloud: open(t, core.Config{Clock: newFakeClock()})}
		must[simcloud.Config](t)(cloud.UpdateConfig(t.Context(), simcloud.ConfigUpdate{Consistency: &consistency}))
		for range 2 {
			made, err := cloud.ask(t.Context(), func(ctx context.Context) error { return ctx.Err() })
			if !made || err != nil {
				t.Errorf("while %s are behind, it was made: %v, %v", name, made, err)
			}
		}
		_, ok, err := cloud.Referring(t.Context(), simcloud.KindLoadBalancer, "instance/i-1")
		if behind := name == "lists"; ok == behind || err != nil {
			t.Errorf("while %s are behind, what refers to a resource is known: %v, %v", name, ok, err)
		}
	}
}

// TestRememberChanges: an answer is made again when something that it has read has changed, and only then.
func TestRememberChanges(t *testing.T) {
	t.Parallel()
	labels := map[string]string{"changed": "yes"}
	for name, test := range map[string]struct {
		change func(*testing.T, *core.Cloud)
		made   bool
	}{
		"what was read": {func(t *testing.T, c *core.Cloud) {
			must[instanceResult](t)(c.UpdateInstance(t.Context(), "i-1", simcloud.InstanceUpdate{Labels: &labels}))
		}, true},
		"what was read is deleted": {func(t *testing.T, c *core.Cloud) {
			must[simcloud.Operation](t)(c.DeleteInstance(t.Context(), "i-1"))
		}, true},
		"what was missing is created": {func(t *testing.T, c *core.Cloud) {
			must[simcloud.Result[simcloud.Volume]](t)(c.CreateVolume(t.Context(), simcloud.VolumeSpec{Name: "v", SizeGiB: 1}))
		}, true},
		"one of a list": {func(t *testing.T, c *core.Cloud) {
			must[simcloud.Result[simcloud.Network]](t)(c.UpdateNetwork(t.Context(), "net-1", simcloud.NetworkUpdate{Labels: &labels}))
		}, true},
		"one more of a list": {func(t *testing.T, c *core.Cloud) {
			must[simcloud.Result[simcloud.Network]](t)(c.CreateNetwork(t.Context(), simcloud.NetworkSpec{Name: "n", CIDRs: []string{"10.9.0.0/16"}}))
		}, true},
		"one more that refers to it": {func(t *testing.T, c *core.Cloud) {
			must[simcloud.Result[simcloud.LoadBalancer]](t)(c.CreateLoadBalancer(t.Context(), simcloud.LoadBalancerSpec{
				Name: "lb", Targets: []simcloud.TargetSpec{{Instance: "i-1"}},
			}))
		}, true},
		"another one": {func(t *testing.T, c *core.Cloud) {
			must[instanceResult](t)(c.UpdateInstance(t.Context(), "i-2", simcloud.InstanceUpdate{Labels: &labels}))
			must[instanceResult](t)(c.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "three"}))
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			cloud := &remembering{Cloud: open(t, core.Config{Clock: newFakeClock()})}
			for _, name := range []string{"one", "two"} {
				must[instanceResult](t)(cloud.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: name}))
			}
			read := func(ctx context.Context) error {
				_, err := cloud.GetInstance(ctx, "i-1")
				_, errVolume := cloud.GetVolume(ctx, "vol-1")
				_, errList := cloud.ListNetworks(ctx, simcloud.ListOptions{})
				_, _, errIDs := cloud.Referring(ctx, simcloud.KindLoadBalancer, "instance/i-1")
				if simcloud.CodeOf(errVolume) == simcloud.NotFound {
					errVolume = nil
				}
				if simcloud.CodeOf(err) == simcloud.NotFound {
					err = nil
				}
				return errors.Join(err, errVolume, errList, errIDs)
			}
			for range 2 {
				must[bool](t)(cloud.ask(t.Context(), read))
			}
			test.change(t, cloud.Cloud)
			if made := must[bool](t)(cloud.ask(t.Context(), read)); made != test.made {
				t.Errorf("it was made: %v, want %v", made, test.made)
			}
			if made := must[bool](t)(cloud.ask(t.Context(), read)); made {
				t.Error("it was made once more")
			}
		})
	}
}
