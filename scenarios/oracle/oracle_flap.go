package oracle

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/expr"
	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"github.com/simcloud-dev/simcloud/scenarios/words"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect"
)

// flapOracle is "no-flapping": a CCM does not remove a route or a target that
// it adds again, when nothing has changed in between that it goes by.
type flapOracle struct {
	ids     dialect.IDs
	removed map[string]time.Time   // by the CCM, by what it was
	calls   map[simcloud.ID]uint64 // the numbers of the calls that have made operations
	flaps   []flap
	// nodes are the moments at which what a CCM goes by changed of a Node, by name and by VM.
	nodes map[string][]time.Time
	vms   map[string][]time.Time
	// names and ranges are the Nodes by VM and by their pod ranges, hops the VMs that there are by their ids and addresses.
	names  map[string]string
	hops   map[string]string
	ranges map[string]string
	lies   []lie // what the cloud has answered that is not so
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
	call    observe.Change
}

func newFlapOracle(ids dialect.IDs) *flapOracle {
	return &flapOracle{
		ids:     ids,
		removed: map[string]time.Time{}, calls: map[simcloud.ID]uint64{}, nodes: map[string][]time.Time{}, vms: map[string][]time.Time{},
		names: map[string]string{}, ranges: map[string]string{}, hops: map[string]string{},
	}
}

func (o *flapOracle) Begin(s *observe.Snapshot) {
	for _, each := range s.Resources["instances"] {
		vm, _ := each.(map[string]any)
		o.vmChanged(observe.ResourceID(vm), vm)
	}
}

// lying are the effects of faults by which a CCM is told what is not so, or not so any more when it hears of it.
var lying = []string{"stale", "hide", "page", "garble", "delay", "hang"}

func (o *flapOracle) CallEnded(e simcloud.JournalEntry, harness bool) {
	if e.OperationID != "" {
		o.calls[e.OperationID] = e.Seq
	}
	if !harness && slices.Contains(lying, e.Effect) {
		o.lies = append(o.lies, lie{e.Seq, time.Now()})
	}
}

func (o *flapOracle) ResourceChanged(variable, id string, before, after map[string]any) {
	if variable != "instances" {
		return
	}
	o.vmChanged(id, after)
	if !reflect.DeepEqual(expr.Lasting(before), expr.Lasting(after)) {
		o.vms[id] = append(o.vms[id], time.Now())
	}
}

// vmChanged notes what leads to a VM from now on; nil is one that is gone.
func (o *flapOracle) vmChanged(id string, vm map[string]any) {
	maps.DeleteFunc(o.hops, func(_, of string) bool { return of == id })
	if vm == nil {
		return
	}
	o.hops[id] = id
	for _, a := range observe.List(vm["addresses"]) {
		o.hops[fmt.Sprint(observe.Dig(a, "address"))] = id
	}
}

func (o *flapOracle) ObjectChanged(_ *observe.Snapshot, variable string, before, after map[string]any) {
	switch {
	case isService(variable) && (before == nil || after == nil || terms(before) != terms(after)),
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
	name := NameOf(node)
	o.nodes[name] = append(o.nodes[name], time.Now())
	o.names[vmIDOf(o.ids, node)] = name
	for _, cidr := range append(observe.List(observe.Dig(node, "spec", "podCIDRs")), observe.Dig(node, "spec", "podCIDR")) {
		o.ranges[fmt.Sprint(cidr)] = name
	}
}

// eligibility is what a CCM goes by of a Node when it decides whether it is a target, and of what its route is.
func eligibility(node map[string]any) any {
	if node == nil {
		return nil
	}
	return []any{
		observe.Dig(node, "metadata", "uid"), observe.Dig(node, "metadata", "labels"), observe.Dig(node, "metadata", "deletionTimestamp"),
		observe.Dig(node, "spec", "providerID"), observe.Dig(node, "spec", "podCIDRs"), observe.Dig(node, "spec", "taints"), observe.Dig(node, "status", "addresses"),
		observe.IsReady(node), // who leaves out Nodes that are not ready is of another opinion than upstream, and not wrong
	}
}

func (o *flapOracle) ChangeDone(d observe.Change) {
	if d.Before == nil || d.After == nil {
		return
	}
	before, after := flappables(d.Before), flappables(d.After)
	for key, was := range before {
		if _, kept := after[key]; kept {
			continue
		}
		delete(o.removed, d.Ref+" "+key)
		if !d.Harness && isFor(d.Operation, key) && (was.hop == "" || o.hops[was.hop] != "") { // a route that leads to no VM carries nothing
			o.removed[d.Ref+" "+key] = d.At
		}
	}
	for key, is := range after {
		since, was := o.removed[d.Ref+" "+key]
		delete(o.removed, d.Ref+" "+key)
		if _, there := before[key]; there || !was || d.Harness {
			continue
		}
		o.flaps = append(o.flaps, flap{what: fmt.Sprintf("the %s of %s", key, d.Ref), subject: is.subject, from: since, to: d.At, call: d})
	}
}

// flappable is a target or a route of a resource: whom it is about, and for a route what it leads to.
type flappable struct{ subject, hop string }

// flappables are the targets and routes of a resource, by what each is.
func flappables(resource map[string]any) map[string]flappable {
	parts := map[string]flappable{}
	for _, t := range observe.List(resource["targets"]) {
		id := fmt.Sprint(observe.Dig(t, "instance"))
		parts["target "+id] = flappable{subject: id}
	}
	for _, r := range observe.List(resource["routes"]) {
		destination := fmt.Sprint(observe.Dig(r, "destination"))
		next, _ := observe.Dig(r, "nextHop").(map[string]any)
		hop := strings.Join(values(next), "")
		parts[fmt.Sprintf("route to %s by %s", destination, hop)] = flappable{destination, hop}
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
	// NewsTime is how long it may go by a Node as it was: upstream makes a load balancer and updates its
	// targets at the same time, each with the list of Nodes that it has begun with.
	NewsTime = 1500 * time.Millisecond
)

// excused reports whether something has changed between the removal and the return, or of the Node right before.
func (o *flapOracle) excused(r Run, f flap) bool {
	between := func(from time.Time) func(time.Time) bool {
		return func(t time.Time) bool { return t.After(from) && !t.After(f.to) } // in simulated time both may be at the same moment
	}
	name := o.names[f.subject]
	if name == "" {
		name = o.ranges[f.subject]
	}
	return r.ActedBetween(f.from, f.to) ||
		slices.ContainsFunc(o.nodes[name], between(f.from.Add(-r.Patience(NewsTime)))) ||
		slices.ContainsFunc(o.vms[f.subject], between(f.from)) ||
		f.call.Variable == "loadBalancers" && slices.ContainsFunc(o.services, between(f.from)) ||
		slices.ContainsFunc(o.lies, func(l lie) bool { return l.at.After(f.from.Add(-r.Patience(lieLasts))) && o.toldBefore(l, f) })
}

// toldBefore reports whether the CCM had the answer when it called for the return. A call whose answer is
// held back has no number yet: then the lie is older, or as good as that.
func (o *flapOracle) toldBefore(l lie, f flap) bool {
	seq, recorded := o.calls[f.call.OperationID]
	return !recorded || l.seq < seq
}

func (o *flapOracle) verdict(r Run, _ *observe.Snapshot) []scenarios.Failure {
	flaps := slices.DeleteFunc(slices.Clone(o.flaps), func(f flap) bool { return o.excused(r, f) })
	if len(flaps) == 0 {
		return nil
	}
	f := scenarios.Failure{
		Oracle:   "no-flapping",
		At:       r.Since(flaps[0].to),
		Headline: fmt.Sprintf("%s was removed and added again, %s", flaps[0].what, words.Times(len(flaps))),
		Because:  "A CCM must not touch a correct route or target: while it is away, connections are lost.",
	}
	for _, each := range flaps {
		f.Values = append(f.Values, fmt.Sprintf("%s: removed %s after the scenario began, and back after %s, by %s",
			each.what, r.When(each.from), words.Rounded(each.to.Sub(each.from)), each.call.Operation))
	}
	f.Values = words.LastOf(f.Values, observe.MostErrors)
	return []scenarios.Failure{f}
}
