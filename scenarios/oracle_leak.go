package scenarios

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// leakSettle is how long the CCM may take to remove the last of what it made,
// after finally.
const leakSettle = 15 * time.Second

// leakSettleFailed is the same for a scenario that has failed, where the rest
// is on its way or never comes.
const leakSettleFailed = 3 * time.Second

// leakOracle is "leak": after finally the cloud holds what it held before the
// steps. Routes to VMs that still exist are no leak: the CCM keeps them for their nodes.
type leakOracle struct {
	bystander
	baseline map[string]bool
	// makers are the deeds that have made resources and routes.
	makers map[string]deed
}

func newLeakOracle() *leakOracle { return &leakOracle{makers: map[string]deed{}} }

// item is one thing in the inventory of the cloud.
type item struct {
	ref  string // as the journal names it
	text string // as people know it
	vm   string // for a route: the VM that it leads to
}

func (o *leakOracle) begin(s *Snapshot) {
	o.baseline = map[string]bool{}
	for _, i := range inventory(s) {
		o.baseline[i.ref] = true
	}
}

func (o *leakOracle) deedDone(d deed) {
	if d.before == nil && d.after != nil {
		o.makers[d.ref] = d
	}
	for _, r := range list(d.after["routes"]) {
		ref := routeRef(r)
		if _, known := o.makers[ref]; !known {
			o.makers[ref] = d
		}
	}
}

// inventory lists what the cloud holds.
func inventory(s *Snapshot) []item {
	var items []item
	for _, k := range leakKinds {
		for _, r := range s.resources[k.variable] {
			ref := simcloud.Ref(k.kind, simcloud.ID(resourceID(r)))
			items = append(items, item{ref: ref, text: fmt.Sprintf("%s %q", ref, dig(r, "name"))})
			for _, route := range list(dig(r, "routes")) {
				vm := nextHopVM(s, route)
				text := fmt.Sprintf("%s to %v in %s", routeRef(route), dig(route, "destination"), ref)
				items = append(items, item{ref: routeRef(route), text: text, vm: vm})
			}
		}
	}
	return items
}

// nextHopVM is the id of the VM that a route leads to, by its id or by an address that it has.
func nextHopVM(s *Snapshot, route any) string {
	if id, _ := dig(route, "nextHop", "instance").(string); id != "" {
		return id
	}
	address := dig(route, "nextHop", "address")
	for _, vm := range s.resources["instances"] {
		if address != nil && slices.ContainsFunc(list(dig(vm, "addresses")), func(a any) bool { return dig(a, "address") == address }) {
			return resourceID(vm)
		}
	}
	return ""
}

// leaked returns what was not there before the steps.
func (o *leakOracle) leaked(s *Snapshot) []item {
	return slices.DeleteFunc(inventory(s), func(i item) bool {
		return o.baseline[i.ref] || i.vm != "" && findResource(s.resources["instances"], i.vm) != nil
	})
}

// await waits until nothing is left over, for as long as a CCM may need for that.
func (o *leakOracle) await(ctx context.Context, r Run, failed bool) {
	settle := leakSettle
	if failed {
		settle = leakSettleFailed
	}
	waiting, cancel := context.WithTimeout(ctx, r.Patience(settle))
	defer cancel()
	_ = r.Until(waiting, fromCloud, func(s *Snapshot) bool { return len(o.leaked(s)) == 0 })
}

func (o *leakOracle) verdict(_ Run, now *Snapshot) []Failure {
	left := o.leaked(now)
	if len(left) == 0 {
		return nil
	}
	f := Failure{
		Oracle:   "leak",
		Headline: fmt.Sprintf("%d of the cloud's resources are left over", len(left)),
		Because:  "When everything that needed them is gone, a CCM must have removed all that it made in the cloud: who uses it pays for what it forgets.",
	}
	for _, i := range left {
		f.Values = append(f.Values, i.text+o.origin(i))
	}
	return []Failure{f}
}

// origin says who has made something.
func (o *leakOracle) origin(i item) string {
	d, known := o.makers[i.ref]
	if !known {
		return ": nobody called for it since the scenario began"
	}
	return fmt.Sprintf(": made by %s of %s at %s", d.operation, who(d.caller), clockTime(d.at))
}
