package observe

import (
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// changes puts changes and operations together. The event of a change has the id of the operation that
// has caused it, and an event of that operation comes after it, from the same transaction.
type changes struct {
	// pending are the changes that an operation has caused and not been heard of since, by its id and by resource.
	pending map[string]map[string]Change
	// open is whether changes are told of: those from before the scenario are not.
	open bool
}

// note takes in a change that an operation has caused, and returns the Change that it completes, if it does.
func (d *changes) note(variable, id string, before, after map[string]any, by simcloud.ID) (Change, bool) {
	if !d.open || by == "" && variable != "operations" {
		return Change{}, false
	}
	if variable != "operations" {
		d.add(Change{At: time.Now(), OperationID: by, Ref: RefOf(variable, id), Variable: variable, ID: id, Before: before, After: after})
		return Change{}, false
	}
	kind, _ := Dig(after, "resource", "kind").(string)
	subject, _ := Dig(after, "resource", "id").(string)
	done, changed := d.pending[id][simcloud.Ref(simcloud.Kind(kind), simcloud.ID(subject))]
	delete(d.pending, id)
	if !changed {
		return Change{}, false
	}
	done.Operation, _ = Dig(after, "verb").(string)
	done.Caller = callerOf(after)
	return done, true
}

// add keeps a change; several of one resource are one.
func (d *changes) add(change Change) {
	changes := d.pending[string(change.OperationID)]
	if changes == nil {
		changes = map[string]Change{}
		d.pending[string(change.OperationID)] = changes
	}
	if earlier, changedBefore := changes[change.Ref]; changedBefore {
		change.Before = earlier.Before
	}
	changes[change.Ref] = change
}

// BeginChanges tells of changes from now on.
func (s *Store) BeginChanges() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changes.open = true
}

func callerOf(operation any) simcloud.Caller {
	token, _ := Dig(operation, "caller", "token").(string)
	agent, _ := Dig(operation, "caller", "userAgent").(string)
	return simcloud.Caller{Token: simcloud.ID(token), UserAgent: agent}
}

// tellChangeLocked tells the observers of a change of the cloud, which an operation has caused unless by is "".
func (s *Store) tellChangeLocked(variable, id string, before, after map[string]any, by simcloud.ID) {
	for _, o := range s.observers {
		o.ResourceChanged(variable, id, before, after)
	}
	done, complete := s.changes.note(variable, id, before, after, by)
	if !complete {
		return
	}
	done.Harness = s.Harness != nil && s.Harness(simcloud.JournalEntry{Caller: done.Caller})
	for _, o := range s.observers {
		o.ChangeDone(done)
	}
}
