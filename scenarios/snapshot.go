package scenarios

import (
	"maps"
	"time"
)

// Snapshot is everything that a scenario can see, as of one moment. It never changes.
//
// What it shows of the cluster is never newer than what it shows of the cloud
// and of its calls as long as an expectation is pending that reads both: when
// a finalizer is gone in a snapshot, so is all that was deleted before it.
type Snapshot struct {
	// objects are the cluster's, by variable and name.
	objects map[string]map[string]any
	// events are the cluster's Events, oldest first.
	events []any
	// resources are the cloud's, by variable, oldest first.
	resources map[string][]any
	calls     []any
	faults    map[string]any // by name
	traffic   map[string]any // by name
	ccm       map[string]any
	captured  map[string]any
	elapsed   time.Duration
	namespace string
	testImage string
}

func newSnapshot(namespace string) *Snapshot {
	s := &Snapshot{
		objects:   map[string]map[string]any{},
		events:    []any{},
		resources: map[string][]any{},
		calls:     []any{},
		faults:    map[string]any{},
		traffic:   map[string]any{},
		ccm:       map[string]any{},
		captured:  map[string]any{},
		namespace: namespace,
	}
	for _, w := range watched {
		s.objects[w.variable] = map[string]any{}
	}
	for _, name := range resourceVariables {
		s.resources[name] = []any{}
	}
	return s
}

// clone returns a copy whose parts can be exchanged, but not written to.
func (s *Snapshot) clone() *Snapshot {
	c := *s
	c.objects = maps.Clone(s.objects)
	c.resources = maps.Clone(s.resources)
	c.captured = maps.Clone(s.captured)
	return &c
}
