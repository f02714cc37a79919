package observe

import (
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
)

// Observer sees each change in its order. It is called with the store locked,
// after the change, and must not call the store. Who needs only some of it embeds [NopObserver].
type Observer interface {
	// ResourceChanged tells of a resource of the cloud; after is nil when it is gone.
	ResourceChanged(variable, id string, before, after map[string]any)
	// ObjectChanged tells of an object of the cluster; after is nil when it is gone.
	ObjectChanged(s *Snapshot, variable string, before, after map[string]any)
	// CallEnded tells of a call to the cloud, of the harness's own too.
	CallEnded(e simcloud.JournalEntry, harness bool)
	// ChangeDone tells who has changed a resource, right after resourceChanged has told of it.
	ChangeDone(d Change)
}

// CallObserver is an observer who hears of everything else too, in the same way.
type CallObserver interface {
	CallMade(e simcloud.JournalEntry) // by the CCM
	EventSeen(event map[string]any)
	FaultsSeen(armed map[string]simcloud.ID, rules []fault.Rule)
	CCMSeen(now map[string]any)
}

func (s *Store) tellLocked(tell func(CallObserver)) {
	for _, o := range s.observers {
		if w, ok := o.(CallObserver); ok {
			tell(w)
		}
	}
}

// Change is a change of a resource with the operation that has changed it. What
// a cloud changes by itself is not one, and neither is what an operation on one
// resource does to others. What follows later from an operation that takes its time is another
// Change of it: a deletion leads to "deleting", and then to nothing.
type Change struct {
	At        time.Time
	Operation string // "DeleteRoute"
	// OperationID is the operation's id, which the journal has for the call.
	OperationID simcloud.ID
	Caller      simcloud.Caller
	Harness     bool
	// Ref is the resource as the journal names it: "load_balancer/lb-1".
	Ref, Variable, ID string
	Before, After     map[string]any // nil: it was not there; it is gone
}

// NopObserver observes nothing.
type NopObserver struct{}

// ResourceChanged does nothing.
func (NopObserver) ResourceChanged(string, string, map[string]any, map[string]any) {}

// ObjectChanged does nothing.
func (NopObserver) ObjectChanged(*Snapshot, string, map[string]any, map[string]any) {}

// CallEnded does nothing.
func (NopObserver) CallEnded(simcloud.JournalEntry, bool) {}

// ChangeDone does nothing.
func (NopObserver) ChangeDone(Change) {}

// Journal keeps the calls of a scenario, whoever made them, for who looks into
// a failure: the cloud forgets them with the next scenario. The harness looks at
// the cloud all the time; of its calls there are those that change something. Bodies are in the timeline.
type Journal struct {
	NopObserver

	Entries []simcloud.JournalEntry
}

// CallEnded keeps a call.
func (j *Journal) CallEnded(e simcloud.JournalEntry, harness bool) {
	if !harness || e.Write {
		e.Exchange = nil
		j.Entries = append(j.Entries, e)
	}
}
