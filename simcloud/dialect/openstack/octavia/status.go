package octavia

import (
	"github.com/simcloud-dev/simcloud/simcloud"
)

// The statuses of provisioning.
const (
	active        = "ACTIVE"
	pendingCreate = "PENDING_CREATE"
	pendingUpdate = "PENDING_UPDATE"
	pendingDelete = "PENDING_DELETE"
	inError       = "ERROR"
)

// provisioning are the states of load balancers. All that is a part of one has the same status.
var provisioning = map[simcloud.LoadBalancerState]string{
	simcloud.LoadBalancerProvisioning: pendingCreate, simcloud.LoadBalancerActive: active, simcloud.LoadBalancerUpdating: pendingUpdate,
	simcloud.LoadBalancerError: inError, simcloud.LoadBalancerDeleting: pendingDelete,
}

// The statuses of operation.
const (
	online    = "ONLINE"
	offline   = "OFFLINE"
	degraded  = "DEGRADED"
	draining  = "DRAINING"
	noMonitor = "NO_MONITOR"
)

// operatingOf is the status of a member.
func operatingOf(lb simcloud.LoadBalancer, pool simcloud.TargetGroup, target simcloud.GroupTarget) string {
	switch {
	case lb.State == simcloud.LoadBalancerProvisioning:
		return offline
	case !hasMonitor(pool):
		return noMonitor
	case target.Health == simcloud.TargetHealthy:
		return online
	case target.Health == simcloud.TargetDraining:
		return draining
	default:
		return inError
	}
}

// operating is the status of what has members in pools: in error when it has some and none of them is healthy.
func operating(lb simcloud.LoadBalancer, pools ...simcloud.TargetGroup) string {
	if lb.State == simcloud.LoadBalancerProvisioning {
		return offline
	}
	all, healthy := 0, 0
	for _, pool := range pools {
		for _, target := range pool.Targets {
			all++
			if status := operatingOf(lb, pool, target); status == online || status == noMonitor {
				healthy++
			}
		}
	}
	switch healthy {
	case all:
		return online
	case 0:
		return inError
	default:
		return degraded
	}
}
