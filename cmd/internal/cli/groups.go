package cli

import (
	"slices"

	"github.com/spf13/cobra"
)

// group is a heading of the root's help, with the commands under it.
type group struct {
	id, title string
	commands  []string
}

// groups are in the order in which users meet them. What is in none, such as "version", is listed last.
var groups = []group{
	{"sandbox", "Sandbox:", []string{"up", "down", "status", "sandbox", "env", "kubectl", "logs", "console", "top"}},
	{"test", "Test a CCM:", []string{"test", "conformance", "explore", "scenario", "lint", "lsp", "report", "subject", "kube", "node-image"}},
	{"failures", "Simulate failures:", []string{"fault", "zone", "clock", "config"}},
	{"resources", "Cloud resources:", []string{
		"instance", "instance-type", "lb", "target-group", "fip", "fip-pool", "network", "subnet", "route-table",
		"security-group", "volume", "key", "region", "cluster", "document", "operation",
	}},
	{"cloud", "The cloud as a whole:", []string{
		"serve", "seed", "topology", "snapshot", "state", "reset", "journal", "events", "dialect", "project", "token", "quota", "check",
	}},
}

// addGroups puts the commands of the root under their headings.
func addGroups(root *cobra.Command) {
	for _, g := range groups {
		root.AddGroup(&cobra.Group{ID: g.id, Title: g.title})
		for _, cmd := range root.Commands() {
			if slices.Contains(g.commands, cmd.Name()) {
				cmd.GroupID = g.id
			}
		}
	}
}
