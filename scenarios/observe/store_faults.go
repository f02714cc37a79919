package observe

import (
	"maps"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
)

// ArmedFaults are the ids of the rules that the cloud has, by their names.
func (s *Store) ArmedFaults() map[string]simcloud.ID {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.armed)
}

// SetFaults changes which rules the cloud has, if change is set, and takes in what it says of them.
func (s *Store) SetFaults(change func(armed map[string]simcloud.ID), rules ...fault.Rule) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if change != nil {
		change(s.armed)
	}
	now := maps.Clone(s.Current.Faults)
	for _, r := range rules {
		if s.armed[r.Name] == r.ID {
			now[r.Name] = map[string]any{"calls": int64(r.Calls), "hits": int64(r.Hits)}
		}
	}
	s.changeLocked(FromFaults, func(next *Snapshot) { next.Faults = now })
	s.tellLocked(func(w CallObserver) { w.FaultsSeen(s.armed, rules) })
}
