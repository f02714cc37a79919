package scenarios

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// flapOracle is "no-flapping": a CCM does not remove a route or a target that
// it adds again, when nothing has changed in between that it goes by.
type flapOracle struct {
	removed map[string]time.Time   // by the CCM, by what it was
	calls   map[simcloud.ID]uint64 // the numbers of the calls that have made operations
	flaps   []flap
	// nodes are the moments at which what a CCM goes by changed of a Node, by name and by VM.
	nodes  map[string][]time.Time
	vms    map[string][]time.Time
	names  map[string]string // of the Nodes, by VM
	ranges map[string]string // the Nodes by their pod ranges
	lies   []lie             // what the cloud has answered that is not so
	// services are the moments at which a Service asked for something else, or its endpoints moved.
	services []time.Time
}

// lie is an answer of the cloud that is not so, by the number of its call.
type lie struct {
	seq uint64
	at  time.Time
}

// flap is a part that was removed and added again.
type flap struct {
	what    string
	subject string // the id of the VM, or the destination of the route
	from    time.Time
	to      time.Time
	call    deed
}

func newFlapOracle() *flapOracle {
	return &flapOracle{
		removed: map[string]time.Time{}, calls: map[simcloud.ID]uint64{}, nodes: map[string][]time.Time{}, vms: map[string][]time.Time{},
		names: map[string]string{}, ranges: map[string]string{},
	}
}

func (o *flapOracle) begin(*Snapshot) {}

// lying are the effects of faults by which a CCM is told what is not so, or not so any more when it hears of it.
var lying = []string{"stale", "hide", "page", "garble", "delay", "hang"}

func (o *flapOracle) callEnded(e simcloud.JournalEntry, harness bool) {
	if e.OperationID != "" {
		o.calls[e.OperationID] = e.Seq
	}
	if !harness && slices.Contains(lying, e.Effect) {
		o.lies = append(o.lies, lie{e.Seq, time.Now()})
	}
}

func (o *flapOracle) resourceChanged(variable, id string, before, after map[string]any) {
	if variable == "instances" && !reflect.DeepEqual(lasting(before), lasting(after)) {
		o.vms[id] = append(o.vms[id], time.Now())
	}
}

func (o *flapOracle) objectChanged(_ *Snapshot, variable string, before, after map[string]any) {
	switch {
	case variable == "services" && (before == nil || after == nil || terms(before) != terms(after)),
		variable == "endpointSlices" && !reflect.DeepEqual(before["endpoints"], after["endpoints"]):
		o.services = append(o.services, time.Now())
	case variable == "nodes" && !reflect.DeepEqual(eligibility(before), eligibility(after)):
		o.nodeChanged(before, after)
	}
}

func (o *flapOracle) nodeChanged(before, after map[string]any) {
	node := after
	if node == nil {
		node = before
	}
	name := nameOf(node)
	o.nodes[name] = append(o.nodes[name], time.Now())
	o.names[vmIDOf(node)] = name
	for _, cidr := range append(list(dig(node, "spec", "podCIDRs")), dig(node, "spec", "podCIDR")) {
		o.ranges[fmt.Sprint(cidr)] = name
	}
}

// eligibility is what a CCM goes by of a Node when it decides whether it is a target, and of what its route is.
func eligibility(node map[string]any) any {
	if node == nil {
		return nil
	}
	return []any{
		dig(node, "metadata", "uid"), dig(node, "metadata", "labels"), dig(node, "metadata", "deletionTimestamp"),
		dig(node, "spec", "providerID"), dig(node, "spec", "podCIDRs"), dig(node, "spec", "taints"), dig(node, "status", "addresses"),
		isReady(node), // who leaves out Nodes that are not ready is of another opinion than upstream, and not wrong
	}
}

func (o *flapOracle) deedDone(d deed) {
	if d.before == nil || d.after == nil {
		return
	}
	before, after := flappable(d.before), flappable(d.after)
	for key := range before {
		if _, kept := after[key]; kept {
			continue
		}
		delete(o.removed, d.ref+" "+key)
		if !d.harness {
			o.removed[d.ref+" "+key] = d.at
		}
	}
	for key, subject := range after {
		since, was := o.removed[d.ref+" "+key]
		delete(o.removed, d.ref+" "+key)
		if _, there := before[key]; there || !was || d.harness {
			continue
		}
		o.flaps = append(o.flaps, flap{what: fmt.Sprintf("the %s of %s", key, d.ref), subject: subject, from: since, to: d.at, call: d})
	}
}

// flappable are the targets and routes of a resource: what each is, and whom it is about.
func flappable(resource map[string]any) map[string]string {
	parts := map[string]string{}
	for _, t := range list(resource["targets"]) {
		id := fmt.Sprint(dig(t, "instance"))
		parts["target "+id] = id
	}
	for _, r := range list(resource["routes"]) {
		destination := fmt.Sprint(dig(r, "destination"))
		hop, _ := dig(r, "nextHop").(map[string]any)
		parts[fmt.Sprintf("route to %s by %s", destination, strings.Join(values(hop), ""))] = destination
	}
	return parts
}

// values are the values of a mapping that has one or two, in the order of their keys.
func values(m map[string]any) []string {
	var all []string
	for _, key := range slices.Sorted(maps.Keys(m)) {
		all = append(all, fmt.Sprint(m[key]))
	}
	return all
}

const (
	// lieLasts is how long a CCM may go by what the cloud has told it. That it was told before it added the
	// part again follows from the journal's numbers, since a call is written down before it is answered.
	lieLasts = 10 * time.Second
	// newsTime is how long it may go by a Node as it was: upstream makes a load balancer and updates its
	// targets at the same time, each with the list of Nodes that it has begun with.
	newsTime = 1500 * time.Millisecond
)

// excused reports whether something has changed between the removal and the return, or of the Node right before.
func (o *flapOracle) excused(r Run, f flap) bool {
	between := func(from time.Time) func(time.Time) bool {
		return func(t time.Time) bool { return t.After(from) && t.Before(f.to) }
	}
	name := o.names[f.subject]
	if name == "" {
		name = o.ranges[f.subject]
	}
	return r.ActedBetween(f.from, f.to) ||
		slices.ContainsFunc(o.nodes[name], between(f.from.Add(-r.Patience(newsTime)))) ||
		slices.ContainsFunc(o.vms[f.subject], between(f.from)) ||
		f.call.variable == "loadBalancers" && slices.ContainsFunc(o.services, between(f.from)) ||
		slices.ContainsFunc(o.lies, func(l lie) bool { return l.at.After(f.from.Add(-r.Patience(lieLasts))) && o.toldBefore(l, f) })
}

// toldBefore reports whether the CCM had the answer when it called for the return. A call whose answer is
// held back has no number yet: then the lie is older, or as good as that.
func (o *flapOracle) toldBefore(l lie, f flap) bool {
	seq, recorded := o.calls[f.call.operationID]
	return !recorded || l.seq < seq
}

func (o *flapOracle) verdict(r Run, _ *Snapshot) []Failure {
	flaps := slices.DeleteFunc(slices.Clone(o.flaps), func(f flap) bool { return o.excused(r, f) })
	if len(flaps) == 0 {
		return nil
	}
	f := Failure{
		Oracle:   "no-flapping",
		At:       r.Since(flaps[0].to),
		Headline: fmt.Sprintf("%s was removed and added again, %s", flaps[0].what, times(len(flaps))),
		Because:  "A CCM must leave a route or a target that is right as it is: while it is away, connections are lost.",
	}
	for _, each := range flaps {
		f.Values = append(f.Values, fmt.Sprintf("%s: removed %s after the scenario began, and back after %s, by %s",
			each.what, r.When(each.from), rounded(each.to.Sub(each.from)), each.call.operation))
	}
	f.Values = lastOf(f.Values, mostErrors)
	return []Failure{f}
}
