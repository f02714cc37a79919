package oracle

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"github.com/simcloud-dev/simcloud/scenarios/words"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect"
)

// nodeOracle is "node-kept": no Node is deleted while its VM exists, nor one of another provider, whoever
// deletes it but a step. It tells Nodes apart by UID and VMs by id, so that neither a Node
// nor a VM that came back under the same name hides a deletion.
type nodeOracle struct {
	observe.NopObserver
	ids   dialect.IDs
	vms   map[string]map[string]any // by id
	nodes map[string]map[string]any // by UID, those that are there
	vmOf  map[string]string         // id of the VM by the UID of its Node
	// preset are the providerIDs that Nodes have registered with, by UID, schemes those of the
	// providerIDs that Nodes were given later: the CCM's own.
	preset  map[string]string
	schemes map[string]bool
	lost    []lostNode
}

// lostNode is a Node that was deleted while its VM existed, or with a providerID that another than the CCM has given it.
type lostNode struct {
	uid, name, preset string
	vm, state         string // of its VM; "" when it has none
	at                time.Duration
	events            []string
}

func newNodeOracle(ids dialect.IDs) *nodeOracle {
	return &nodeOracle{
		ids: ids,
		vms: map[string]map[string]any{}, nodes: map[string]map[string]any{}, vmOf: map[string]string{},
		preset: map[string]string{}, schemes: map[string]bool{},
	}
}

func (o *nodeOracle) Begin(*observe.Snapshot) {}

func (o *nodeOracle) ResourceChanged(variable, id string, _, after map[string]any) {
	if variable != "instances" {
		return
	}
	if after == nil {
		delete(o.vms, id)
		return
	}
	o.vms[id] = after
	for uid, node := range o.nodes {
		o.pairWith(uid, node, id)
	}
}

func (o *nodeOracle) ObjectChanged(s *observe.Snapshot, variable string, before, after map[string]any) {
	if variable != "nodes" {
		return
	}
	if after == nil {
		o.deleted(s, before)
		return
	}
	uid, providerID := uidOf(after), providerIDOf(after)
	switch earlier, known := o.nodes[uid]; {
	case !known:
		o.preset[uid] = providerID
	case providerID != "" && providerIDOf(earlier) == "":
		o.schemes[schemeOf(providerID)] = true
	}
	o.nodes[uid] = after
	o.pair(uid, after)
}

// pair finds the VM of a Node: the one that its providerID ends with, else one that has its name or an address of
// it, best of all both. What was found without a providerID stays until a providerID says otherwise. A Node that
// has registered with a providerID is no other VM's, whatever its name is.
func (o *nodeOracle) pair(uid string, node map[string]any) {
	if id := vmIDOf(o.ids, node); id != "" && o.vms[id] != nil {
		o.vmOf[uid] = id
		return
	}
	if o.vmOf[uid] != "" || o.preset[uid] != "" {
		return
	}
	best := 0
	for _, id := range slices.Sorted(maps.Keys(o.vms)) {
		if l := likeness(o.vms[id], node); l > best {
			o.vmOf[uid], best = id, l
		}
	}
}

// pairWith is pair when one VM has changed and the Node has not: a Node that has no VM matches no other one. A
// cloud has a thousand VMs, and each of them changes several times.
func (o *nodeOracle) pairWith(uid string, node map[string]any, id string) {
	if vmIDOf(o.ids, node) == id || o.vmOf[uid] == "" && o.preset[uid] == "" && likeness(o.vms[id], node) > 0 {
		o.vmOf[uid] = id
	}
}

// vmIDOf is the id of the VM that the providerID of a Node ends with, in the cloud; "" when it has none.
func vmIDOf(ids dialect.IDs, node map[string]any) string {
	providerID := providerIDOf(node)
	text := providerID[strings.LastIndexByte(providerID, '/')+1:]
	return cmp.Or(string(ids.ID(simcloud.KindInstance, text)), text)
}

func providerIDOf(node map[string]any) string {
	providerID, _ := observe.Dig(node, "spec", "providerID").(string)
	return providerID
}

// schemeOf is what a providerID has before "://", which names the provider.
func schemeOf(providerID string) string {
	scheme, _, _ := strings.Cut(providerID, "://")
	return scheme
}

// likeness is how well a VM and a Node match: by an address, better by the name, best by both. One
// that is about to go is not one: its Node was there before.
func likeness(vm, node map[string]any) int {
	n := 0
	if leaving(vm) {
		return n
	}
	if shareAddress(vm, node) {
		n++
	}
	if hostname, _ := vm["hostname"].(string); strings.EqualFold(hostname, NameOf(node)) {
		n += 2
	}
	return n
}

// shareAddress reports whether a Node has told an address of a VM.
func shareAddress(vm, node map[string]any) bool {
	own := observe.AddressesOf(vm)
	return slices.ContainsFunc(observe.List(observe.Dig(node, "status", "addresses")), func(a any) bool {
		return observe.Dig(a, "type") == "InternalIP" && slices.Contains(own, observe.Dig(a, "address"))
	})
}

func (o *nodeOracle) deleted(s *observe.Snapshot, node map[string]any) {
	uid, name := uidOf(node), NameOf(node)
	delete(o.nodes, uid)
	lost := lostNode{uid: uid, name: name, preset: o.preset[uid], at: s.Elapsed}
	if vm := o.vms[o.vmOf[uid]]; vm != nil && vm["state"] != "terminating" {
		lost.vm, lost.state = o.vmOf[uid], fmt.Sprint(vm["state"])
	}
	if lost.vm == "" && lost.preset == "" {
		return
	}
	lost.events = observe.EventLines(eventsAbout(s, "Node", name))
	o.lost = append(o.lost, lost)
}

// foreign reports whether a Node is another provider's: the CCM gives its own Nodes providerIDs of another scheme.
func (o *nodeOracle) foreign(l lostNode) bool {
	return l.preset != "" && len(o.schemes) > 0 && !o.schemes[schemeOf(l.preset)]
}

func (o *nodeOracle) verdict(r Run, _ *observe.Snapshot) []scenarios.Failure {
	var failures []scenarios.Failure
	for _, l := range o.lost {
		foreign := o.foreign(l)
		if !r.Deleted(l.uid) && (foreign || l.vm != "") {
			failures = append(failures, l.failure(foreign))
		}
	}
	return failures
}

func (l lostNode) failure(foreign bool) scenarios.Failure {
	f := scenarios.Failure{Oracle: "node-kept", At: l.at.Seconds(), Events: l.events, Values: []string{fmt.Sprintf("the Node had the UID %s", l.uid)}}
	if foreign {
		f.Headline = fmt.Sprintf("the Node %s was deleted, and its providerID %s is another provider's", l.name, l.preset)
		f.Because = "A CCM must keep the Nodes of other providers: that its cloud has no VM of such an id says nothing of their machines."
	} else {
		f.Headline = fmt.Sprintf("the Node %s was deleted while its VM %s exists", l.name, l.vm)
		f.Because = "A CCM may delete a Node only when the cloud says for certain that its VM is gone: " +
			"not on an error, not because the VM is stopped, not because another VM has its name."
		f.Values = append(f.Values, fmt.Sprintf("the VM %s is %s", l.vm, l.state))
	}
	f.Values = append(f.Values, fmt.Sprintf("it happened %s after the scenario began", words.Rounded(l.at)))
	return f
}

func eventsAbout(s *observe.Snapshot, kind, name string) []any {
	var found []any
	for _, e := range s.Events {
		if observe.Dig(e, "involvedObject", "kind") == kind && observe.Dig(e, "involvedObject", "name") == name {
			found = append(found, e)
		}
	}
	return found
}
