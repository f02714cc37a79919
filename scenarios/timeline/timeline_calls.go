package timeline

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"github.com/simcloud-dev/simcloud/scenarios/words"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
)

// burst is how soon a read must follow an equal one to be shown as one with it, when other things than reads came between.
const burst = 0.25

// operationID is the detail by which a call and the changes that it made find each other.
const operationID = "operationID"

// CallMade takes a call of the CCM in.
func (r *Recorder) CallMade(e simcloud.JournalEntry) {
	until := observe.EndOf(e)
	r.mu.Lock()
	defer r.mu.Unlock()
	m := scenarios.TimelineEntry{
		At: r.At(until.Add(-time.Duration(e.Duration))), Until: r.At(until), Lane: scenarios.LaneCalls, Title: callTitle(e),
		Failed: e.Code != "", Detail: callDetail(e), Exchange: e.Exchange,
	}
	if m.Failed || e.Write || e.Fault != "" {
		clear(r.reads)
		r.exchangedLocked(r.offerLocked(m))
		r.strikeLocked(e, m)
		return
	}
	r.readLocked(e, m)
}

// readLocked takes a read in that went well: with the equal one before it, when that was just now, or when nothing but
// reads came since: then both are of a loop that polls.
func (r *Recorder) readLocked(e simcloud.JournalEntry, m scenarios.TimelineEntry) {
	what := e.Name + " " + e.Operation + " " + e.Caller.UserAgent
	place, ok := r.reads[what]
	if !ok || m.At-r.moments[place].Until > burst && place < r.other {
		other := r.other
		if place = r.offerLocked(m); place >= 0 {
			r.reads[what] = place
		}
		r.exchangedLocked(place)
		r.other = other
		return
	}
	before := &r.moments[place]
	n, _ := strconv.Atoi(before.Detail["times"])
	n = max(n, 1) + 1
	before.Until = m.Until
	before.Detail["times"] = strconv.Itoa(n)
	before.Title = fmt.Sprintf("%s ×%d", words.Call(e.Name, e.Operation), n)
	if before.Detail["resource"] != e.Resource {
		before.Detail["resource"] = "several"
	}
}

// mostExchanged is how much a timeline keeps of what calls sent and got, in bytes. A page
// has that much for each scenario that failed.
const mostExchanged = 2 << 20

// exchangedLocked counts what the call at a place has sent and got. Of too much, the
// earliest calls lose theirs: the end is where something failed.
func (r *Recorder) exchangedLocked(place int) {
	if place < 0 {
		return
	}
	r.exchanged += exchangeSize(r.moments[place].Exchange)
	for ; r.exchanged > mostExchanged; r.unexchanged++ {
		earliest := &r.moments[r.unexchanged]
		r.exchanged -= exchangeSize(earliest.Exchange)
		earliest.Exchange = nil
	}
}

func exchangeSize(e *simcloud.Exchange) int {
	if e == nil {
		return 0
	}
	size := len(e.Request)
	for _, body := range []*simcloud.Body{e.Sent, e.Got} {
		if body != nil {
			size += len(body.Text)
		}
	}
	return size
}

// strikeLocked shows in the faults' lane that a rule has changed a call.
func (r *Recorder) strikeLocked(e simcloud.JournalEntry, call scenarios.TimelineEntry) {
	if e.Fault == "" {
		return
	}
	name := string(e.Fault)
	if known := r.faultNames[name]; known != "" {
		name = known
	}
	r.offerLocked(scenarios.TimelineEntry{
		At: call.At, Until: call.Until, Lane: scenarios.LaneFaults, Title: fmt.Sprintf("%s: %s of %s", name, e.Effect, words.Call(e.Name, e.Operation)),
		Detail: map[string]string{"effect": e.Effect, "operation": e.Operation, "resource": e.Resource, "answer": callAnswer(e)},
	})
}

func callTitle(e simcloud.JournalEntry) string {
	title := words.Call(e.Name, e.Operation)
	if e.Resource != "" {
		title += " " + words.Shown(e.Resource, e.ShownID)
	}
	if e.Code != "" {
		title += " → " + string(e.Code)
	}
	if e.Effect != "" {
		title += " (" + e.Effect + ")"
	}
	return title
}

func callAnswer(e simcloud.JournalEntry) string {
	if e.Status == 0 {
		return "none"
	}
	return fmt.Sprintf("%d %s", e.Status, e.Code)
}

func callDetail(e simcloud.JournalEntry) map[string]string {
	detail := map[string]string{
		"seq": strconv.FormatUint(e.Seq, 10), "operation": e.Operation, "resource": e.Resource, "answer": callAnswer(e),
		"shownID": e.ShownID, "message": e.Message, "caller": e.Caller.UserAgent, "duration": time.Duration(e.Duration).Round(10 * time.Microsecond).String(),
		"effect": e.Effect, "fault": string(e.Fault), operationID: string(e.OperationID),
	}
	if e.Committed {
		detail["committed"] = "true"
	}
	if e.Name != "" && e.Name != e.Operation {
		detail["name"] = e.Name
	}
	return detail
}

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
