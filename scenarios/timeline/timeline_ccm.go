package timeline

import (
	"maps"

	"github.com/simcloud-dev/simcloud/e2e/control"
	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/observe"
)

// CCMSeen takes in how the CCM and its standby are.
func (r *Recorder) CCMSeen(now map[string]any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	before := r.ccm
	r.ccm = maps.Clone(now)
	r.runsLocked("the CCM", observe.Dig(now, "running") == true)
	r.runsLocked("the standby", observe.Dig(now, "standby", "running") == true)
	if observe.Dig(now, "killed") == true && observe.Dig(before, "killed") != true {
		r.addLocked(scenarios.TimelineEntry{At: r.now(), Lane: scenarios.LaneCCM, Title: "the CCM was killed at a call, as ordered"})
	}
	if token, was := observe.Dig(now, "tokenID"), observe.Dig(before, "tokenID"); was != nil && token != was {
		r.addLocked(scenarios.TimelineEntry{At: r.now(), Lane: scenarios.LaneCCM, Title: "the CCM has another token", Detail: map[string]string{"token": textOf(token)}})
	}
}

// runsTitle follows the name of a replica in the title of the time for which it runs.
const runsTitle = " runs"

// runsLocked begins or ends the time for which a replica runs.
func (r *Recorder) runsLocked(replica string, runs bool) {
	place, ran := r.running[replica]
	switch {
	case runs && !ran:
		r.running[replica] = r.addLocked(scenarios.TimelineEntry{At: r.now(), Lane: scenarios.LaneCCM, Title: replica + runsTitle})
	case !runs && ran:
		r.moments[place].Until = r.now()
		delete(r.running, replica)
	}
}

// ender is a replica whose ends are known.
type ender interface {
	Running() bool
	Exits() []control.Exit
}

// Exits takes in the unexpected ends of a replica. It ran until
// then, however late that it ran no more was seen.
func (r *Recorder) Exits(replica string, of ender) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, exit := range of.Exits() {
		m := scenarios.TimelineEntry{Lane: scenarios.LaneCCM, Title: replica + " did not stay alive: " + exit.Reason, Failed: true}
		if m.At = r.At(exit.Time); exit.Time.IsZero() {
			m.At = r.now()
		} else {
			r.ranUntilLocked(replica, m.At, of.Running())
		}
		r.addLocked(m)
	}
}

// ranUntilLocked ends the time for which a replica ran where it ended, unless it still runs.
func (r *Recorder) ranUntilLocked(replica string, end float64, runs bool) {
	open, isOpen := r.running[replica]
	for i := range r.moments {
		m := &r.moments[i]
		lasts := isOpen && i == open
		if m.Lane != scenarios.LaneCCM || m.Title != replica+runsTitle || m.At > end || lasts && runs || !lasts && m.Until <= end {
			continue
		}
		m.Until = end
		if lasts {
			delete(r.running, replica)
		}
	}
}
