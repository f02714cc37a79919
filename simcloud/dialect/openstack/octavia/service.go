// Package octavia is the load-balancing service of OpenStack.
//
// A load balancer of Octavia is one of the cloud that is attached to a network. Its listeners are those of the
// cloud; a pool with its monitor and its members is a target group that is a part of the load balancer. What Octavia knows
// beyond that, such as the timeouts of a listener, is in the options of these: there is no second copy of the
// tree that could differ from what the data plane forwards.
package octavia

import (
	"net/http"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"
)

// codes are the errors that Octavia has for those of the cloud.
var codes = service.Codes{
	General: map[simcloud.Code]service.Code{
		simcloud.Invalid:         {Status: http.StatusBadRequest},
		simcloud.Unauthenticated: {Status: http.StatusUnauthorized},
		simcloud.Forbidden:       {Status: http.StatusForbidden},
		simcloud.NotFound:        {Status: http.StatusNotFound},
		simcloud.AlreadyExists:   {Status: http.StatusConflict},
		simcloud.InUse:           {Status: http.StatusConflict},
		simcloud.Protected:       {Status: http.StatusConflict},
		simcloud.Conflict:        {Status: http.StatusConflict},
		simcloud.Locked:          {Status: http.StatusConflict},
		simcloud.QuotaExceeded:   {Status: http.StatusForbidden},
		simcloud.Capacity:        {Status: http.StatusServiceUnavailable},
		simcloud.RateLimited:     {Status: http.StatusTooManyRequests},
		simcloud.Unavailable:     {Status: http.StatusServiceUnavailable},
		simcloud.Timeout:         {Status: http.StatusGatewayTimeout},
		simcloud.Unimplemented:   {Status: http.StatusNotImplemented},
		simcloud.Internal:        {Status: http.StatusInternalServerError},
	},
	Fields: map[string]string{
		"port": "protocol_port", "networks[0].address": "vip_address", "networks[0].subnet": "vip_subnet_id", "networks[0].network": "vip_network_id",
		"allowedCIDRs": "allowed_cidrs", "healthCheck.intervalSeconds": "delay", "healthCheck.timeoutSeconds": "timeout",
		"healthCheck.threshold": "max_retries", "healthCheck.path": "url_path", "options": "attributes",
	},
}

// The paths of what the service has.
const (
	root          = "/v2.0/lbaas/"
	balancersPath = root + "loadbalancers"
	listenersPath = root + "listeners"
	poolsPath     = root + "pools"
	membersPath   = poolsPath + "/{id}/members"
	monitorsPath  = root + "healthmonitors"
	one           = "/{id}"
)

// What things are called in errors.
const (
	balancerWord = "Load Balancer"
	listenerWord = "Listener"
	poolWord     = "Pool"
	memberWord   = "Member"
	monitorWord  = "Health Monitor"
)

// New returns the service.
func New() *service.Service {
	const get, post, put, remove = http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete
	lb, listener, pool, monitor := service.LoadBalancers.ID, service.Listeners.ID, service.Pools.ID, service.Monitors.ID
	const created, accepted, gone = http.StatusCreated, http.StatusAccepted, http.StatusNoContent
	return &service.Service{
		Name: "octavia", Type: "load-balancer", Mount: "load-balancer", Path: "/v2.0",
		Codes: codes, Envelope: envelope, NotFoundFormat: "%s %s not found.",
		Operations: []service.Operation{
			{Name: "ListVersions", Method: get, Path: "/", Anonymous: true, Standing: dialect.Derived, Handle: service.Read(listVersions)},
			{Name: "ListProviders", Method: get, Path: root + "providers", Standing: dialect.Derived, Handle: service.Read(listProviders)},

			{Name: "ListLoadBalancers", Method: get, Path: balancersPath, Core: "ListLoadBalancers", Handle: service.Read(listBalancers)},
			{Name: "GetLoadBalancer", Method: get, Path: balancersPath + one, Core: "GetLoadBalancer", ID: lb, What: balancerWord, Handle: service.Remember(getBalancer)},
			{Name: "CreateLoadBalancer", Method: post, Path: balancersPath, Core: "CreateLoadBalancer", Status: created, Subject: subjectOf("loadbalancer"), Handle: limited(service.Write(owned(createBalancer)))},
			{Name: "UpdateLoadBalancer", Method: put, Path: balancersPath + one, Core: "UpdateLoadBalancer", ID: lb, What: balancerWord, Handle: service.Write(updateBalancer)},
			{Name: "DeleteLoadBalancer", Method: remove, Path: balancersPath + one, Core: "DeleteLoadBalancer", ID: lb, What: balancerWord, Status: gone, Handle: service.Change(deleteBalancer)},
			{Name: "FailoverLoadBalancer", Method: put, Path: balancersPath + "/{id}/failover", Core: "FailoverLoadBalancer", ID: lb, What: balancerWord, Status: accepted, Handle: service.Change(failover)},

			{Name: "ListListeners", Method: get, Path: listenersPath, Core: "ListLoadBalancers", Handle: service.Read(listListeners)},
			{Name: "GetListener", Method: get, Path: listenersPath + one, Core: "GetLoadBalancer", ID: listener, What: listenerWord, Handle: service.Read(getListener)},
			{Name: "CreateListener", Method: post, Path: listenersPath, Core: "CreateListener", Status: created, Subject: subjectOf("listener"), Within: within("listener", "loadbalancer_id", lb), Handle: service.Write(owned(createListener))},
			{Name: "UpdateListener", Method: put, Path: listenersPath + one, Core: "UpdateListener", ID: listener, What: listenerWord, Handle: service.Write(updateListener)},
			{Name: "DeleteListener", Method: remove, Path: listenersPath + one, Core: "DeleteListener", ID: listener, What: listenerWord, Status: gone, Handle: service.Change(deleteListener)},

			{Name: "ListPools", Method: get, Path: poolsPath, Core: "ListTargetGroups", Handle: service.Read(listPools)},
			{Name: "GetPool", Method: get, Path: poolsPath + one, Core: "GetTargetGroup", ID: pool, What: poolWord, Handle: service.Read(getPool)},
			{Name: "CreatePool", Method: post, Path: poolsPath, Core: "CreateTargetGroup", Status: created, Subject: subjectOf("pool"), Handle: limited(service.Write(owned(createPool)))},
			{Name: "UpdatePool", Method: put, Path: poolsPath + one, Core: "UpdateTargetGroup", ID: pool, What: poolWord, Handle: service.Write(updatePool)},
			{Name: "DeletePool", Method: remove, Path: poolsPath + one, Core: "DeleteTargetGroup", ID: pool, What: poolWord, Status: gone, Handle: service.Change(deletePool)},

			{Name: "ListMembers", Method: get, Path: membersPath, Core: "GetTargetGroup", ID: pool, What: poolWord, Handle: service.Read(listMembers)},
			{Name: "GetMember", Method: get, Path: membersPath + "/{part}", Core: "GetTargetGroup", ID: pool, What: poolWord, Handle: service.Read(getMember)},
			{Name: "CreateMember", Method: post, Path: membersPath, Core: "AddGroupTargets", ID: pool, What: poolWord, Status: created, Handle: service.Write(owned(createMember))},
			{Name: "UpdateMembers", Method: put, Path: membersPath, Core: "AddGroupTargets", ID: pool, What: poolWord, Status: accepted, Handle: service.Write(owned(updateMembers))},
			{Name: "UpdateMember", Method: put, Path: membersPath + "/{part}", Core: "UpdateTargetGroup", ID: pool, What: poolWord, Handle: service.Write(updateMember)},
			{Name: "DeleteMember", Method: remove, Path: membersPath + "/{part}", Core: "RemoveGroupTargets", ID: pool, What: poolWord, Status: gone, Handle: service.Change(deleteMember)},

			{Name: "ListHealthMonitors", Method: get, Path: monitorsPath, Core: "ListTargetGroups", Handle: service.Read(listMonitors)},
			{Name: "GetHealthMonitor", Method: get, Path: monitorsPath + one, Core: "GetTargetGroup", ID: monitor, What: monitorWord, Handle: service.Read(getMonitor)},
			{Name: "CreateHealthMonitor", Method: post, Path: monitorsPath, Core: "UpdateTargetGroup", Status: created, Within: within("healthmonitor", "pool_id", pool), Handle: service.Write(owned(createMonitor))},
			{Name: "UpdateHealthMonitor", Method: put, Path: monitorsPath + one, Core: "UpdateTargetGroup", ID: monitor, What: monitorWord, Handle: service.Write(owned(updateMonitor))},
			{Name: "DeleteHealthMonitor", Method: remove, Path: monitorsPath + one, Core: "UpdateTargetGroup", ID: monitor, What: monitorWord, Status: gone, Handle: service.Change(deleteMonitor)},
		},
		Unsupported: []service.Operation{
			{Name: "GetLoadBalancerStats", Method: get, Path: balancersPath + "/{id}/stats"},
			{Name: "GetLoadBalancerStatus", Method: get, Path: balancersPath + "/{id}/status"},
			{Name: "GetListenerStats", Method: get, Path: listenersPath + "/{id}/stats"},
			{Name: "ListL7Policies", Method: get, Path: root + "l7policies"},
			{Name: "CreateL7Policy", Method: post, Path: root + "l7policies"},
			{Name: "ListQuotas", Method: get, Path: root + "quotas"},
			{Name: "ListFlavors", Method: get, Path: root + "flavors"},
			{Name: "ListAvailabilityZones", Method: get, Path: root + "availabilityzones"},
			{Name: "ListAmphorae", Method: get, Path: "/v2.0/octavia/amphorae"},
		},
	}
}

// envelope is what an error of Octavia looks like.
func envelope(p service.Problem) any {
	side := "Client"
	if p.Status >= http.StatusInternalServerError {
		side = "Server"
	}
	return map[string]any{"faultcode": side, "faultstring": p.Message, "debuginfo": nil}
}
