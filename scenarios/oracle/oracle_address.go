package oracle

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	utilnet "k8s.io/utils/net"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect"
)

// addressOracle is "address-kept": an address that a Service has published stays
// the Service's, and leads to a load balancer, until the Service goes or asks for
// something else. What another client has removed, or the cloud has broken, is no fault of the CCM.
type addressOracle struct {
	ids        dialect.IDs
	patience   func(time.Duration) time.Duration
	told       map[string]*telling // by the UID of the Service
	taken      map[string]bool     // addresses that others have taken away
	alive      map[string]bool     // load balancers by id
	had        map[string][]string // addresses that load balancers have had, by id
	candidates []lostAddress
	refused    time.Time // when a call of the CCM has last failed
}

// telling is what a Service tells.
type telling struct {
	name        string
	annotations any
	terms       any
	families    []any // that it asks for now; empty when it does not say
	addresses   []string
	at          time.Time
	// renewed is whether the Service has asked for something else since, which another address may follow,
	// and annotated when it has last got other annotations, which may ask for it.
	renewed   bool
	annotated time.Time
}

// lostAddress is an address that a Service may have lost.
type lostAddress struct {
	uid, name string
	address   string
	how       string
	at        time.Time
	told      time.Time
}

// newAddressOracle takes how long is waited, and how the cloud shows ids.
func newAddressOracle(patience func(time.Duration) time.Duration, ids dialect.IDs) *addressOracle {
	return &addressOracle{ids: ids, patience: patience, told: map[string]*telling{}, taken: map[string]bool{}, alive: map[string]bool{}, had: map[string][]string{}}
}

func (o *addressOracle) Begin(*observe.Snapshot) {}

// termsOf is what of a Service decides which address it has, whatever its annotations say.
func termsOf(service map[string]any) any {
	return []any{
		observe.Dig(service, "spec", "loadBalancerIP"), observe.Dig(service, "spec", "ipFamilies"), observe.Dig(service, "spec", "ipFamilyPolicy"),
	}
}

// AnnotatedTime is how long another address may follow other annotations, when no call fails: most of them are about
// something else, and some are the CCM's own.
const AnnotatedTime = 10 * time.Second

// mayMove reports whether the Service may have asked for another address.
func (o *addressOracle) mayMove(t *telling) bool {
	return t.renewed || !t.annotated.IsZero() && (time.Since(t.annotated) < o.patience(AnnotatedTime) || o.refused.After(t.annotated))
}

func (o *addressOracle) CallEnded(e simcloud.JournalEntry, harness bool) {
	if !harness && (e.Code != "" || e.Fault != "") {
		o.refused = time.Now()
	}
}

// ClusterLag is by how much the cluster may be seen later than the cloud: why a
// CCM has taken an address away may come after that it has.
const ClusterLag = 2 * time.Second

func (o *addressOracle) ObjectChanged(_ *observe.Snapshot, variable string, before, after map[string]any) {
	if variable != "services" {
		return
	}
	uid := uidOf(before)
	if after != nil {
		uid = uidOf(after)
	}
	if !wantsBalancer(after) {
		delete(o.told, uid)
		o.forgive(uid)
		return
	}
	t := o.told[uid]
	if t == nil {
		t = &telling{name: NameOf(after), terms: termsOf(after), annotations: observe.Dig(after, "metadata", "annotations")}
		o.told[uid] = t
	}
	if annotations := observe.Dig(after, "metadata", "annotations"); !reflect.DeepEqual(annotations, t.annotations) {
		t.annotations, t.annotated = annotations, time.Now()
		o.forgive(uid)
	}
	if terms := termsOf(after); !reflect.DeepEqual(terms, t.terms) {
		t.terms, t.renewed = terms, true
		o.forgive(uid)
	}
	t.families, _ = observe.Dig(after, "spec", "ipFamilies").([]any)
	o.tell(uid, t, addressesTold(after))
}

// asks reports whether the Service asks for addresses of the family of this one. A hostname is of every family. A status that
// answers an earlier wish may come after the Service has taken the wish back.
func (t *telling) asks(address string) bool {
	family := utilnet.IPFamilyOfString(address)
	if len(t.families) == 0 || family == utilnet.IPFamilyUnknown {
		return true
	}
	return slices.Contains(t.families, any("IPv"+string(family)))
}

// tell compares what the Service tells now with what it has told.
func (o *addressOracle) tell(uid string, t *telling, now []string) {
	if slices.Equal(now, t.addresses) {
		return
	}
	for _, address := range t.addresses {
		if !slices.Contains(now, address) && !o.mayMove(t) {
			how := "its status has " + strings.Join(now, ", ")
			if len(now) == 0 {
				how = "its status has none"
			}
			o.suspect(uid, t, address, how)
		}
	}
	if len(now) > 0 {
		t.renewed, t.annotated = false, time.Time{}
	}
	t.addresses, t.at = now, time.Now()
}

func (o *addressOracle) suspect(uid string, t *telling, address, how string) {
	if !t.asks(address) {
		return
	}
	o.candidates = append(o.candidates, lostAddress{uid: uid, name: t.name, address: address, how: how, at: time.Now(), told: t.at})
}

// forgive drops what was held against the CCM before it was known that the Service wants it so.
func (o *addressOracle) forgive(uid string) {
	o.candidates = slices.DeleteFunc(o.candidates, func(l lostAddress) bool {
		return l.uid == uid && time.Since(l.at) < o.patience(ClusterLag)
	})
}

func (o *addressOracle) ResourceChanged(variable, id string, _, after map[string]any) {
	if variable != "loadBalancers" {
		return
	}
	o.alive[id] = live(after)
	for _, address := range vipsOf(after) {
		if !slices.Contains(o.had[id], address) {
			o.had[id] = append(o.had[id], address)
		}
	}
	if after["state"] == "error" {
		o.take(o.had[id]...)
	}
}

func (o *addressOracle) take(addresses ...string) {
	for _, a := range addresses {
		o.taken[a] = true
	}
}

func (o *addressOracle) ChangeDone(d observe.Change) {
	gone := d.Before != nil && !live(d.After) && live(d.Before)
	switch {
	case d.Harness && d.Variable == "floatingIPs" && d.Before != nil:
		address, _ := d.Before["address"].(string)
		o.take(address)
	case d.Harness && gone:
		o.take(o.had[d.ID]...)
	case d.Variable == "loadBalancers" && gone:
		o.balancerGone(d)
	}
}

// balancerGone holds it against the CCM that it has deleted the load balancer to
// which an address leads that a Service tells, while no other has it. On its way out
// it may have lost the address already.
func (o *addressOracle) balancerGone(d observe.Change) {
	for _, address := range o.had[d.ID] {
		if o.served(address) {
			continue
		}
		for uid, t := range o.told {
			if slices.Contains(t.addresses, address) && !o.mayMove(t) {
				o.suspect(uid, t, address, fmt.Sprintf("the CCM has deleted %s, to which it leads, by %s", shownRef(o.ids, d.Ref), d.Operation))
			}
		}
	}
}

// served reports whether a load balancer that works has had an address.
func (o *addressOracle) served(address string) bool {
	for id, alive := range o.alive {
		if alive && slices.Contains(o.had[id], address) {
			return true
		}
	}
	return false
}

func (o *addressOracle) verdict(r Run, _ *observe.Snapshot) []scenarios.Failure {
	lost := slices.DeleteFunc(slices.Clone(o.candidates), func(l lostAddress) bool {
		return o.taken[l.address] || !r.Reconfigured().IsZero() && l.at.After(r.Reconfigured())
	})
	if len(lost) == 0 {
		return nil
	}
	f := scenarios.Failure{
		Oracle:   "address-kept",
		At:       r.Since(lost[0].at),
		Headline: fmt.Sprintf("the Service %s has lost its address %s", lost[0].name, lost[0].address),
		Because:  "An address that a Service has published must stay, and lead to it, as long as the Service is there and asks for no other: DNS names and firewalls depend on it.",
	}
	for _, l := range lost {
		f.Values = append(f.Values, fmt.Sprintf("%s of %s, told at %s: %s after the scenario began %s",
			l.address, l.name, momentOf(r, l.told), r.When(l.at), l.how))
	}
	return []scenarios.Failure{f}
}
