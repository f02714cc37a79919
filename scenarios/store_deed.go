package scenarios

import (
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// deeds puts changes and operations together. A cloud writes both in one
// transaction, the operation last: what changed right before it is its doing.
type deeds struct {
	// pending is what has changed since the last operation, by resource.
	pending map[string]deed
	// open is whether deeds are told of: those from before the scenario are not.
	open bool
}

// note takes a change in, and returns the deed that it completes, if it does.
func (d *deeds) note(variable, id string, before, after map[string]any) (deed, bool) {
	if !d.open {
		return deed{}, false
	}
	if variable != "operations" {
		ref := refOf(variable, id)
		if earlier, changedBefore := d.pending[ref]; changedBefore {
			before = earlier.before
		}
		d.pending[ref] = deed{at: time.Now(), ref: ref, variable: variable, id: id, before: before, after: after}
		return deed{}, false
	}
	kind, _ := dig(after, "resource", "kind").(string)
	subject, _ := dig(after, "resource", "id").(string)
	done, changed := d.pending[simcloud.Ref(simcloud.Kind(kind), simcloud.ID(subject))]
	clear(d.pending)
	if !changed {
		return deed{}, false
	}
	done.operation, _ = dig(after, "verb").(string)
	done.caller = callerOf(after)
	return done, true
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

// tellChangeLocked tells the observers of a change of the cloud.
func (s *store) tellChangeLocked(variable, id string, before, after map[string]any) {
	for _, o := range s.observers {
		o.resourceChanged(variable, id, before, after)
	}
	done, complete := s.deeds.note(variable, id, before, after)
	if !complete {
		return
	}
	done.harness = s.harness != nil && s.harness(simcloud.JournalEntry{Caller: done.caller})
	for _, o := range s.observers {
		o.deedDone(done)
	}
}
