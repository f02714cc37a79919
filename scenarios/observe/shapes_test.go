package observe_test

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
)

// TestShapes: what expressions are checked against has the fields that they then read.
func TestShapes(t *testing.T) {
	t.Parallel()
	store := observe.NewStore("ns")
	store.SetFaults(func(armed map[string]simcloud.ID) { armed["lost"] = "f-1" }, fault.Rule{ID: "f-1", Name: "lost"})
	for _, c := range []struct {
		value any
		shape any
	}{
		{observe.CallValue(simcloud.JournalEntry{}, 0), observe.Call{}},
		{store.Snapshot().Faults["lost"], observe.FaultCount{}},
	} {
		if got, want := kinds(t, c.value), kinds(t, c.shape); !reflect.DeepEqual(got, want) {
			t.Errorf("%T has %v, and there are %v", c.shape, want, got)
		}
	}
}

// kinds are the fields of a value, as JSON, each with the kind of its value.
func kinds(t *testing.T, value any) (all []string) {
	t.Helper()
	raw, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]any
	if err := json.Unmarshal(raw, &fields); err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		all = append(all, name+" "+reflect.ValueOf(fields[name]).Kind().String())
	}
	return all
}
