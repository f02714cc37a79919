package scenarios

import (
	"context"
	"fmt"
	"strings"
)

// nodeOracle is "node-kept": no Node is deleted while its VM exists, whoever
// deletes it. It tells Nodes apart by UID and VMs by id, so that neither a Node
// nor a VM that came back under the same name hides a deletion.
type nodeOracle struct {
	vms      map[string]map[string]any // by id
	nodes    map[string]string         // name by UID, of those that are there
	vmOf     map[string]string         // id of the VM by the UID of its Node
	failures []Failure
}

func newNodeOracle() *nodeOracle {
	return &nodeOracle{vms: map[string]map[string]any{}, nodes: map[string]string{}, vmOf: map[string]string{}}
}

func (o *nodeOracle) begin(*Snapshot) {}

func (o *nodeOracle) resourceChanged(variable, id string, _, after map[string]any) {
	if variable != "instances" {
		return
	}
	if after == nil {
		delete(o.vms, id)
		return
	}
	o.vms[id] = after
	for uid, name := range o.nodes {
		o.pair(uid, name, "")
	}
}

func (o *nodeOracle) objectChanged(s *Snapshot, variable string, before, after map[string]any) {
	if variable != "nodes" {
		return
	}
	if after == nil {
		o.deleted(s, before)
		return
	}
	uid, _ := dig(after, "metadata", "uid").(string)
	name, _ := dig(after, "metadata", "name").(string)
	providerID, _ := dig(after, "spec", "providerID").(string)
	o.nodes[uid] = name
	o.pair(uid, name, providerID)
}

// pair finds the VM of a Node: the one that its providerID ends with, else
// the first of its name. What has been paired by name stays until a providerID says otherwise.
func (o *nodeOracle) pair(uid, name, providerID string) {
	if id := providerID[strings.LastIndexByte(providerID, '/')+1:]; id != "" && o.vms[id] != nil {
		o.vmOf[uid] = id
		return
	}
	if o.vmOf[uid] != "" {
		return
	}
	for id, vm := range o.vms {
		if hostname, _ := vm["hostname"].(string); strings.EqualFold(hostname, name) {
			o.vmOf[uid] = id
		}
	}
}

func (o *nodeOracle) deleted(s *Snapshot, node map[string]any) {
	uid, _ := dig(node, "metadata", "uid").(string)
	name, _ := dig(node, "metadata", "name").(string)
	id := o.vmOf[uid]
	delete(o.nodes, uid)
	vm := o.vms[id]
	if vm == nil || vm["state"] == "terminating" {
		return
	}
	o.failures = append(o.failures, Failure{
		Oracle:   "node-kept",
		Headline: fmt.Sprintf("the Node %s was deleted while its VM %s exists", name, id),
		Because: "A CCM may delete a Node only when the cloud says for certain that its VM is gone: " +
			"not on an error, not because the VM is stopped, not because another VM has its name.",
		Values: []string{
			fmt.Sprintf("the Node had the UID %s", uid),
			fmt.Sprintf("the VM %s is %v", id, vm["state"]),
			fmt.Sprintf("it happened %s after the scenario began", rounded(s.elapsed)),
		},
		Events: eventLines(eventsAbout(s, "Node", name)),
	})
}

func (o *nodeOracle) verdict(_ context.Context, st *stage, _ bool) []Failure {
	st.store.mu.Lock()
	defer st.store.mu.Unlock()
	return o.failures
}

func eventsAbout(s *Snapshot, kind, name string) []any {
	var found []any
	for _, e := range s.events {
		if dig(e, "involvedObject", "kind") == kind && dig(e, "involvedObject", "name") == name {
			found = append(found, e)
		}
	}
	return found
}
