package scenarios

import (
	"context"
	"fmt"
	"slices"
	"strings"
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
	baseline map[string]bool
	// routes are the routes in the order in which they appeared: as the calls that made them.
	routes []string
}

func newLeakOracle() *leakOracle { return &leakOracle{} }

// leakKind is a kind of resource and its variable.
type leakKind struct {
	variable string
	kind     simcloud.Kind
}

// leakKinds are the kinds that can leak, by their variables.
var leakKinds = []leakKind{
	{"instances", simcloud.KindInstance},
	{"loadBalancers", simcloud.KindLoadBalancer},
	{"floatingIPs", simcloud.KindFloatingIP},
	{"routeTables", simcloud.KindRouteTable},
	{"networks", simcloud.KindNetwork},
	{"subnets", simcloud.KindSubnet},
	{"volumes", simcloud.KindVolume},
	{"sshKeys", simcloud.KindSSHKey},
	{"clusters", simcloud.KindCluster},
}

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

func (o *leakOracle) resourceChanged(variable, _ string, _, after map[string]any) {
	if variable != "routeTables" || after == nil {
		return
	}
	for _, r := range list(after["routes"]) {
		if ref := routeRef(r); !slices.Contains(o.routes, ref) {
			o.routes = append(o.routes, ref)
		}
	}
}

func (o *leakOracle) objectChanged(*Snapshot, string, map[string]any, map[string]any) {}

func routeRef(route any) string { return "route/" + resourceID(route) }

// inventory lists what the cloud holds.
func inventory(s *Snapshot) []item {
	var items []item
	for _, k := range leakKinds {
		for _, r := range s.resources[k.variable] {
			ref := simcloud.Ref(k.kind, simcloud.ID(resourceID(r)))
			items = append(items, item{ref: ref, text: fmt.Sprintf("%s %q", ref, dig(r, "name"))})
			for _, route := range list(dig(r, "routes")) {
				vm, _ := dig(route, "nextHop", "instance").(string)
				text := fmt.Sprintf("%s to %v in %s", routeRef(route), dig(route, "destination"), ref)
				items = append(items, item{ref: routeRef(route), text: text, vm: vm})
			}
		}
	}
	return items
}

// leaked returns what was not there before the steps.
func (o *leakOracle) leaked(s *Snapshot) []item {
	return slices.DeleteFunc(inventory(s), func(i item) bool {
		return o.baseline[i.ref] || i.vm != "" && findResource(s.resources["instances"], i.vm) != nil
	})
}

func (o *leakOracle) verdict(ctx context.Context, st *stage, failed bool) []Failure {
	settle := leakSettle
	if failed {
		settle = leakSettleFailed
	}
	waiting, cancel := context.WithTimeout(ctx, settle)
	defer cancel()
	_ = st.until(waiting, fromCloud, func(s *Snapshot) bool { return len(o.leaked(s)) == 0 })
	left := o.leaked(st.store.snapshot())
	if len(left) == 0 {
		return nil
	}
	f := Failure{
		Oracle:   "leak",
		Headline: fmt.Sprintf("%d of the cloud's resources are left over", len(left)),
		Because:  "When everything that needed them is gone, a CCM must have removed all that it made in the cloud: who uses it pays for what it forgets.",
	}
	for _, i := range left {
		f.Values = append(f.Values, i.text+o.origin(st, i))
	}
	return []Failure{f}
}

// origin says which call made something.
func (o *leakOracle) origin(st *stage, i item) string {
	writes := st.store.committedWrites()
	at := slices.IndexFunc(writes, func(w simcloud.JournalEntry) bool { return w.Resource == i.ref })
	if strings.HasPrefix(i.ref, "route/") {
		st.store.mu.Lock()
		nth := slices.Index(o.routes, i.ref)
		st.store.mu.Unlock()
		at = nthCall(writes, "CreateRoute", nth)
	}
	if at < 0 {
		return ": nobody called for it since the scenario began"
	}
	w := writes[at]
	return fmt.Sprintf(": made by %s of %s at %s", w.Operation, who(w), w.Time.Format("15:04:05.000"))
}

// nthCall finds the call of an operation that has n such calls before it.
func nthCall(writes []simcloud.JournalEntry, operation string, n int) int {
	for i, w := range writes {
		if w.Operation != operation {
			continue
		}
		if n == 0 {
			return i
		}
		n--
	}
	return -1
}

func who(e simcloud.JournalEntry) string {
	if e.Caller.UserAgent == "" {
		return "an unnamed client"
	}
	return e.Caller.UserAgent
}
