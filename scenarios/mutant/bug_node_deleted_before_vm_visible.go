package mutant

import (
	cloudprovider "k8s.io/cloud-provider"
)

func nodeDeletedBeforeVMVisible() Mutant {
	return Mutant{
		Name:     "node-deleted-before-vm-visible",
		Row:      "1",
		Title:    "a new VM that the cloud does not show yet is taken for a deleted one",
		Issues:   []string{"kubernetes#58334", "kubernetes#81636", "kubernetes#64036", "kubernetes#127424", "aws#1024", "azure#10604"},
		Fault:    "a new VM is hidden from every read for a while, and its Node is not ready",
		Expected: "keep a new Node for a while, and initialise it when the VM appears",
		Scenario: "node-deleted-before-vm-visible",
		Caught:   "a new node must be given time",
		Also:     []string{"node-deleted-before-provider-id"},
		open: func(p Provider) cloudprovider.Interface {
			p.Config.NodeGracePeriod = 0
			return p.right(p.API)
		},
	}
}
