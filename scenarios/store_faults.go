package scenarios

import (
	"maps"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
)

// armedFaults are the ids of the rules that the cloud has, by their names.
func (s *store) armedFaults() map[string]simcloud.ID {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.armed)
}

// setFaults changes which rules the cloud has, if change is set, and takes in what it says of them.
func (s *store) setFaults(change func(armed map[string]simcloud.ID), rules ...fault.Rule) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if change != nil {
		change(s.armed)
	}
	now := maps.Clone(s.current.faults)
	for _, r := range rules {
		if s.armed[r.Name] == r.ID {
			now[r.Name] = map[string]any{"calls": int64(r.Calls), "hits": int64(r.Hits)}
		}
	}
	s.changeLocked(fromFaults, func(next *Snapshot) { next.faults = now })
	s.tellLocked(func(w witness) { w.faultsSeen(s.armed, rules) })
}
