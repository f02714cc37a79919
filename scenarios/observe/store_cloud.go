package observe

import (
	"encoding/json"
	"fmt"
	"maps"
	"time"

	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// ResourceID is the id of a resource of the cloud.
func ResourceID(v any) string {
	id, _ := Dig(v, "id").(string)
	return id
}

// CloudEvent takes one change of the cloud in. One that the snapshot shows already is left out.
func (s *Store) CloudEvent(e simcloud.Event) error {
	object, err := decodeResource(e.Object)
	if err != nil {
		return fmt.Errorf("event %d of %s: %w", e.Revision, simcloud.Ref(e.Kind, e.ID), err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if e.Revision <= s.revision {
		return nil
	}
	s.revision = e.Revision
	variable, shown := variableOf(e.Kind)
	if !shown {
		s.changeLocked(FromCloud, func(*Snapshot) {}) // who waits for the revision must hear of it
		return nil
	}
	if e.Type == simcloud.Deleted {
		object = nil
	}
	s.setResourceLocked(variable, string(e.ID), object, e.OperationID)
	return nil
}

// setResourceLocked takes in what a resource is now, by which operation; "" for none.
func (s *Store) setResourceLocked(variable, id string, object map[string]any, by simcloud.ID) {
	object, shown := s.shownResourceLocked(variable, id, object)
	if !shown {
		s.changeLocked(FromCloud, func(*Snapshot) {}) // who waits for the revision must hear of it
		return
	}
	items := s.resourcesLocked(variable)
	before := FindResource(items, id)
	if object == nil {
		items = withoutItem(items, id, ResourceID)
	} else {
		items = withItem(items, id, object, ResourceID)
	}
	s.changeLocked(FromCloud, func(next *Snapshot) {
		s.showLocked(next, variable, items)
		if variable == "instances" {
			next.noteHostname(object)
		}
	})
	s.tellChangeLocked(variable, id, before, object, by)
}

// resourcesLocked are the resources of a variable as the cloud has them.
func (s *Store) resourcesLocked(variable string) []any {
	if variable == "loadBalancers" {
		return s.balancers
	}
	return s.Current.Resources[variable]
}

// showLocked lets a snapshot show resources. Load balancers have what their target groups have.
func (s *Store) showLocked(next *Snapshot, variable string, items []any) {
	next.Resources[variable] = items
	switch variable {
	case "loadBalancers":
		s.balancers = items
	case "targetGroups":
	default:
		return
	}
	shown := withGroups(s.balancers, next.Resources["targetGroups"])
	if next.Naming.FloatingIPs {
		shown = knownByFloatingIPs(shown)
	}
	next.Resources["loadBalancers"] = shown
}

// FindResource returns the resource with the id; nil when it is not among them.
func FindResource(items []any, id string) map[string]any {
	for _, item := range items {
		if ResourceID(item) == id {
			return item.(map[string]any)
		}
	}
	return nil
}

// ReplaceCloud takes the whole state of the cloud in, unless the snapshot is newer.
func (s *Store) ReplaceCloud(state simcloud.State) error {
	raw, err := json.Marshal(state)
	if err != nil {
		return fmt.Errorf("the cloud's state: %w", err)
	}
	var all map[string]any
	if err := utiljson.Unmarshal(raw, &all); err != nil {
		return fmt.Errorf("the cloud's state: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if state.Revision < s.revision {
		return nil
	}
	by := operationsSince(state.Operations, s.revision)
	s.revision = state.Revision
	for _, kind := range Kinds {
		s.replaceResourcesLocked(kind.Variable, List(all[kind.Variable]), by)
	}
	s.changeLocked(FromCloud, func(*Snapshot) {})
	return nil
}

// operationsSince are the last operations that began or ended after a revision, by what they are
// about: a state tells no more of what has caused a change.
func operationsSince(operations []simcloud.Operation, revision uint64) map[string]simcloud.ID {
	last, by := map[string]uint64{}, map[string]simcloud.ID{}
	for _, o := range operations {
		ref := simcloud.Ref(o.Resource.Kind, o.Resource.ID)
		if o.Version > max(revision, last[ref]) {
			last[ref], by[ref] = o.Version, o.ID
		}
	}
	return by
}

func (s *Store) replaceResourcesLocked(variable string, items []any, by map[string]simcloud.ID) {
	kept := map[string]bool{}
	for _, item := range items {
		object, id := tidy(item.(map[string]any)), ResourceID(item)
		kept[id] = true
		if before := FindResource(s.Current.Resources[variable], id); before == nil || before["version"] != object["version"] {
			s.setResourceLocked(variable, id, object, by[RefOf(variable, id)])
		}
	}
	for _, item := range s.Current.Resources[variable] {
		if id := ResourceID(item); !kept[id] {
			s.setResourceLocked(variable, id, nil, by[RefOf(variable, id)])
		}
	}
}

func decodeResource(raw json.RawMessage) (map[string]any, error) {
	var object map[string]any
	if len(raw) == 0 {
		return map[string]any{}, nil
	}
	if err := utiljson.Unmarshal(raw, &object); err != nil {
		return nil, err
	}
	return tidy(object), nil
}

// tidy gives a resource the labels that its JSON leaves out when there are none, so that expressions need not ask.
func tidy(object map[string]any) map[string]any {
	if object["labels"] == nil {
		object["labels"] = map[string]any{}
	}
	return object
}

// AddCalls takes calls in, in the order of their numbers. Those that are in
// already are left out, and so are those of the harness.
func (s *Store) AddCalls(entries []simcloud.JournalEntry, isHarness func(simcloud.JournalEntry) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range entries {
		if e.Seq <= s.Seq {
			continue
		}
		s.Seq = e.Seq
		harness := isHarness(e)
		for _, o := range s.observers {
			o.CallEnded(e, harness)
		}
		if harness {
			continue
		}
		calls := append(s.Current.Calls, CallValue(e, s.Since(EndOf(e)))) // older snapshots keep their shorter slice
		s.changeLocked(FromJournal, func(next *Snapshot) { next.Calls = calls })
		s.tellLocked(func(w CallObserver) { w.CallMade(e) })
	}
}

// journalLag is by how much a call's own time may be behind: more, and the cloud has another clock than we.
const journalLag = 2 * time.Second

// EndOf is when a call ended by our own clock, of a call that we have just heard of.
func EndOf(e simcloud.JournalEntry) time.Time {
	now := time.Now()
	if lag := now.Sub(e.Time); lag > 0 && lag < journalLag {
		return e.Time
	}
	return now
}

// CallValue is a call as expressions see it, with the seconds from the scenario's begin to its end: every field is there.
func CallValue(e simcloud.JournalEntry, at float64) map[string]any {
	return map[string]any{
		"seq":              int64(e.Seq),
		"time":             e.Time.Format(time.RFC3339Nano),
		"at":               at,
		"operation":        e.Operation,
		"name":             e.Name,
		"dialectOperation": e.DialectOperation,
		"operationID":      string(e.OperationID),
		"requestID":        e.RequestID,
		"write":            e.Write,
		"resource":         e.Resource,
		"shownID":          e.ShownID,
		"status":           int64(e.Status),
		"code":             string(e.Code),
		"message":          e.Message,
		"userAgent":        e.Caller.UserAgent,
		"duration":         e.Duration.String(),
		"fault":            string(e.Fault),
		"effect":           e.Effect,
		"committed":        e.Committed,
	}
}

// CloudRevision returns the revision that the snapshot shows, and the number of the last call.
func (s *Store) CloudRevision() (revision, seq uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.revision, s.Seq
}

// SetObject takes an object of the cluster in; object is nil when it is gone.
func (s *Store) SetObject(variable, name string, object map[string]any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before, _ := s.Current.Objects[variable][name].(map[string]any)
	if before == nil && variable == "nodes" && s.ofControlPlane(object) {
		return
	}
	objects := maps.Clone(s.Current.Objects[variable])
	if object == nil {
		delete(objects, name)
	} else {
		objects[name] = object
	}
	s.changeLocked(FromCluster, func(next *Snapshot) { next.Objects[variable] = objects })
	for _, o := range s.observers {
		o.ObjectChanged(s.Current, variable, before, object)
	}
}

// SetEvent takes an Event of the cluster in.
func (s *Store) SetEvent(event map[string]any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changeLocked(FromCluster, func(next *Snapshot) {
		next.Events = withItem(next.Events, EventKey(event), event, EventKey)
	})
	s.tellLocked(func(w CallObserver) { w.EventSeen(event) })
}
