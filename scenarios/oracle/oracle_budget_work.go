package oracle

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// work is what a CCM has had to do in a scenario.
type work struct {
	seconds  float64 // that it took
	nodes    int     // Nodes that there were
	moves    int     // Nodes that came or went
	services int     // Services that wanted a load balancer
	changes  int     // of these Services, their coming and going included
	acts     int     // steps that did something
	restarts int     // of these, with the CCM or the API

	// nodeSeconds is how long all Nodes were there together, unready for how
	// long they were not ready, pending for how long Services waited for their address.
	nodeSeconds, unready, pending float64

	there   map[string]workState
	counted map[string]bool // UIDs of Nodes and Services
}

// workState is how an object is, and since when.
type workState struct {
	since time.Time
	slow  bool // not ready; waiting for its address
}

func newWork() work { return work{there: map[string]workState{}, counted: map[string]bool{}} }

func (w *work) objectChanged(now time.Time, variable string, before, after map[string]any) {
	switch variable {
	case "nodes":
		if before == nil || after == nil {
			w.moves++
		}
		w.enter(now, "nodes", before, after, after != nil, !observe.IsReady(after), &w.nodes)
	case "services", observe.ServicesElsewhere:
		wanted := wantsBalancer(after) || after != nil && wantsBalancer(before)
		if (wanted || wantsBalancer(before)) && (after == nil || before == nil || terms(before) != terms(after) || !wantsBalancer(after)) {
			w.changes++
		}
		w.enter(now, "services", before, after, wanted, len(addressesTold(after)) == 0, &w.services)
	}
}

// enter keeps how an object is from now on, and adds up how it was.
func (w *work) enter(now time.Time, variable string, before, after map[string]any, there, slow bool, count *int) {
	uid := uidOf(before)
	if after != nil {
		uid = uidOf(after)
	}
	w.leave(now, variable, uid)
	if !there {
		return
	}
	w.there[variable+" "+uid] = workState{now, slow}
	if !w.counted[uid] {
		w.counted[uid] = true
		*count++
	}
}

func (w *work) leave(now time.Time, variable, uid string) {
	state, was := w.there[variable+" "+uid]
	if !was {
		return
	}
	delete(w.there, variable+" "+uid)
	took := now.Sub(state.since).Seconds()
	switch {
	case variable == "nodes":
		w.nodeSeconds += took
		if state.slow {
			w.unready += took
		}
	case state.slow:
		w.pending += took
	}
}

// end adds up what is there still.
func (w *work) end(now time.Time, r Run) {
	for key := range w.there {
		variable, uid, _ := strings.Cut(key, " ")
		w.leave(now, variable, uid)
	}
	w.seconds = now.Sub(r.Start()).Seconds()
	w.acts, w.restarts = len(r.Acts()), 1 // it has started once
	for _, verb := range r.Acts() {
		if verb == "ccm" || verb == "kube" || verb == "simulator" {
			w.restarts++
		}
	}
}

func (w *work) String() string {
	return fmt.Sprintf("%d Nodes for %.0f s together (%.0f s not ready), %d Services that wanted load balancers and waited %.0f s together, %d changes of them, %d steps, %.0f s",
		w.nodes, w.nodeSeconds, w.unready, w.services, w.pending, w.changes, w.acts, w.seconds)
}

// The kinds of calls that have a common limit.
const (
	readsOfBalancers = "reads of load balancers and addresses"
	readsOfRoutes    = "reads of route tables"
	readsOfMachines  = "reads of all else"
	writesOfRoutes   = "writes of routes"
	writesOfOthers   = "writes of load balancers and all else"
	failedCalls      = "calls that failed"
)

// classOf says with which others an operation is counted.
func classOf(operation string) string {
	endpoint, _ := simcloud.EndpointOf(operation)
	kind := endpoint.Kind()
	switch {
	case kind == simcloud.KindRouteTable && endpoint.Write():
		return writesOfRoutes
	case kind == simcloud.KindRouteTable:
		return readsOfRoutes
	case endpoint.Write():
		return writesOfOthers
	case kind == simcloud.KindLoadBalancer || kind == simcloud.KindFloatingIP || kind == simcloud.KindFloatingIPPool || kind == simcloud.KindOperation:
		return readsOfBalancers
	default:
		return readsOfMachines
	}
}

// allowance is how many calls of a kind the work asks for, at the periods of
// the harness: Nodes that are not ready are asked for every second, addresses compared every 5 s,
// routes every second. It is generous: our own provider has needed 43 % of a limit at most in the library, and
// mostly a tenth, because others may ask for each thing by itself. What grows with the square of the Nodes, or asks for
// each Node all the time, goes beyond it. Where more is known a scenario says it with spec.budget.
func allowance(class string, w work) int {
	nodes, changes, starts := float64(w.nodes), float64(w.changes), float64(w.restarts)
	moves, acts := float64(w.moves), 3*float64(w.acts)
	var n float64
	switch class {
	case readsOfMachines:
		n = 30 + acts + 4*moves + 4*nodes*starts + 0.6*w.nodeSeconds + 4*w.unready + 10*changes + 2*w.seconds
	case readsOfBalancers:
		n = 30 + acts + 30*changes + 10*float64(w.services)*starts + 2*moves*float64(w.services) + 6*w.pending + w.seconds
	case readsOfRoutes:
		n = 20 + acts + 4*moves + 3*w.seconds + 10*starts + 2*changes // by its routes a subnet is one for public load balancers
	case writesOfRoutes:
		n = 5 + acts + 4*moves
	case writesOfOthers:
		n = 10 + acts + 15*changes + 2*moves*float64(max(w.services, 1))
	case failedCalls:
		n = 40 + acts + (6+2*nodes+2*float64(w.services))*w.seconds
	}
	return int(math.Ceil(n))
}
