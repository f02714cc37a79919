package scenarios

import (
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
)

// observer sees each change in its order. It is called with the store locked,
// after the change, and must not call the store. Who needs only some of it embeds [bystander].
type observer interface {
	// resourceChanged tells of a resource of the cloud; after is nil when it is gone.
	resourceChanged(variable, id string, before, after map[string]any)
	// objectChanged tells of an object of the cluster; after is nil when it is gone.
	objectChanged(s *Snapshot, variable string, before, after map[string]any)
	// callEnded tells of a call to the cloud, of the harness's own too.
	callEnded(e simcloud.JournalEntry, harness bool)
	// deedDone tells who has changed a resource, right after resourceChanged has told of it.
	deedDone(d deed)
}

// witness is an observer who hears of everything else too, in the same way.
type witness interface {
	callMade(e simcloud.JournalEntry) // by the CCM
	eventSeen(event map[string]any)
	faultsSeen(armed map[string]simcloud.ID, rules []fault.Rule)
	ccmSeen(now map[string]any)
}

func (s *store) tellLocked(tell func(witness)) {
	for _, o := range s.observers {
		if w, ok := o.(witness); ok {
			tell(w)
		}
	}
}

// deed is a change of a resource with the operation that has changed it. What
// a cloud changes by itself is none, and neither is what an operation on one
// resource does to others. What follows later from an operation that takes its time is another
// deed of it: a deletion leads to "deleting", and then to nothing.
type deed struct {
	at        time.Time
	operation string // "DeleteRoute"
	// operationID is the operation's id, which the journal has for the call.
	operationID simcloud.ID
	caller      simcloud.Caller
	harness     bool
	// ref is the resource as the journal names it: "load_balancer/lb-1".
	ref, variable, id string
	before, after     map[string]any // nil: it was not there; it is gone
}

// bystander observes nothing.
type bystander struct{}

func (bystander) resourceChanged(string, string, map[string]any, map[string]any) {}

func (bystander) objectChanged(*Snapshot, string, map[string]any, map[string]any) {}

func (bystander) callEnded(simcloud.JournalEntry, bool) {}

func (bystander) deedDone(deed) {}
