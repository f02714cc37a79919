// Package neutron is the network service of OpenStack: networks, subnets, ports, floating IPs, routers with their routes, and
// security groups.
package neutron

import (
	"net/http"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud/dialect"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"
)

// New returns the service.
func New() *service.Service {
	return &service.Service{
		Name: "neutron", Type: "network", Mount: "network",
		NotFoundFormat: "%s %s could not be found.",
		Codes:          codes(), Envelope: envelope,
		Operations:  slices.Concat(discovery(), networks(), portOperations(), floatingIPs(), routers(), securityGroups()),
		Unsupported: unsupported(),
	}
}

func discovery() []service.Operation {
	return []service.Operation{
		{Name: "ListVersions", Method: http.MethodGet, Path: "/", Anonymous: true, Standing: dialect.Derived, Handle: service.Read(listVersions)},
		{Name: "GetVersion", Method: http.MethodGet, Path: root, Standing: dialect.Derived, Handle: service.Read(getVersion)},
		{Name: "ListExtensions", Method: http.MethodGet, Path: root + "/extensions", Standing: dialect.Derived, Handle: service.Read(listExtensions)},
		{Name: "GetExtension", Method: http.MethodGet, Path: root + "/extensions/{id}", Standing: dialect.Derived, Handle: service.Read(getExtension)},
	}
}

func networks() []service.Operation {
	const paths, subnets = root + "/networks", root + "/subnets"
	return []service.Operation{
		{Name: "ListNetworks", Method: http.MethodGet, Path: paths, Core: "ListNetworks", Handle: list("networks", allNetworks, networkFilters())},
		{Name: "GetNetwork", Method: http.MethodGet, Path: paths + "/{id}", Core: "GetNetwork", Perhaps: service.Networks.ID, What: "Network", Handle: service.Remember(getNetwork)},
		{Name: "ListSubnets", Method: http.MethodGet, Path: subnets, Core: "ListSubnets", Handle: list("subnets", allSubnets, subnetFilters())},
		{Name: "GetSubnet", Method: http.MethodGet, Path: subnets + "/{id}", Core: "GetSubnet", Perhaps: service.Subnets.ID, What: "Subnet", Handle: service.Remember(getSubnet)},
	}
}

// portOperations are about instances in the cloud, whose ports most are.
func portOperations() []service.Operation {
	const paths = root + "/ports"
	const one, tag = paths + "/{id}", paths + "/{id}/tags/{part}"
	return []service.Operation{
		{Name: "ListPorts", Method: http.MethodGet, Path: paths, Core: "ListInstances", Handle: listPorts(), Standing: dialect.Derived},
		{Name: "CreatePort", Method: http.MethodPost, Path: paths, Core: "CreateDocument", Status: http.StatusCreated, Handle: service.Write(createPort)},
		{Name: "DeletePort", Method: http.MethodDelete, Path: one, Core: "DeleteDocument", Perhaps: service.Ports.ID, What: "Port", Status: http.StatusNoContent, Handle: service.Change(deletePort)},
		{Name: "GetPort", Method: http.MethodGet, Path: one, Core: "GetInstance", Perhaps: service.ServerPorts.ID, What: "Port", Handle: service.Read(getPort), Standing: dialect.Derived},
		{Name: "UpdatePort", Method: http.MethodPut, Path: one, Core: "UpdateInstance", Perhaps: service.ServerPorts.ID, What: "Port", Handle: service.Write(updatePort)},
		{Name: "AddPortTag", Method: http.MethodPut, Path: tag, Core: "UpdateInstance", Perhaps: service.ServerPorts.ID, What: "Port", Status: http.StatusCreated, Handle: service.Change(addPortTag)},
		{Name: "RemovePortTag", Method: http.MethodDelete, Path: tag, Core: "UpdateInstance", Perhaps: service.ServerPorts.ID, What: "Port", Status: http.StatusNoContent, Handle: service.Change(removePortTag)},
	}
}

func floatingIPs() []service.Operation {
	const paths, what = root + "/floatingips", "Floating IP"
	const one = paths + "/{id}"
	id := service.FloatingIPs.ID
	return []service.Operation{
		{Name: "ListFloatingIPs", Method: http.MethodGet, Path: paths, Core: "ListFloatingIPs", Handle: list("floatingips", allFloatingIPs, floatingIPFilters())},
		{Name: "CreateFloatingIP", Method: http.MethodPost, Path: paths, Core: "CreateFloatingIP", Status: http.StatusCreated, Subject: floatingIPSubject, Handle: service.Write(createFloatingIP)},
		{Name: "GetFloatingIP", Method: http.MethodGet, Path: one, Core: "GetFloatingIP", ID: id, What: what, Handle: service.Read(getFloatingIP)},
		{Name: "UpdateFloatingIP", Method: http.MethodPut, Path: one, Core: "UpdateFloatingIP", ID: id, What: what, Handle: service.Write(updateFloatingIP)},
		{Name: "DeleteFloatingIP", Method: http.MethodDelete, Path: one, Core: "DeleteFloatingIP", ID: id, What: what, Status: http.StatusNoContent, Handle: service.Change(deleteFloatingIP)},
	}
}

func routers() []service.Operation {
	const paths, what = root + "/routers", "Router"
	const one = paths + "/{id}"
	id := service.Routers.ID
	return []service.Operation{
		{Name: "ListRouters", Method: http.MethodGet, Path: paths, Core: "ListRouteTables", Handle: list("routers", allRouters, routerFilters())},
		{Name: "GetRouter", Method: http.MethodGet, Path: one, Core: "GetRouteTable", ID: id, What: what, Handle: service.Remember(getRouter)},
		{Name: "UpdateRouter", Method: http.MethodPut, Path: one, Core: "UpdateRouteTable", ID: id, What: what, Handle: service.Write(updateRouter)},
		{Name: "AddExtraRoutes", Method: http.MethodPut, Path: one + "/add_extraroutes", Core: "CreateRoute", ID: id, What: what, Handle: service.Write(addRoutes)},
		{Name: "RemoveExtraRoutes", Method: http.MethodPut, Path: one + "/remove_extraroutes", Core: "DeleteRoute", ID: id, What: what, Handle: service.Write(removeRoutes)},
	}
}

func securityGroups() []service.Operation {
	const paths, what = root + "/security-groups", "Security group"
	const one = paths + "/{id}"
	const rules, rule, whatRule = root + "/security-group-rules", root + "/security-group-rules/{id}", "Security group rule"
	id := service.SecurityGroups.ID
	return []service.Operation{
		{Name: "ListSecurityGroups", Method: http.MethodGet, Path: paths, Core: "ListSecurityGroups", Handle: list("security_groups", allSecurityGroups, securityGroupFilters())},
		{Name: "CreateSecurityGroup", Method: http.MethodPost, Path: paths, Core: "CreateSecurityGroup", Status: http.StatusCreated, Subject: securityGroupSubject, Handle: service.Write(createSecurityGroup)},
		{Name: "GetSecurityGroup", Method: http.MethodGet, Path: one, Core: "GetSecurityGroup", ID: id, What: what, Handle: service.Remember(getSecurityGroup)},
		{Name: "UpdateSecurityGroup", Method: http.MethodPut, Path: one, Core: "UpdateSecurityGroup", ID: id, What: what, Handle: service.Write(updateSecurityGroup)},
		{Name: "DeleteSecurityGroup", Method: http.MethodDelete, Path: one, Core: "DeleteSecurityGroup", ID: id, What: what, Status: http.StatusNoContent, Handle: service.Change(deleteSecurityGroup)},
		{Name: "ListSecurityGroupRules", Method: http.MethodGet, Path: rules, Core: "ListSecurityGroups", Handle: list("security_group_rules", allGroupRules, groupRuleFilters())},
		{Name: "CreateSecurityGroupRule", Method: http.MethodPost, Path: rules, Core: "AddSecurityGroupRules", Status: http.StatusCreated, Handle: service.Write(createGroupRules)},
		{Name: "GetSecurityGroupRule", Method: http.MethodGet, Path: rule, Core: "GetSecurityGroup", What: whatRule, Handle: service.Read(getGroupRule)},
		{Name: "DeleteSecurityGroupRule", Method: http.MethodDelete, Path: rule, Core: "RemoveSecurityGroupRules", What: whatRule, Status: http.StatusNoContent, Handle: service.Change(deleteGroupRule)},
	}
}
