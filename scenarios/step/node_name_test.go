package step_test

import (
	"testing"
	"testing/synctest"

	"github.com/simcloud-dev/simcloud/scenarios/run/runtest"
	"github.com/simcloud-dev/simcloud/scenarios/step/steptest"
)

// TestNodeNames: where the cloud gives hostnames of its own, a node is found by the name of its VM all the same: in
// expressions, by verbs, and after the VM is gone. Of two VMs with one name the newer counts.
func TestNodeNames(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := steptest.NewCluster(t)
		runtest.Passes(t, runtest.Perform(t, c, `
  - cloud: {operation: CreateInstance, args: {name: node-1, hostname: ip-1.internal}, capture: vm}
  - within: 5s
    expect:
    - '"node-1" in nodes && "ip-1.internal" in nodes && !("node-2" in nodes)'
    - nodes.size() == 1 && nodes.all(name, name == "ip-1.internal") && nodes["node-1"] == nodes["ip-1.internal"]
    - 'reasons([{"reason": "Synced", "involvedObject": {"kind": "Node", "name": "ip-1.internal"}}], "Node", "node-1") == ["Synced"]'
    - 'reasons([{"reason": "Synced", "involvedObject": {"kind": "Pod", "name": "ip-1.internal"}}], "Pod", "node-1").size() == 0'
  - patch: {target: node/node-1, patch: {metadata: {labels: {a: b}}}}
  - within: 5s
    expect: label(nodes["ip-1.internal"], "a") == "b"
  - machine: {kill: node-1}
  - cloud: {operation: DeleteInstance, args: {id: "${vm.resource.id}"}}
  - expect: instances.size() == 0 && nodes["node-1"].metadata.name == "ip-1.internal"
  - cloud: {operation: CreateInstance, args: {name: node-1, hostname: ip-2.internal}, capture: next}
  - within: 5s
    expect: nodes.size() == 2 && nodes["node-1"].metadata.name == "ip-2.internal"
  - delete: node/node-1
  - expect: '!("node-1" in nodes) && "ip-1.internal" in nodes'
  - cloud: {operation: DeleteInstance, args: {id: "${next.resource.id}"}}
`))
		if got := c.Control.Said(); got != "kill ip-1.internal" {
			t.Errorf("the machines were told %q", got)
		}
	})
}
