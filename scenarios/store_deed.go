package scenarios

import (
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// deeds puts changes and operations together. The event of a change has the id of the operation that
// has caused it, and an event of that operation comes after it, from the same transaction.
type deeds struct {
	// pending are the changes that an operation has caused and not been heard of since, by its id and by resource.
	pending map[string]map[string]deed
	// open is whether deeds are told of: those from before the scenario are not.
	open bool
}

// note takes in a change that an operation has caused, and returns the deed that it completes, if it does.
func (d *deeds) note(variable, id string, before, after map[string]any, by simcloud.ID) (deed, bool) {
	if !d.open || by == "" && variable != "operations" {
		return deed{}, false
	}
	if variable != "operations" {
		d.add(deed{at: time.Now(), operationID: by, ref: refOf(variable, id), variable: variable, id: id, before: before, after: after})
		return deed{}, false
	}
	kind, _ := dig(after, "resource", "kind").(string)
	subject, _ := dig(after, "resource", "id").(string)
	done, changed := d.pending[id][simcloud.Ref(simcloud.Kind(kind), simcloud.ID(subject))]
	delete(d.pending, id)
	if !changed {
		return deed{}, false
	}
	done.operation, _ = dig(after, "verb").(string)
	done.caller = callerOf(after)
	return done, true
}

// add keeps a change; several of one resource are one.
func (d *deeds) add(change deed) {
	changes := d.pending[string(change.operationID)]
	if changes == nil {
		changes = map[string]deed{}
		d.pending[string(change.operationID)] = changes
	}
	if earlier, changedBefore := changes[change.ref]; changedBefore {
		change.before = earlier.before
	}
	changes[change.ref] = change
}

// beginDeeds tells of deeds from now on.
func (s *store) beginDeeds() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.deeds.open = true
}

func callerOf(operation any) simcloud.Caller {
	token, _ := dig(operation, "caller", "token").(string)
	agent, _ := dig(operation, "caller", "userAgent").(string)
	return simcloud.Caller{Token: simcloud.ID(token), UserAgent: agent}
}

// refOf names a resource as the journal does.
func refOf(variable, id string) string {
	for kind, name := range variableOf {
		if name == variable {
			return simcloud.Ref(kind, simcloud.ID(id))
		}
	}
	return variable + "/" + id
}

// tellChangeLocked tells the observers of a change of the cloud, which an operation has caused unless by is "".
func (s *store) tellChangeLocked(variable, id string, before, after map[string]any, by simcloud.ID) {
	for _, o := range s.observers {
		o.resourceChanged(variable, id, before, after)
	}
	done, complete := s.deeds.note(variable, id, before, after, by)
	if !complete {
		return
	}
	done.harness = s.harness != nil && s.harness(simcloud.JournalEntry{Caller: done.caller})
	for _, o := range s.observers {
		o.deedDone(done)
	}
}
