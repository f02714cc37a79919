package simcloud

import (
	"net/http"
	"slices"
	"strings"
)

// Endpoint is where an operation is found on the wire. The server routes by
// this table, the client calls by it, and scenarios check names against it.
type Endpoint struct {
	// Operation is the name of the method of API, Control, JournalAPI or fault.API.
	Operation string
	Method    string
	// Path has the arguments of the method that are ids, in their order, as {name}.
	Path string
}

// Write reports whether the operation changes the cloud.
func (e Endpoint) Write() bool { return e.Method != http.MethodGet }

// Kind is what the operation is about; empty for events and for the simulator's own operations.
func (e Endpoint) Kind() Kind {
	path, ok := strings.CutPrefix(e.Path, "/v1/")
	if !ok {
		return ""
	}
	name, _, _ := strings.Cut(path, "/")
	for _, k := range kinds {
		if k.path == name {
			return k.kind
		}
	}
	return ""
}

// Creates reports whether the operation makes a resource, so that its path has no id.
func (e Endpoint) Creates() bool {
	return e.Method == http.MethodPost && e.Kind() != "" && !strings.Contains(e.Path, "{")
}

// EndpointOf finds the endpoint of an operation by its name.
func EndpointOf(operation string) (Endpoint, bool) {
	i := slices.IndexFunc(endpoints, func(e Endpoint) bool { return e.Operation == operation })
	if i < 0 {
		return Endpoint{}, false
	}
	return endpoints[i], true
}

// dialectMark stands between the name of a dialect and that of its operation. No operation of the cloud has one.
const dialectMark = ":"

// DialectOperation is how fault rules, and filters of the journal, name an operation of a
// dialect: "hcloud:add_target".
func DialectOperation(dialect, name string) string { return dialect + dialectMark + name }

// NamesDialect reports whether a glob of operations is for those of dialects. Any other one
// is for the operations of the cloud alone.
func NamesDialect(glob string) bool { return strings.Contains(glob, dialectMark) }

// Endpoints returns all endpoints. Paths below /v1 are the cloud's, those
// below /_sim the simulator's own.
func Endpoints() []Endpoint { return slices.Clone(endpoints) }

var endpoints = []Endpoint{
	{"ListProjects", "GET", "/v1/projects"},
	{"GetProject", "GET", "/v1/projects/{id}"},
	{"CreateProject", "POST", "/v1/projects"},
	{"UpdateProject", "PATCH", "/v1/projects/{id}"},
	{"DeleteProject", "DELETE", "/v1/projects/{id}"},

	{"ListTokens", "GET", "/v1/tokens"},
	{"GetToken", "GET", "/v1/tokens/{id}"},
	{"CreateToken", "POST", "/v1/tokens"},
	{"RotateToken", "POST", "/v1/tokens/{id}/rotate"},
	{"RevokeToken", "POST", "/v1/tokens/{id}/revoke"},
	{"DeleteToken", "DELETE", "/v1/tokens/{id}"},

	{"ListQuotas", "GET", "/v1/quotas"},
	{"GetQuota", "GET", "/v1/quotas/{id}"},
	{"SetQuota", "PUT", "/v1/quotas/{id}"},

	{"ListRegions", "GET", "/v1/regions"},
	{"GetRegion", "GET", "/v1/regions/{id}"},
	{"CreateRegion", "POST", "/v1/regions"},
	{"DeleteRegion", "DELETE", "/v1/regions/{id}"},

	{"ListZones", "GET", "/v1/zones"},
	{"GetZone", "GET", "/v1/zones/{id}"},
	{"CreateZone", "POST", "/v1/zones"},
	{"UpdateZone", "PATCH", "/v1/zones/{id}"},
	{"SetZoneState", "PUT", "/v1/zones/{id}/state"},
	{"DeleteZone", "DELETE", "/v1/zones/{id}"},

	{"ListInstanceTypes", "GET", "/v1/instance-types"},
	{"GetInstanceType", "GET", "/v1/instance-types/{id}"},
	{"CreateInstanceType", "POST", "/v1/instance-types"},
	{"DeleteInstanceType", "DELETE", "/v1/instance-types/{id}"},

	{"ListNetworks", "GET", "/v1/networks"},
	{"GetNetwork", "GET", "/v1/networks/{id}"},
	{"CreateNetwork", "POST", "/v1/networks"},
	{"UpdateNetwork", "PATCH", "/v1/networks/{id}"},
	{"DeleteNetwork", "DELETE", "/v1/networks/{id}"},

	{"ListSubnets", "GET", "/v1/subnets"},
	{"GetSubnet", "GET", "/v1/subnets/{id}"},
	{"CreateSubnet", "POST", "/v1/subnets"},
	{"UpdateSubnet", "PATCH", "/v1/subnets/{id}"},
	{"DeleteSubnet", "DELETE", "/v1/subnets/{id}"},

	{"ListInstances", "GET", "/v1/instances"},
	{"GetInstance", "GET", "/v1/instances/{id}"},
	{"CreateInstance", "POST", "/v1/instances"},
	{"UpdateInstance", "PATCH", "/v1/instances/{id}"},
	{"DeleteInstance", "DELETE", "/v1/instances/{id}"},
	{"StartInstance", "POST", "/v1/instances/{id}/start"},
	{"StopInstance", "POST", "/v1/instances/{id}/stop"},
	{"RebootInstance", "POST", "/v1/instances/{id}/reboot"},
	{"RecreateInstance", "POST", "/v1/instances/{id}/recreate"},
	{"RebuildInstance", "POST", "/v1/instances/{id}/rebuild"},
	{"ResizeInstance", "POST", "/v1/instances/{id}/resize"},
	{"MigrateInstance", "POST", "/v1/instances/{id}/migrate"},
	{"SuspendInstance", "POST", "/v1/instances/{id}/suspend"},
	{"AttachInstanceNetwork", "POST", "/v1/instances/{id}/networks"},
	{"DetachInstanceNetwork", "DELETE", "/v1/instances/{id}/networks/{network}"},
	{"AddInstanceAddress", "POST", "/v1/instances/{id}/addresses"},
	{"RemoveInstanceAddress", "DELETE", "/v1/instances/{id}/addresses/{address}"},

	{"ListVolumes", "GET", "/v1/volumes"},
	{"GetVolume", "GET", "/v1/volumes/{id}"},
	{"CreateVolume", "POST", "/v1/volumes"},
	{"UpdateVolume", "PATCH", "/v1/volumes/{id}"},
	{"DeleteVolume", "DELETE", "/v1/volumes/{id}"},
	{"AttachVolume", "POST", "/v1/volumes/{id}/attach"},
	{"DetachVolume", "POST", "/v1/volumes/{id}/detach"},
	{"ResizeVolume", "POST", "/v1/volumes/{id}/resize"},

	{"ListSSHKeys", "GET", "/v1/ssh-keys"},
	{"GetSSHKey", "GET", "/v1/ssh-keys/{id}"},
	{"CreateSSHKey", "POST", "/v1/ssh-keys"},
	{"UpdateSSHKey", "PATCH", "/v1/ssh-keys/{id}"},
	{"DeleteSSHKey", "DELETE", "/v1/ssh-keys/{id}"},
	{"AttachSSHKey", "POST", "/v1/ssh-keys/{id}/attach"},
	{"DetachSSHKey", "POST", "/v1/ssh-keys/{id}/detach"},

	{"ListLoadBalancers", "GET", "/v1/load-balancers"},
	{"GetLoadBalancer", "GET", "/v1/load-balancers/{id}"},
	{"CreateLoadBalancer", "POST", "/v1/load-balancers"},
	{"UpdateLoadBalancer", "PATCH", "/v1/load-balancers/{id}"},
	{"DeleteLoadBalancer", "DELETE", "/v1/load-balancers/{id}"},
	{"FailoverLoadBalancer", "POST", "/v1/load-balancers/{id}/failover"},
	{"AttachLoadBalancerNetwork", "POST", "/v1/load-balancers/{id}/networks"},
	{"DetachLoadBalancerNetwork", "DELETE", "/v1/load-balancers/{id}/networks/{network}"},
	{"CreateListener", "POST", "/v1/load-balancers/{id}/listeners"},
	{"UpdateListener", "PUT", "/v1/load-balancers/{id}/listeners/{listener}"},
	{"DeleteListener", "DELETE", "/v1/load-balancers/{id}/listeners/{listener}"},
	{"CreateTarget", "POST", "/v1/load-balancers/{id}/targets"},
	{"DeleteTarget", "DELETE", "/v1/load-balancers/{id}/targets/{instance}"},

	{"ListFloatingIPs", "GET", "/v1/floating-ips"},
	{"GetFloatingIP", "GET", "/v1/floating-ips/{id}"},
	{"CreateFloatingIP", "POST", "/v1/floating-ips"},
	{"UpdateFloatingIP", "PATCH", "/v1/floating-ips/{id}"},
	{"DeleteFloatingIP", "DELETE", "/v1/floating-ips/{id}"},
	{"AttachFloatingIP", "POST", "/v1/floating-ips/{id}/attach"},
	{"DetachFloatingIP", "POST", "/v1/floating-ips/{id}/detach"},

	{"ListFloatingIPPools", "GET", "/v1/floating-ip-pools"},
	{"GetFloatingIPPool", "GET", "/v1/floating-ip-pools/{id}"},
	{"CreateFloatingIPPool", "POST", "/v1/floating-ip-pools"},
	{"DeleteFloatingIPPool", "DELETE", "/v1/floating-ip-pools/{id}"},

	{"ListRouteTables", "GET", "/v1/route-tables"},
	{"GetRouteTable", "GET", "/v1/route-tables/{id}"},
	{"CreateRouteTable", "POST", "/v1/route-tables"},
	{"UpdateRouteTable", "PATCH", "/v1/route-tables/{id}"},
	{"DeleteRouteTable", "DELETE", "/v1/route-tables/{id}"},
	{"CreateRoute", "POST", "/v1/route-tables/{id}/routes"},
	{"DeleteRoute", "DELETE", "/v1/route-tables/{id}/routes/{route}"},

	{"ListClusters", "GET", "/v1/clusters"},
	{"GetCluster", "GET", "/v1/clusters/{id}"},
	{"CreateCluster", "POST", "/v1/clusters"},
	{"UpdateCluster", "PATCH", "/v1/clusters/{id}"},
	{"DeleteCluster", "DELETE", "/v1/clusters/{id}"},

	{"ListDocuments", "GET", "/v1/documents"},
	{"GetDocument", "GET", "/v1/documents/{id}"},
	{"CreateDocument", "POST", "/v1/documents"},
	{"UpdateDocument", "PATCH", "/v1/documents/{id}"},
	{"DeleteDocument", "DELETE", "/v1/documents/{id}"},

	{"ListSecurityGroups", "GET", "/v1/security-groups"},
	{"GetSecurityGroup", "GET", "/v1/security-groups/{id}"},
	{"CreateSecurityGroup", "POST", "/v1/security-groups"},
	{"UpdateSecurityGroup", "PATCH", "/v1/security-groups/{id}"},
	{"DeleteSecurityGroup", "DELETE", "/v1/security-groups/{id}"},
	{"AddSecurityGroupRules", "POST", "/v1/security-groups/{id}/add-rules"},
	{"RemoveSecurityGroupRules", "POST", "/v1/security-groups/{id}/remove-rules"},

	{"ListTargetGroups", "GET", "/v1/target-groups"},
	{"GetTargetGroup", "GET", "/v1/target-groups/{id}"},
	{"CreateTargetGroup", "POST", "/v1/target-groups"},
	{"UpdateTargetGroup", "PATCH", "/v1/target-groups/{id}"},
	{"DeleteTargetGroup", "DELETE", "/v1/target-groups/{id}"},
	{"AddGroupTargets", "POST", "/v1/target-groups/{id}/add-targets"},
	{"RemoveGroupTargets", "POST", "/v1/target-groups/{id}/remove-targets"},

	{"ListOperations", "GET", "/v1/operations"},
	{"GetOperation", "GET", "/v1/operations/{id}"},
	{"WaitOperation", "GET", "/v1/operations/{id}/wait"},

	{"WatchEvents", "GET", "/v1/events"},

	{"GetState", "GET", "/_sim/state"},
	{"Reset", "POST", "/_sim/reset"},
	{"PlanReset", "POST", "/_sim/reset/plan"},
	{"Seed", "POST", "/_sim/seed"},
	{"PlanSeed", "POST", "/_sim/seed/plan"},
	{"GetConfig", "GET", "/_sim/config"},
	{"UpdateConfig", "PATCH", "/_sim/config"},
	{"ListSnapshots", "GET", "/_sim/snapshots"},
	{"SaveSnapshot", "POST", "/_sim/snapshots"},
	{"LoadSnapshot", "POST", "/_sim/snapshots/{name}/load"},
	{"DiffSnapshot", "GET", "/_sim/snapshots/{name}/diff"},
	{"DeleteSnapshot", "DELETE", "/_sim/snapshots/{name}"},
	{"GetDataPlane", "GET", "/_sim/dataplane"},
	{"ReportTargetHealth", "PUT", "/_sim/dataplane/load-balancers/{id}/targets/{instance}/health"},
	{"ReportGroupTargetHealth", "PUT", "/_sim/dataplane/target-groups/{id}/targets/{instance}/health"},
	{"ListFaults", "GET", "/_sim/faults"},
	{"GetFault", "GET", "/_sim/faults/{id}"},
	{"AddFault", "POST", "/_sim/faults"},
	{"DeleteFault", "DELETE", "/_sim/faults/{id}"},
	{"ClearFaults", "DELETE", "/_sim/faults"},
	{"GetClock", "GET", "/_sim/clock"},
	{"SetClock", "PUT", "/_sim/clock"},
	{"AdvanceClock", "POST", "/_sim/clock/advance"},
	{"WatchAllEvents", "GET", "/_sim/events"},
	{"ListJournal", "GET", "/_sim/journal"},
	{"WatchJournal", "GET", "/_sim/journal/events"},
	{"GetJournalEntry", "GET", "/_sim/journal/entries/{id}"},
	{"ClearJournal", "DELETE", "/_sim/journal"},
}
