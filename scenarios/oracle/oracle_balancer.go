package oracle

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"github.com/simcloud-dev/simcloud/simcloud/dialect"
)

// balancerOracle is "one-load-balancer": there is at most one load balancer
// for a Service. Which is whose tell its name and labels, or the address that the Service tells
// of; those that tell nothing are counted. For a moment there may be two when the CCM makes the new
// one before it deletes the old one; a broken one does not count.
type balancerOracle struct {
	observe.NopObserver
	ids      dialect.IDs
	alive    map[string]balancer       // by id
	others   map[string]bool           // ids of those that another client has made
	services map[string]map[string]any // that there are, by UID
	owner    map[string]string         // UID by id, of those of which it is known
	doubles  map[string]*double        // that there are now, by UID, or "" for those that tell nothing
	seen     []*double                 // that are over
	uids     map[string]string         // name by UID, of all Services that there were
}

// balancer is a load balancer that works or will.
type balancer struct {
	resource map[string]any
	nth      int // in which order they came
}

// double is a time in which a Service had several.
type double struct {
	uid, name string
	ids       []string // the oldest first
	texts     []string
	from, to  time.Time
	replaced  bool // it ended with the deletion of the oldest, for a Service that stays
}

func newBalancerOracle(ids dialect.IDs) *balancerOracle {
	return &balancerOracle{
		ids:   ids,
		alive: map[string]balancer{}, others: map[string]bool{}, services: map[string]map[string]any{},
		owner: map[string]string{}, doubles: map[string]*double{}, uids: map[string]string{},
	}
}

func (o *balancerOracle) Begin(*observe.Snapshot) {}

func (o *balancerOracle) ChangeDone(d observe.Change) {
	if d.Variable == "loadBalancers" && d.Before == nil && d.Harness {
		o.others[d.ID] = true
		o.weigh()
	}
}

func (o *balancerOracle) ResourceChanged(variable, id string, _, after map[string]any) {
	if variable != "loadBalancers" {
		return
	}
	before, known := o.alive[id]
	switch {
	case !live(after):
		delete(o.alive, id)
	case known:
		o.alive[id] = balancer{after, before.nth}
	default:
		o.alive[id] = balancer{after, o.next()}
	}
	o.weigh()
}

func (o *balancerOracle) next() int {
	n := 0
	for _, b := range o.alive {
		n = max(n, b.nth+1)
	}
	return n
}

func (o *balancerOracle) ObjectChanged(_ *observe.Snapshot, variable string, before, after map[string]any) {
	if !isService(variable) {
		return
	}
	if after == nil {
		delete(o.services, uidOf(before))
	} else {
		o.services[uidOf(after)] = after
		o.uids[uidOf(after)] = NameOf(after)
	}
	o.weigh()
}

// weigh finds the Services that have several load balancers now.
func (o *balancerOracle) weigh() {
	now, unmarked := map[string][]string{}, []string{}
	for _, id := range o.inOrder() {
		if uid := o.ownerOf(id); uid != "" {
			now[uid] = append(now[uid], id)
		} else if !o.others[id] {
			unmarked = append(unmarked, id)
		}
	}
	if room := o.without(now); len(unmarked) > room {
		now[""] = unmarked
	}
	for uid, ids := range now {
		if uid != "" && len(ids) < 2 {
			delete(now, uid)
		}
	}
	o.note(now)
}

func (o *balancerOracle) inOrder() []string {
	var ids []string
	for id := range o.alive {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b string) int { return o.alive[a].nth - o.alive[b].nth })
	return ids
}

// ownerOf is the UID of the Service that a load balancer is for; empty when nothing tells.
func (o *balancerOracle) ownerOf(id string) string {
	if uid := o.owner[id]; uid != "" {
		return uid
	}
	marks := marks(o.alive[id].resource)
	for uid := range o.uids {
		if bears(marks, uid) {
			o.owner[id] = uid
			return uid
		}
	}
	vips := vipsOf(o.alive[id].resource)
	for uid, service := range o.services {
		if slices.ContainsFunc(addressesTold(service), func(a string) bool { return slices.Contains(vips, a) }) {
			o.owner[id] = uid
		}
	}
	return o.owner[id]
}

// without is how many Services may still get a load balancer, or are on their way out.
func (o *balancerOracle) without(have map[string][]string) int {
	n := 0
	for uid, service := range o.services {
		if len(have[uid]) == 0 && (wantsBalancer(service) || len(observe.List(observe.Dig(service, "metadata", "finalizers"))) > 0) {
			n++
		}
	}
	return n
}

// note keeps when doubles begin and end.
func (o *balancerOracle) note(now map[string][]string) {
	for uid, d := range o.doubles {
		if _, still := now[uid]; still {
			continue
		}
		d.to = time.Now()
		_, oldest := o.alive[d.ids[0]]
		d.replaced = !oldest && wantsBalancer(o.services[uid])
		o.seen = append(o.seen, d)
		delete(o.doubles, uid)
	}
	for uid, ids := range now {
		d := o.doubles[uid]
		if d == nil {
			d = &double{uid: uid, name: o.uids[uid], from: time.Now()}
			o.doubles[uid] = d
		}
		if len(ids) > len(d.ids) {
			d.ids, d.texts = ids, nil
			for _, id := range ids {
				r := o.alive[id].resource
				d.texts = append(d.texts, fmt.Sprintf("%s %q with the address %s", shownRef(o.ids, observe.RefOf("loadBalancers", id)), r["name"], strings.Join(vipsOf(r), ", ")))
			}
		}
	}
}

const (
	// replaceTime is how long two may be there when one replaces the other.
	replaceTime = 10 * time.Second
	// unmarkedTime is how long there may be one more than Services that tell of
	// them: the cluster is seen later than the cloud.
	unmarkedTime = 3 * time.Second
)

// wrong reports whether a time with several was one too many.
func (d *double) wrong(patience func(time.Duration) time.Duration) bool {
	took := d.to.Sub(d.from)
	if d.uid == "" {
		return took >= patience(unmarkedTime)
	}
	return !d.replaced || took > patience(replaceTime)
}

// verdict leaves out the times in which the last one was made by another client: it is not the CCM's second.
func (o *balancerOracle) verdict(r Run, _ *observe.Snapshot) []scenarios.Failure {
	for _, d := range o.doubles {
		d.to = time.Now()
		o.seen = append(o.seen, d)
	}
	clear(o.doubles)
	wrong := slices.DeleteFunc(slices.Clone(o.seen), func(d *double) bool { return !d.wrong(r.Patience) || o.others[d.ids[len(d.ids)-1]] })
	if len(wrong) == 0 {
		return nil
	}
	d := wrong[0]
	f := scenarios.Failure{
		Oracle:   "one-load-balancer",
		At:       r.Since(d.from),
		Headline: fmt.Sprintf("there were %d load balancers for the Service %s", len(d.ids), d.name),
		Because:  "A CCM must make one load balancer for a Service, also when an answer is lost or it is killed: a second one costs money and is never deleted.",
	}
	if d.uid == "" {
		f.Headline = fmt.Sprintf("there were more load balancers than Services, and no Service has %d of them in its status", len(d.ids))
	}
	for _, d := range wrong {
		f.Values = append(f.Values, fmt.Sprintf("from %s to %s after the scenario began:", r.When(d.from), r.When(d.to)))
		f.Values = append(f.Values, d.texts...)
	}
	return []scenarios.Failure{f}
}
