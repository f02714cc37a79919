package neutron

import (
	"net/http"

	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"
)

// unsupported are the operations of Neutron that simcloud does not simulate.
func unsupported() []service.Operation {
	var all []service.Operation
	add := func(method, path string, names ...string) {
		for _, name := range names {
			all = append(all, service.Operation{Name: name, Method: method, Path: root + path})
		}
	}
	add(http.MethodPost, "/networks", "CreateNetwork")
	add(http.MethodPut, "/networks/{id}", "UpdateNetwork")
	add(http.MethodDelete, "/networks/{id}", "DeleteNetwork")
	add(http.MethodPost, "/subnets", "CreateSubnet")
	add(http.MethodPut, "/subnets/{id}", "UpdateSubnet")
	add(http.MethodDelete, "/subnets/{id}", "DeleteSubnet")
	add(http.MethodPost, "/routers", "CreateRouter")
	add(http.MethodDelete, "/routers/{id}", "DeleteRouter")
	add(http.MethodPut, "/routers/{id}/add_router_interface", "AddRouterInterface")
	add(http.MethodPut, "/routers/{id}/remove_router_interface", "RemoveRouterInterface")
	add(http.MethodGet, "/trunks", "ListTrunks")
	add(http.MethodPost, "/trunks", "CreateTrunk")
	add(http.MethodGet, "/quotas/{id}", "GetQuota")
	add(http.MethodPut, "/quotas/{id}", "UpdateQuota")
	add(http.MethodGet, "/agents", "ListAgents")
	add(http.MethodGet, "/availability_zones", "ListAvailabilityZones")
	add(http.MethodGet, "/subnetpools", "ListSubnetPools")
	add(http.MethodGet, "/rbac-policies", "ListRBACPolicies")
	add(http.MethodGet, "/address-groups", "ListAddressGroups")
	add(http.MethodGet, "/qos/policies", "ListQoSPolicies")
	add(http.MethodGet, "/floatingips/{id}/port_forwardings", "ListPortForwardings")
	return all
}
