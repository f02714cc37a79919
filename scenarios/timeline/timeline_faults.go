package timeline

import (
	"encoding/json"
	"strconv"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
)

// FaultsSeen takes in which of the scenario's rules the cloud has, and what it says of them.
func (r *Recorder) FaultsSeen(armed map[string]simcloud.ID, rules []fault.Rule) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for name, place := range r.faults {
		if armed[name] != simcloud.ID(r.moments[place].Detail["id"]) {
			r.moments[place].Until = r.now()
			delete(r.faults, name)
		}
	}
	for _, rule := range rules {
		if armed[rule.Name] != rule.ID {
			continue
		}
		place, open := r.faults[rule.Name]
		if !open {
			place = r.addLocked(scenarios.TimelineEntry{At: r.now(), Lane: scenarios.LaneFaults, Title: "fault " + rule.Name, Detail: faultDetail(rule)})
			r.faults[rule.Name], r.faultNames[string(rule.ID)] = place, rule.Name
		}
		r.moments[place].Detail["calls"] = strconv.FormatUint(rule.Calls, 10)
		r.moments[place].Detail["hits"] = strconv.FormatUint(rule.Hits, 10)
	}
}

// faultDetail has the parts of a rule as they were written.
func faultDetail(rule fault.Rule) map[string]string {
	detail := map[string]string{"id": string(rule.ID)}
	for key, part := range map[string]any{"match": rule.Match, "when": rule.When, "effect": rule.Effect} {
		if raw, err := json.Marshal(part); err == nil && string(raw) != "{}" {
			detail[key] = string(raw)
		}
	}
	return detail
}
