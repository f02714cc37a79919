package oracle

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"github.com/simcloud-dev/simcloud/scenarios/words"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// idleOracle is "idle-writes": when all is as it should be and nothing
// changes, a CCM writes nothing, to the cloud or to the Services. A run that went well is held
// for that before finally, until the CCM has written nothing for [restTime] since the last step
// that acts. So it costs nothing where the last steps have watched for as long.
type idleOracle struct {
	observe.NopObserver
	writes   []write     // of the CCM
	reads    []time.Time // of the CCM
	refused  time.Time
	failures []scenarios.Failure
}

// write is something that the CCM has written.
type write struct {
	at   time.Time
	text string
}

const (
	// RestTime is for how long nothing may be written: longer than the periods
	// in which controllers look, which are a second in the harness.
	RestTime = 1500 * time.Millisecond
	// syncTime is how long it is waited for a CCM that has not even read the cloud meanwhile: one that looks
	// periodically has not looked yet, and one that never does is at rest.
	syncTime = 2 * RestTime
	// restLimit is how long the CCM may take to come to rest, when it writes on after all is as it should
	// be: long, because who writes for ever does so then, too.
	restLimit = 15 * time.Second
	// workLimit is the same while each write leads to more, or to less, than there ever was: who has many
	// routes to make, one after the other, is not without rest.
	workLimit = time.Minute
	// settleLimit is how long it is waited for that all is as it should be. Where it
	// is not, on purpose, there is nothing to judge.
	settleLimit = 500 * time.Millisecond
)

func (o *idleOracle) Begin(*observe.Snapshot) {}

func (o *idleOracle) CallEnded(e simcloud.JournalEntry, harness bool) {
	switch {
	case harness:
	case e.Fault != "" || e.Write && e.Code != "":
		o.refused = time.Now()
	case !e.Write:
		o.reads = append(o.reads, time.Now())
	case e.Write:
		o.writes = append(o.writes, write{time.Now(), words.Call(e.Name, e.Operation) + " " + words.Shown(e.Resource, e.ShownID)})
	}
}

func (o *idleOracle) ObjectChanged(_ *observe.Snapshot, variable string, before, after map[string]any) {
	if variable != "services" || before == nil || after == nil || reflect.DeepEqual(before["status"], after["status"]) {
		return
	}
	o.writes = append(o.writes, write{time.Now(), "the status of the Service " + NameOf(after)})
}

// Rest waits until the CCM rests.
func (o *idleOracle) Rest(ctx context.Context, r Run) error {
	if !o.wrote(r) || !judgesRest(ctx, r) {
		return nil
	}
	began := time.Now()
	work := progress{at: began}
	for {
		if err := r.Sync(ctx); err != nil {
			return err
		}
		wait, written := o.untilRested(r)
		switch {
		case wait <= 0:
			return nil
		case !settled(snapshotOf(r)) || o.disturbed(r, began.Add(-r.Patience(RestTime))):
			return nil
		case len(written) > 0 && (time.Since(work.seen(snapshotOf(r))) > r.Patience(restLimit) || time.Since(began) > r.Patience(workLimit)):
			o.object(r, written)
			return nil
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// progress is whether work gets done: when there was last more, or less, in the cloud than ever before.
type progress struct {
	at          time.Time
	most, least int
}

// seen returns when work was last done.
func (p *progress) seen(s *observe.Snapshot) time.Time {
	n := 0
	for _, k := range observe.LeakKinds {
		for _, r := range s.Resources[k.Variable] {
			resource, _ := r.(map[string]any)
			n += 1 + len(partsOf(resource))
		}
	}
	switch {
	case p.most == 0: // the first look
		p.most, p.least = n, n
	case n < p.least || n > p.most:
		p.most, p.least, p.at = max(n, p.most), min(n, p.least), time.Now()
	}
	return p.at
}

// wrote reports whether the CCM has written anything at all: who has not, rests.
func (o *idleOracle) wrote(r Run) (wrote bool) {
	r.View(func(*observe.Snapshot) { wrote = len(o.writes) > 0 })
	return wrote
}

// judgesRest reports whether the world is such that a CCM can rest.
func judgesRest(ctx context.Context, r Run) bool {
	if r.Forbidden() || !r.CCM().Running() {
		return false
	}
	waiting, cancel := context.WithTimeout(ctx, r.Patience(settleLimit))
	defer cancel()
	return r.Until(waiting, observe.FromCluster, settled) == nil
}

// snapshotOf is what there is to see now.
func snapshotOf(r Run) (now *observe.Snapshot) {
	r.View(func(s *observe.Snapshot) { now = s })
	return now
}

// settled reports whether all is as a CCM should make it, as far as can be observed.
func settled(s *observe.Snapshot) bool {
	for _, node := range s.Objects["nodes"] {
		if !observe.IsInitialised(node) {
			return false
		}
	}
	for _, service := range allServices(s) {
		service, _ := service.(map[string]any)
		balanced := observe.Dig(service, "spec", "type") == "LoadBalancer" && observe.Dig(service, "spec", "loadBalancerClass") == nil
		if observe.Dig(service, "metadata", "deletionTimestamp") != nil || balanced && len(addressesTold(service)) == 0 {
			return false
		}
	}
	return allSteady(s)
}

// steady are the states of resources that nothing is under way with.
var steady = map[any]bool{nil: true, "active": true, "available": true, "attached": true, "in_use": true, "running": true, "stopped": true, "suspended": true}

func allSteady(s *observe.Snapshot) bool {
	for _, variable := range []string{"instances", "loadBalancers", "floatingIPs", "volumes"} {
		for _, r := range s.Resources[variable] {
			if !steady[observe.Dig(r, "state")] {
				return false
			}
		}
	}
	return true
}

// untilRested is how long the CCM must still write nothing, and what it has written since the last act.
func (o *idleOracle) untilRested(r Run) (wait time.Duration, since []write) {
	from := r.LastAct()
	r.View(func(*observe.Snapshot) {
		for _, w := range o.writes {
			if w.at.After(r.LastAct()) {
				since, from = append(since, w), w.at
			}
		}
		read := slices.ContainsFunc(o.reads, func(t time.Time) bool { return t.After(from) })
		wait = restOf(r.Patience, time.Since(from), read)
	})
	return wait, since
}

// restOf is how long to wait on before the CCM is looked at again, which has written nothing for a time;
// 0 or less when it rests.
func restOf(patience func(time.Duration) time.Duration, quiet time.Duration, read bool) time.Duration {
	rest := patience(RestTime)
	if read || quiet < rest {
		return rest - quiet
	}
	return min(patience(syncTime)-quiet, rest/10)
}

// disturbed reports whether the cloud has refused the CCM something meanwhile: then it has something to do again.
func (o *idleOracle) disturbed(r Run, since time.Time) (disturbed bool) {
	r.View(func(*observe.Snapshot) { disturbed = o.refused.After(since) })
	return disturbed
}

func (o *idleOracle) object(r Run, written []write) {
	f := scenarios.Failure{
		Oracle:   "idle-writes",
		At:       r.Since(written[0].at),
		Headline: fmt.Sprintf("the CCM does not come to rest: it wrote %s since the last step that changed anything", words.Times(len(written))),
		Because:  "When all is as it should be and nothing changes, a CCM must write nothing: each write is a change to audit, and one of the calls that a quota allows.",
		CCMLog:   r.CCM().LogTail(observe.MostLogLines),
	}
	for _, w := range written {
		f.Values = append(f.Values, fmt.Sprintf("%s: %s", momentOf(r, w.at), w.text))
	}
	f.Values = words.LastOf(f.Values, observe.MostCalls)
	o.failures = append(o.failures, f)
}

func (o *idleOracle) verdict(Run, *observe.Snapshot) []scenarios.Failure { return o.failures }
