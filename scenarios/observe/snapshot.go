package observe

import (
	"maps"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// Snapshot is everything that a scenario can see, as of one moment. It never changes.
//
// What it shows of the cluster is never newer than what it shows of the cloud
// and of its calls as long as an expectation is pending that reads both: when
// a finalizer is gone in a snapshot, so is all that was deleted before it.
type Snapshot struct {
	// Objects are the cluster's, by variable and name.
	Objects map[string]map[string]any
	// Events are the cluster's Events, oldest first.
	Events []any
	// Resources are the cloud's, by variable, oldest first.
	Resources map[string][]any
	Calls     []any
	Faults    map[string]any // by name
	Traffic   map[string]any // by name
	CCM       map[string]any
	Captured  map[string]any
	Elapsed   time.Duration
	Namespace string
	TestImage string
	// Naming is what the CCM under test calls the things of its cloud.
	Naming Naming
	// hostnames are those of VMs, by the names of the VMs, where these differ.
	hostnames map[string]string
}

// NewSnapshot makes an empty snapshot for a scenario that has the namespace for itself.
func NewSnapshot(namespace string) *Snapshot {
	s := &Snapshot{
		Objects:   map[string]map[string]any{},
		Events:    []any{},
		Resources: map[string][]any{},
		Calls:     []any{},
		Faults:    map[string]any{},
		Traffic:   map[string]any{},
		CCM:       map[string]any{},
		Captured:  map[string]any{},
		Namespace: namespace,
	}
	for _, w := range Watched {
		s.Objects[w.Variable] = map[string]any{}
	}
	s.Objects[ServicesElsewhere] = map[string]any{}
	for _, kind := range Kinds {
		s.Resources[kind.Variable] = []any{}
	}
	return s
}

// clone returns a copy whose parts can be exchanged, but not written to.
func (s *Snapshot) clone() *Snapshot {
	c := *s
	c.Objects = maps.Clone(s.Objects)
	c.Resources = maps.Clone(s.Resources)
	c.Captured = maps.Clone(s.Captured)
	return &c
}

// Source is where a part of the snapshot comes from.
type Source int

const (
	FromRun     Source = iota // the scenario itself
	FromCloud                 // the cloud's event stream
	FromJournal               // the cloud's record of calls
	FromCluster               // the watches of the cluster
	FromFaults                // the cloud's counts of its fault rules
	FromTraffic               // what the scenario's own traffic met
)

// CloudID is the id of the resource of a kind that clients know by a text; empty when they know none so. Of some kinds
// only the ids of the resources that there are tell which of them it is.
func (s *Snapshot) CloudID(kind, shown string) string {
	if id := s.Naming.IDs.ID(simcloud.Kind(kind), shown); id != "" {
		return string(id)
	}
	variable, _ := variableOf(simcloud.Kind(kind))
	for _, resource := range s.Resources[variable] {
		if id := ResourceID(resource); s.Naming.IDs.Are(simcloud.Kind(kind), simcloud.ID(id), shown) {
			return id
		}
	}
	return ""
}
