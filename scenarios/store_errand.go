package scenarios

import (
	"maps"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// errand is what the cloud is called for, and whether by the harness: each operation of the
// snapshot was an errand once, and has a call that committed it.
type errand struct {
	verb    string
	harness bool
}

func (s *store) errandOf(operation any) errand {
	verb, _ := dig(operation, "verb").(string)
	return errand{verb, s.harness != nil && s.harness(simcloud.JournalEntry{Caller: callerOf(operation)})}
}

// calledLocked takes in that a call has changed the cloud. One that comes after
// all for an operation that was given up is no call for another.
func (s *store) calledLocked(e errand, resource string) {
	s.called[e]++
	if at := slices.Index(s.uncalled[e], resource); at >= 0 {
		s.uncalled[e] = slices.Delete(s.uncalled[e], at, at+1)
	}
}

// hasCallsOfOperations reports whether there are as many calls that changed the cloud as operations, by their errands.
func (s *store) hasCallsOfOperations() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.withoutCallLocked()) == 0
}

// expectNoCalls makes the operations that have no call now such as get none,
// or only those of them whose call may rightly stay out for long.
func (s *store) expectNoCalls(all bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for e, n := range s.withoutCallLocked() {
		if !all && !e.harness && !s.holding {
			continue
		}
		refs := s.refsLocked(e)
		s.uncalled[e] = append(s.uncalled[e], refs[len(refs)-n:]...)
	}
}

// refsLocked are what the operations of an errand were about, the oldest first.
func (s *store) refsLocked(e errand) (refs []string) {
	for _, o := range s.current.resources["operations"] {
		if s.errandOf(o) == e && !s.older[resourceID(o)] {
			kind, _ := dig(o, "resource", "kind").(string)
			id, _ := dig(o, "resource", "id").(string)
			refs = append(refs, simcloud.Ref(simcloud.Kind(kind), simcloud.ID(id)))
		}
	}
	return refs
}

// withoutCallLocked is how many operations lack their call, by their errands.
func (s *store) withoutCallLocked() map[errand]int {
	missing := map[errand]int{}
	for _, o := range s.current.resources["operations"] {
		if !s.older[resourceID(o)] {
			missing[s.errandOf(o)]++
		}
	}
	for e := range missing {
		missing[e] -= s.called[e] + len(s.uncalled[e])
	}
	maps.DeleteFunc(missing, func(_ errand, n int) bool { return n <= 0 })
	return missing
}
