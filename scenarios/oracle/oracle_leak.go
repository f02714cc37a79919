package oracle

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"github.com/simcloud-dev/simcloud/scenarios/words"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect"
)

// LeakSettle is how long the CCM may take to remove the last of what it made,
// after finally.
const LeakSettle = 15 * time.Second

// leakSettleFailed is the same for a scenario that has failed, where the rest
// is on its way or never comes.
const leakSettleFailed = 3 * time.Second

// leakOracle is "leak": after finally the cloud holds what it held before the
// steps. Routes to VMs that still exist are no leak: the CCM keeps them for their nodes.
type leakOracle struct {
	observe.NopObserver
	ids      dialect.IDs
	baseline map[string]bool
	// makers are the changes that have made resources, routes and rules.
	makers map[string]observe.Change
	// implied are the default groups and their rules that no call was for: the cloud has made them with VMs.
	implied map[string]bool
	// services are the UIDs of the Services that there were, podRanges the ranges of the addresses that pods have.
	services  map[string]bool
	podRanges []string
}

func newLeakOracle(podRanges []string, ids dialect.IDs) *leakOracle {
	return &leakOracle{ids: ids, makers: map[string]observe.Change{}, implied: map[string]bool{}, services: map[string]bool{}, podRanges: podRanges}
}

// item is one thing in the inventory of the cloud.
type item struct {
	ref  string // as the journal names it
	text string // as people know it
	vm   string // for a route: the VM that it leads to
	// destination is that of a route.
	destination any
}

func (o *leakOracle) Begin(s *observe.Snapshot) {
	o.baseline = map[string]bool{}
	for _, i := range inventory(s) {
		o.baseline[i.ref] = true
	}
}

func (o *leakOracle) ResourceChanged(variable, id string, before, after map[string]any) {
	if newDefaultGroup(variable, before, after) {
		o.imply(observe.RefOf(variable, id), after, true)
	}
}

// imply notes whether no call was for a group and the rules that it has.
func (o *leakOracle) imply(ref string, group map[string]any, implied bool) {
	o.implied[ref] = implied
	for _, r := range observe.List(group["rules"]) {
		o.implied[ruleRef(r)] = implied
	}
}

// newDefaultGroup reports whether a change makes the default group of a network, which a call for a VM does too.
func newDefaultGroup(variable string, before, after map[string]any) bool {
	return variable == "securityGroups" && before == nil && after["name"] == simcloud.DefaultSecurityGroup && after["network"] != nil
}

func (o *leakOracle) ObjectChanged(_ *observe.Snapshot, variable string, _, after map[string]any) {
	if isService(variable) && after != nil {
		o.services[uidOf(after)] = true
	}
}

func (o *leakOracle) ChangeDone(d observe.Change) {
	if d.Before == nil && d.After != nil {
		o.makers[d.Ref] = d
		o.imply(d.Ref, d.After, false)
	}
	for _, r := range observe.List(d.After["routes"]) {
		o.made(observe.RouteRef(r), d)
	}
	for _, r := range observe.List(d.After["rules"]) {
		o.made(ruleRef(r), d)
	}
}

// made notes the change that has made a part, which is the first one that shows it.
func (o *leakOracle) made(ref string, d observe.Change) {
	if _, known := o.makers[ref]; !known {
		o.makers[ref] = d
	}
}

// ruleRef names a rule of a security group.
func ruleRef(rule any) string {
	return fmt.Sprintf("security_group_rule/%v", observe.Dig(rule, "id"))
}

// inventory lists what the cloud holds.
func inventory(s *observe.Snapshot) []item {
	var items []item
	for _, k := range observe.LeakKinds {
		for _, r := range s.Resources[k.Variable] {
			ref := simcloud.Ref(k.Kind, simcloud.ID(observe.ResourceID(r)))
			items = append(items, item{ref: ref, text: fmt.Sprintf("%s %q", ref, observe.Dig(r, "name"))})
			for _, route := range observe.List(observe.Dig(r, "routes")) {
				vm := nextHopVM(s, route)
				text := fmt.Sprintf("%s to %v in %s", observe.RouteRef(route), observe.Dig(route, "destination"), ref)
				items = append(items, item{ref: observe.RouteRef(route), text: text, vm: vm, destination: observe.Dig(route, "destination")})
			}
			for _, rule := range observe.List(observe.Dig(r, "rules")) {
				items = append(items, item{ref: ruleRef(rule), text: fmt.Sprintf("%s in %s", ruleRef(rule), ref)})
			}
		}
	}
	return items
}

// nextHopVM is the id of the VM that a route leads to, by its id or by an address that it has.
func nextHopVM(s *observe.Snapshot, route any) string {
	if id, _ := observe.Dig(route, "nextHop", "instance").(string); id != "" {
		return id
	}
	address := observe.Dig(route, "nextHop", "address")
	for _, vm := range s.Resources["instances"] {
		if address != nil && slices.ContainsFunc(observe.List(observe.Dig(vm, "addresses")), func(a any) bool { return observe.Dig(a, "address") == address }) {
			return observe.ResourceID(vm)
		}
	}
	return ""
}

// leaked returns what was not there before the steps.
func (o *leakOracle) leaked(s *observe.Snapshot) []item {
	return slices.DeleteFunc(inventory(s), func(i item) bool {
		return o.baseline[i.ref] || o.implied[i.ref] || i.vm != "" && observe.FindResource(s.Resources["instances"], i.vm) != nil
	})
}

// await waits until nothing is left over, for as long as a CCM may need for that.
func (o *leakOracle) await(ctx context.Context, r Run, failed bool) {
	settle := LeakSettle
	if failed {
		settle = leakSettleFailed
	}
	waiting, cancel := context.WithTimeout(ctx, r.Patience(settle))
	defer cancel()
	_ = r.Until(waiting, observe.FromCloud, func(s *observe.Snapshot) bool { return len(o.leaked(s)) == 0 })
}

func (o *leakOracle) verdict(r Run, now *observe.Snapshot) []scenarios.Failure {
	var leaks, own []string
	for _, i := range o.leaked(now) {
		if text := o.shown(i) + o.origin(r, i); o.scenariosOwn(i) {
			own = append(own, text)
		} else {
			leaks = append(leaks, text)
		}
	}
	var found []scenarios.Failure
	if len(leaks) > 0 {
		found = append(found, scenarios.Failure{
			Oracle:   "leak",
			Headline: fmt.Sprintf("%d of the cloud's resources are left over", len(leaks)),
			Because:  "When everything that needed them is gone, a CCM must have removed all that it made in the cloud: orphaned resources keep costing money.",
			Values:   leaks,
		})
	}
	if len(own) > 0 {
		found = append(found, scenarios.Failure{
			Oracle: "leak", Invalid: true, Values: own,
			Headline: fmt.Sprintf("the scenario left over %s that it made itself: remove them in finally", words.Plural(len(own), "resource")),
		})
	}
	return found
}

// shown is an item as people know it, with the id that the dialect of the CCM shows.
func (o *leakOracle) shown(i item) string {
	return strings.Replace(i.text, i.ref, shownRef(o.ids, i.ref), 1)
}

// scenariosOwn reports whether the scenario has made something that no CCM has to remove: it bears the UID of no Service,
// and is no route to pods, which the route controller removes when no Node needs it.
func (o *leakOracle) scenariosOwn(i item) bool {
	maker, known := o.makers[i.ref]
	if !known || !maker.Harness || inRanges(i.destination, o.podRanges) {
		return false
	}
	marks := marks(maker.After)
	for uid := range o.services {
		if bears(marks, uid) {
			return false
		}
	}
	return true
}

// origin says who has made something.
func (o *leakOracle) origin(r Run, i item) string {
	d, known := o.makers[i.ref]
	if !known {
		return ": no call has made it since the scenario began"
	}
	return fmt.Sprintf(": made by %s of %s at %s", d.Operation, words.Who(d.Caller), momentOf(r, d.At))
}
