package simcloud_test

import (
	"reflect"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// TestCountsAreOfAllKinds: the table of kinds has each list of a state, in the order of its fields.
func TestCountsAreOfAllKinds(t *testing.T) {
	t.Parallel()
	var state simcloud.State
	lists := 0
	for _, field := range reflect.ValueOf(&state).Elem().Fields() {
		if field.Kind() == reflect.Slice {
			lists++
			field.Set(reflect.MakeSlice(field.Type(), lists, lists))
		}
	}
	counts := state.Counts()
	if len(counts) != lists {
		t.Fatalf("%d kinds are counted, a state has %d", len(counts), lists)
	}
	for i, c := range counts {
		if c.Count != i+1 {
			t.Errorf("there are %d of %s, want %d", c.Count, c.Kind, i+1)
		}
	}
}

// TestKindsOfEndpoints: each kind is found by the paths of its operations.
func TestKindsOfEndpoints(t *testing.T) {
	t.Parallel()
	found := map[simcloud.Kind]bool{}
	for _, e := range simcloud.Endpoints() {
		found[e.Kind()] = true
	}
	for _, c := range (simcloud.State{}).Counts() {
		if !found[c.Kind] {
			t.Errorf("no operation is about a %s", c.Kind)
		}
	}
	if e, _ := simcloud.EndpointOf("WatchEvents"); e.Kind() != "" {
		t.Errorf("events are of the kind %s", e.Kind())
	}
}
