package resource

import (
	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// states are what resources of a kind can be in.
var states = map[simcloud.Kind][]string{
	simcloud.KindInstance: texts(
		simcloud.InstancePending, simcloud.InstanceRunning, simcloud.InstanceStopping, simcloud.InstanceStopped, simcloud.InstanceRebooting,
		simcloud.InstanceRebuilding, simcloud.InstanceMigrating, simcloud.InstanceSuspended, simcloud.InstanceError, simcloud.InstanceTerminating,
	),
	simcloud.KindLoadBalancer: texts(
		simcloud.LoadBalancerProvisioning, simcloud.LoadBalancerActive, simcloud.LoadBalancerUpdating, simcloud.LoadBalancerError, simcloud.LoadBalancerDeleting,
	),
	simcloud.KindVolume: texts(
		simcloud.VolumeCreating, simcloud.VolumeAvailable, simcloud.VolumeAttaching, simcloud.VolumeInUse, simcloud.VolumeDetaching, simcloud.VolumeError,
		simcloud.VolumeDeleting,
	),
	simcloud.KindOperation: texts(
		simcloud.OperationPending, simcloud.OperationRunning, simcloud.OperationDone, simcloud.OperationFailed, simcloud.OperationCancelled,
	),
	simcloud.KindFloatingIP: texts(simcloud.FloatingIPAvailable, simcloud.FloatingIPAttached),
	simcloud.KindZone:       texts(simcloud.ZoneAvailable, simcloud.ZoneDegraded, simcloud.ZoneDown),
	simcloud.KindToken:      texts(simcloud.TokenActive, simcloud.TokenExpired, simcloud.TokenRevoked),
}

func texts[S ~string](values ...S) (all []string) {
	for _, value := range values {
		all = append(all, string(value))
	}
	return all
}

// stateWords completes --state: no words, and no files, for a kind without states.
func stateWords(kind simcloud.Kind) usage.Completion {
	return cobra.FixedCompletions(states[kind], cobra.ShellCompDirectiveNoFileComp)
}
