package core_test

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/core"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// behind returns a context whose reads are behind by that much.
func behind(ctx context.Context, by time.Duration) context.Context {
	return simcloud.WithOverride(ctx, simcloud.Override{Reading: simcloud.Reading{StaleBy: simcloud.Duration(by)}})
}

// pastCloud is a cloud with a manual clock of which the test remembers everything.
type pastCloud struct {
	*testing.T
	*core.Cloud
	dice  *rand.Rand
	truth []simcloud.State // after each change and each second
}

func openPast(t *testing.T, seed uint64) *pastCloud {
	cloud := open(t, core.Config{Clock: newFakeClock(), Seed: seed, Progression: simcloud.Progression{
		Mode: simcloud.ProgressionTime, Duration: simcloud.Duration(3 * time.Second),
	}})
	must[simcloud.ClockStatus](t)(cloud.SetClock(t.Context(), simcloud.ClockSpec{Mode: simcloud.ClockManual}))
	p := &pastCloud{T: t, Cloud: cloud, dice: rand.New(rand.NewPCG(seed, 0))}
	p.remember()
	return p
}

func (p *pastCloud) remember() {
	p.Helper()
	p.truth = append(p.truth, must[simcloud.State](p)(p.GetState(p.Context())))
}

// at returns the cloud as it was at a moment.
func (p *pastCloud) at(moment time.Time) simcloud.State {
	for _, state := range slices.Backward(p.truth) {
		if !state.Time.After(moment) {
			return state
		}
	}
	return p.truth[0]
}

// change does something to the cloud, which may refuse it.
func (p *pastCloud) change() {
	ctx, name := p.Context(), string(rune('a'+p.dice.IntN(3)))
	labels := map[string]string{"color": []string{"red", "green"}[p.dice.IntN(2)]}
	state := p.truth[len(p.truth)-1]
	instance := simcloud.ID("i-0")
	if n := len(state.Instances); n > 0 {
		instance = state.Instances[p.dice.IntN(n)].ID
	}
	_ = []func() error{ // that it is refused is fine
		func() error {
			_, err := p.CreateInstance(ctx, simcloud.InstanceSpec{Name: name, Labels: labels})
			return err
		},
		func() error {
			_, err := p.UpdateInstance(ctx, instance, simcloud.InstanceUpdate{Name: &name, Labels: &labels})
			return err
		},
		func() error { _, err := p.StopInstance(ctx, instance); return err },
		func() error { _, err := p.StartInstance(ctx, instance); return err },
		func() error { _, err := p.DeleteInstance(ctx, instance); return err },
		func() error { _, err := p.CreateRegion(ctx, simcloud.RegionSpec{Name: name}); return err },
		func() error { _, err := p.DeleteRegion(ctx, simcloud.ID(name)); return err },
		func() error {
			_, err := p.CreateFloatingIP(ctx, simcloud.FloatingIPSpec{Name: name, AttachedTo: simcloud.Attachment{Kind: simcloud.KindInstance, ID: instance}})
			return err
		},
	}[p.dice.IntN(8)]()
	p.remember()
}

// TestThePastIsHonest: a stale read shows the state of that
// moment, to the last byte: what is gone is there again, what is new is not,
// and what has changed has its old value; also with a filter, and page by page.
func TestThePastIsHonest(t *testing.T) {
	t.Parallel()
	for seed := range uint64(3) {
		p := openPast(t, seed)
		for range 60 {
			for range p.dice.IntN(4) {
				p.change()
			}
			if p.dice.IntN(3) > 0 {
				must[simcloud.ClockAdvance](t)(p.AdvanceClock(t.Context(), simcloud.Duration(time.Second)))
				p.remember()
			}
			p.look(time.Duration(1+p.dice.IntN(60)) * time.Second)
			if p.dice.IntN(4) == 0 {
				p.look(time.Duration(1 + p.dice.IntN(int(time.Second)))) // between the changes
			}
		}
	}
}

// look holds what reads show that are behind against what was.
func (p *pastCloud) look(by time.Duration) {
	p.Helper()
	is := p.truth[len(p.truth)-1]
	g := glance{p, behind(p.Context(), by), by, p.at(is.Time.Add(-by))}
	glanceAt(g, g.was.Instances, is.Instances, p.ListInstances, p.GetInstance, func(i simcloud.Instance) string { return string(i.State) })
	glanceAt(g, g.was.Regions, is.Regions, p.ListRegions, p.GetRegion, func(r simcloud.Region) string { return string(r.State) })
	glanceAt(g, g.was.Operations, is.Operations, p.ListOperations, p.GetOperation, func(o simcloud.Operation) string { return string(o.State) })
	glanceAt(g, g.was.FloatingIPs, is.FloatingIPs, p.ListFloatingIPs, p.GetFloatingIP, func(f simcloud.FloatingIP) string { return string(f.State) })
}

// glance is a look at the past, and what it should show.
type glance struct {
	*pastCloud
	ctx context.Context
	by  time.Duration
	was simcloud.State
}

func glanceAt[T any, P store.Resource[T]](
	g glance, was, is []T, list simcloud.ListFunc[T], get func(context.Context, simcloud.ID) (T, error), state func(T) string,
) {
	g.Helper()
	opts := simcloud.ListOptions{PageSize: 1 + g.dice.IntN(4)}
	if len(was) > 0 && g.dice.IntN(2) > 0 {
		opts.State = state(was[g.dice.IntN(len(was))])
	}
	if g.dice.IntN(4) == 0 {
		opts.Name = "a"
	}
	if g.dice.IntN(4) == 0 {
		opts.Selector = []string{"color=red", "color!=red", "color", "color in (red, blue)"}[g.dice.IntN(4)]
	}
	if page := must[simcloud.Page[T]](g)(list(g.ctx, opts)); page.Revision != g.was.Revision {
		g.Errorf("the list of %s ago is of revision %d, want %d", g.by, page.Revision, g.was.Revision)
	}
	want := chosen[T, P](was, opts, state)
	if diff := cmp.Diff(want, append([]T{}, must[[]T](g)(simcloud.ListAll(g.ctx, list, opts))...)); diff != "" {
		g.Fatalf("the list %+v of %s ago (-was +shown):\n%s", opts, g.by, diff)
	}
	known := map[simcloud.ID]bool{}
	for _, v := range was {
		id := P(&v).GetMeta().ID
		known[id] = true
		if diff := cmp.Diff(v, must[T](g)(get(g.ctx, id))); diff != "" {
			g.Fatalf("%s of %s ago (-was +shown):\n%s", id, g.by, diff)
		}
	}
	for _, v := range is {
		if id := P(&v).GetMeta().ID; !known[id] {
			_, err := get(g.ctx, id)
			wantCode(g, string(id)+" before it was made", err, simcloud.NotFound)
		}
	}
}

// chosen returns what the options choose.
func chosen[T any, P store.Resource[T]](all []T, opts simcloud.ListOptions, state func(T) string) []T {
	selected := map[string]func(color string) bool{
		"":                     func(string) bool { return true },
		"color":                func(color string) bool { return color != "" },
		"color=red":            func(color string) bool { return color == "red" },
		"color!=red":           func(color string) bool { return color != "red" },
		"color in (red, blue)": func(color string) bool { return color == "red" },
	}[opts.Selector]
	found := []T{}
	for _, v := range all {
		meta := P(&v).GetMeta()
		if (opts.State == "" || state(v) == opts.State) && (opts.Name == "" || meta.Name == opts.Name) && selected(meta.Labels["color"]) {
			found = append(found, v)
		}
	}
	return found
}

// TestThePastAmongWriters: while others write, what a read shows is always one
// state that there was: that of its revision.
func TestThePastAmongWriters(t *testing.T) {
	t.Parallel()
	cloud := open(t, core.Config{Progression: simcloud.Progression{Mode: simcloud.ProgressionTime, Duration: simcloud.Duration(time.Millisecond)}})
	var writers, readers sync.WaitGroup
	for range 3 {
		writers.Go(func() { comeAndGo(t, cloud, 20) })
	}
	done := make(chan struct{})
	pages := make([][]simcloud.Page[simcloud.Instance], 4)
	for i := range pages {
		readers.Go(func() {
			ctx := behind(t.Context(), time.Duration(i)*3*time.Millisecond+1)
			for {
				pages[i] = append(pages[i], must[simcloud.Page[simcloud.Instance]](t)(cloud.ListInstances(ctx, simcloud.ListOptions{PageSize: 1000})))
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	writers.Wait()
	close(done)
	readers.Wait()
	states := instancesByRevision(t, eventsOf(t, cloud))
	for _, page := range slices.Concat(pages...) {
		if diff := cmp.Diff(states[page.Revision], page.Items); diff != "" {
			t.Fatalf("at revision %d (-was +shown):\n%s", page.Revision, diff)
		}
	}
}

// comeAndGo makes instances and deletes them again.
func comeAndGo(t *testing.T, cloud *core.Cloud, times int) {
	for range times {
		r, err := cloud.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "a"})
		if err != nil {
			t.Error(err)
			return
		}
		for _, fn := range []func() error{
			func() error { _, err := cloud.WaitOperation(t.Context(), r.Operation.ID); return err },
			func() error { _, err := cloud.DeleteInstance(t.Context(), r.Resource.ID); return err },
		} {
			if err := fn(); err != nil {
				t.Error(err)
				return
			}
		}
	}
}

// instancesByRevision returns the instances that there were at each revision.
func instancesByRevision(t *testing.T, events []simcloud.Event) map[uint64][]simcloud.Instance {
	t.Helper()
	states := map[uint64][]simcloud.Instance{}
	now := []simcloud.Instance{}
	for _, event := range events {
		if event.Kind == simcloud.KindInstance {
			var v simcloud.Instance
			if err := json.Unmarshal(event.Object, &v); err != nil {
				t.Fatal(err)
			}
			at := slices.IndexFunc(now, func(i simcloud.Instance) bool { return i.ID == v.ID })
			switch now = slices.Clone(now); {
			case event.Type == simcloud.Deleted:
				now = slices.Delete(now, at, at+1)
			case at >= 0:
				now[at] = v
			default:
				now = append(now, v)
			}
		}
		states[event.Revision] = now
	}
	return states
}

// TestThePastEnds: a cloud that was just opened or reset knows nothing older.
func TestThePastEnds(t *testing.T) {
	t.Parallel()
	r := newReopener(t, core.Config{Clock: newFakeClock()})
	ctx := behind(t.Context(), time.Minute)
	shown := func() int {
		return len(must[simcloud.Page[simcloud.Instance]](t)(r.cloud.ListInstances(ctx, simcloud.ListOptions{})).Items)
	}
	if zones := must[simcloud.Page[simcloud.Zone]](t)(r.cloud.ListZones(ctx, simcloud.ListOptions{})).Items; len(zones) != 3 {
		t.Errorf("a new cloud shows %d zones", len(zones))
	}
	must[instanceResult](t)(r.cloud.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "a"}))
	if n := shown(); n != 0 {
		t.Errorf("%d instances are shown at once", n)
	}
	r.open()
	if n := shown(); n != 1 {
		t.Errorf("%d instances are shown after a restart", n)
	}
	if err := r.cloud.Reset(t.Context()); err != nil {
		t.Fatal(err)
	}
	must[instanceResult](t)(r.cloud.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "b"}))
	_, err := r.cloud.GetInstance(ctx, "i-1")
	wantCode(t, "an instance of before the reset, or made after it", err, simcloud.NotFound)
}

// TestHide: what is new is hidden for a while from reads, and from nothing else.
// TestStrongReads: an operator's reads are not behind by the configuration, those of others still are, and
// what a fault rule does to a strong read it does.
func TestStrongReads(t *testing.T) {
	t.Parallel()
	cloud := open(t, core.Config{Clock: newFakeClock()})
	minute := simcloud.Duration(time.Minute)
	for name, behindBy := range map[string]simcloud.Consistency{
		"lists": {StaleLists: minute}, "gets": {StaleGets: minute}, "new": {HideNew: minute},
	} {
		must[simcloud.Config](t)(cloud.UpdateConfig(t.Context(), simcloud.ConfigUpdate{Consistency: &behindBy}))
		made := must[simcloud.Result[simcloud.Instance]](t)(cloud.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: name})).Resource
		sees := func(ctx context.Context) bool {
			page := must[simcloud.Page[simcloud.Instance]](t)(cloud.ListInstances(ctx, simcloud.ListOptions{Name: name}))
			got, err := cloud.GetInstance(ctx, made.ID)
			return len(page.Items) == 1 && err == nil && got.ID == made.ID
		}
		strong := simcloud.WithStrongReads(t.Context())
		if sees(t.Context()) || !sees(strong) {
			t.Errorf("%s: the instance is seen %v, by strong reads %v; want false, true", name, sees(t.Context()), sees(strong))
		}
		if sees(behind(strong, time.Minute)) {
			t.Errorf("%s: strong reads see it although a fault makes them stale", name)
		}
	}
}

func TestHide(t *testing.T) {
	t.Parallel()
	machine := newFakeClock()
	cloud := open(t, core.Config{Clock: machine})
	machine.move(time.Hour)
	old := must[instanceResult](t)(cloud.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "old"})).Resource
	machine.move(time.Minute)
	fresh := must[instanceResult](t)(cloud.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "new"})).Resource
	ctx := simcloud.WithOverride(t.Context(), simcloud.Override{Reading: simcloud.Reading{HideNew: simcloud.Duration(time.Minute)}})
	page := must[simcloud.Page[simcloud.Instance]](t)(cloud.ListInstances(ctx, simcloud.ListOptions{}))
	if diff := cmp.Diff([]simcloud.Instance{old}, page.Items); diff != "" {
		t.Errorf("the list (-want +got):\n%s", diff)
	}
	_, err := cloud.GetInstance(ctx, fresh.ID)
	wantCode(t, "a new instance", err, simcloud.NotFound)
	must[simcloud.Instance](t)(cloud.GetInstance(ctx, old.ID))
	stopped := must[instanceResult](t)(cloud.StopInstance(ctx, fresh.ID)).Resource
	machine.move(time.Minute)
	if diff := cmp.Diff(stopped, must[simcloud.Instance](t)(cloud.GetInstance(ctx, fresh.ID))); diff != "" {
		t.Errorf("after a minute (-want +got):\n%s", diff)
	}
}

// TestPastOfGoneProject: who has a project of a name that another one had
// before reads nothing of that one, however far his reads are behind.
func TestPastOfGoneProject(t *testing.T) {
	t.Parallel()
	cloud := open(t, core.Config{Clock: newFakeClock()})
	must[simcloud.ClockStatus](t)(cloud.SetClock(t.Context(), simcloud.ClockSpec{Mode: simcloud.ClockManual}))
	pass := func() {
		t.Helper()
		must[simcloud.ClockAdvance](t)(cloud.AdvanceClock(t.Context(), simcloud.Duration(time.Second)))
	}
	tenant := simcloud.WithCaller(t.Context(), simcloud.Caller{Project: "tenant", Role: simcloud.RoleWriter})
	spec := simcloud.NetworkSpec{Name: "n", CIDRs: []string{"10.9.0.0/16"}}
	must[simcloud.Result[simcloud.Project]](t)(cloud.CreateProject(t.Context(), simcloud.ProjectSpec{Name: "tenant"}))
	made := must[simcloud.Result[simcloud.Network]](t)(cloud.CreateNetwork(tenant, spec)).Resource
	others := must[simcloud.Result[simcloud.Network]](t)(cloud.CreateNetwork(t.Context(), spec)).Resource
	pass()
	must[simcloud.Operation](t)(cloud.DeleteNetwork(tenant, made.ID))
	must[simcloud.Operation](t)(cloud.DeleteNetwork(t.Context(), others.ID))
	pass()
	wasThere := behind(tenant, 3*time.Second/2)
	if _, err := cloud.GetNetwork(wasThere, made.ID); err != nil {
		t.Fatalf("a network that was there: %v", err)
	}
	must[simcloud.Operation](t)(cloud.DeleteProject(t.Context(), "tenant"))
	must[simcloud.Result[simcloud.Project]](t)(cloud.CreateProject(t.Context(), simcloud.ProjectSpec{Name: "tenant"}))
	_, err := cloud.GetNetwork(wasThere, made.ID)
	wantCode(t, "the network of the former project", err, simcloud.NotFound)
	if page := must[simcloud.Page[simcloud.Network]](t)(cloud.ListNetworks(wasThere, simcloud.ListOptions{})); len(page.Items) > 0 {
		t.Errorf("the new project lists %+v", page.Items)
	}
	if page := must[simcloud.Page[simcloud.Operation]](t)(cloud.ListOperations(wasThere, simcloud.ListOptions{})); len(page.Items) > 0 {
		t.Errorf("the new project lists %+v", page.Items)
	}
	if _, err := cloud.GetNetwork(behind(t.Context(), 3*time.Second/2), others.ID); err != nil {
		t.Errorf("what another project had: %v", err)
	}
}
