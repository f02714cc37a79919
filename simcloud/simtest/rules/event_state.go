package rules

import (
	"encoding/json"
	"reflect"
	"strings"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest/suite"
)

// testEventsOfState: a client that has read the state, and applies the events after its revision, has
// the state that the cloud has then. So it can show the cloud without reading it again.
func testEventsOfState(s suite.Runner) {
	s.Test("WatchAllEvents/LeadToTheState", func(f *suite.Fixture) {
		before := stateOf(f)
		used := everything(f)
		named := f.LoadBalancer(simcloud.LoadBalancerSpec{Name: "named", Hostname: "named-{number}.example.com"})
		leadsTo(f, before)

		before = stateOf(f)
		suite.Must[simcloud.Result[simcloud.Instance]](f)(f.StopInstance(f.Ctx, used.Instance))
		suite.Drop(f)(f.DeleteLoadBalancer(f.Ctx, named.ID))
		suite.Drop(f)(f.DeleteInstance(f.Ctx, "i-2"))
		changeTopology(f)
		leadsTo(f, before)
		f.Equal("health in the group", stateOf(f).TargetGroups[0].Targets[0].Health, simcloud.TargetUnhealthy)
	})
	s.Test("WatchEvents/DerivedOfTargetGroups", func(f *suite.Fixture) {
		a := f.Instance("a").ID
		group := f.TargetGroup(80, simcloud.GroupTargetSpec{Instance: a}, simcloud.GroupTargetSpec{Instance: a, Port: 81}).ID
		spec := simcloud.LoadBalancerSpec{Listeners: []simcloud.ListenerSpec{{
			Protocol: simcloud.ProtocolTCP, Port: 80, ListenerConfig: simcloud.ListenerConfig{TargetGroup: group},
		}}}
		f.Equal("a load balancer that names it", f.StoryOf(func() { f.LoadBalancer(spec) }),
			[]string{"updated target_group/tg-1", "created load_balancer/lb-1"})
		f.Equal("a stop", f.StoryOf(func() {
			suite.Must[simcloud.Result[simcloud.Instance]](f)(f.StopInstance(f.Ctx, a))
		}), []string{"updated instance/i-1", "updated target_group/tg-1"})
		f.Equal("the deletion of the load balancer", f.StoryOf(func() {
			suite.Drop(f)(f.DeleteLoadBalancer(f.Ctx, "lb-1"))
		}), []string{"updated target_group/tg-1", "deleted load_balancer/lb-1"})
	})
}

// leadsTo applies the events since a state to it, and compares it with the state of the cloud.
func leadsTo(f *suite.Fixture, before simcloud.State) {
	f.Helper()
	now := stateOf(f)
	resources := resourcesOf(f, before)
	for event, err := range f.Control().WatchAllEvents(f.Ctx, before.Revision) {
		if err != nil {
			f.Fatal(err)
		}
		ref := simcloud.Ref(event.Kind, event.ID)
		if event.Type == simcloud.Deleted {
			delete(resources, ref)
		} else {
			resources[ref] = decoded(f, event.Object)
		}
		if event.Revision == now.Revision {
			break
		}
	}
	if diff := cmp.Diff(resourcesOf(f, now), resources); diff != "" {
		f.Errorf("the events do not lead to the state (-state +events):\n%s", diff)
	}
}

// resourcesOf are the resources of a state as a client reads them, by kind and id.
func resourcesOf(f *suite.Fixture, state simcloud.State) map[string]any {
	f.Helper()
	all := map[string]any{}
	fields := reflect.ValueOf(state)
	for i := range fields.NumField() {
		if fields.Field(i).Kind() != reflect.Slice {
			continue
		}
		for n := range fields.Field(i).Len() {
			item := fields.Field(i).Index(n)
			raw, err := json.Marshal(item.Interface())
			if err != nil {
				f.Fatal(err)
			}
			id := item.FieldByName("ID").Interface().(simcloud.ID)
			all[simcloud.Ref(kindOf(f, item.Type().Name()), id)] = decoded(f, raw)
		}
	}
	return all
}

// kindOf is the kind of a type, such as load_balancer of LoadBalancer.
func kindOf(f *suite.Fixture, typeName string) simcloud.Kind {
	f.Helper()
	for _, counted := range (simcloud.State{}).Counts() {
		if strings.EqualFold(strings.ReplaceAll(string(counted.Kind), "_", ""), typeName) {
			return counted.Kind
		}
	}
	f.Fatalf("no kind has the type %s", typeName)
	return ""
}

// decoded is an object without what is counted when it is read.
func decoded(f *suite.Fixture, raw json.RawMessage) any {
	f.Helper()
	var object map[string]any
	if err := json.Unmarshal(raw, &object); err != nil {
		f.Fatalf("%s: %v", raw, err)
	}
	delete(object, "used")
	return object
}
