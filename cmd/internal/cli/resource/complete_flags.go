package resource

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/connect"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// completions are those of the flags that name a resource of some kind.
func completions(kind simcloud.Kind, conn *connect.Cloud) map[string]usage.Completion {
	flags := map[string]usage.Completion{
		"zone":           zoneNoun().words(conn),
		"network":        networkNoun().words(conn),
		"attach-network": networkNoun().words(conn),
		"subnet":         subnetNoun().words(conn),
		"instance":       instanceNoun().words(conn),
		"key":            sshKeyNoun().words(conn),
		"security-group": securityGroupNoun().words(conn),
		"part-of":        balancerNoun().words(conn),
		"state":          stateWords(kind),
	}
	if kind == simcloud.KindInstance { // a volume's type is no resource
		flags["type"] = instanceTypeNoun().words(conn)
	}
	return flags
}

// completeFlags gives the flags of a command and of those below it the completions that they have by their names.
func completeFlags(cmd *cobra.Command, byName map[string]usage.Completion) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if complete := byName[f.Name]; complete != nil && f.Value.Type() != "bool" {
			_ = cmd.RegisterFlagCompletionFunc(f.Name, complete) // the flag is there; one that has a completion keeps it
		}
	})
	for _, child := range cmd.Commands() {
		completeFlags(child, byName)
	}
}
