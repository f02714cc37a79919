package hcloud

import (
	"net/http"
	"sync"

	"github.com/simcloud-dev/simcloud/simcloud/dialect"
	"github.com/simcloud-dev/simcloud/simcloud/edge"
)

// operation is one call of the API.
type operation struct {
	method, path string // below /hcloud/v1/
	name         string
	// core is the operation of the cloud that it stands for.
	core string
	// prefix of the id in the cloud of what the path names; empty when that is a name there.
	prefix string
	handle func(call) (edge.Reply, error)
	// command is what its action is called, when that is not the name.
	command  string
	standing dialect.Standing
}

const (
	get    = http.MethodGet
	post   = http.MethodPost
	put    = http.MethodPut
	remove = http.MethodDelete
)

// operations are those that the dialect has.
func operations() []operation {
	const serverAction, lbAction, netAction = "servers/{id}/actions/", "load_balancers/{id}/actions/", "networks/{id}/actions/"
	const vm, lb, net, doc = instancePrefix, loadBalancerPrefix, networkPrefix, documentPrefix
	return []operation{
		{method: get, path: "locations", name: "list_locations", core: "ListZones", handle: call.listLocations},
		{method: get, path: "locations/{id}", name: "get_location", core: "GetZone", handle: call.getLocation},
		{method: get, path: "server_types", name: "list_server_types", core: "ListInstanceTypes", handle: call.listServerTypes},
		{method: get, path: "server_types/{id}", name: "get_server_type", core: "GetInstanceType", handle: call.getServerType},

		{method: get, path: "servers", name: "list_servers", core: "ListInstances", handle: call.listServers},
		{method: get, path: "servers/{id}", name: "get_server", core: "GetInstance", prefix: vm, handle: call.getServer},
		{method: post, path: "servers", name: "create_server", core: "CreateInstance", handle: call.createServer},
		{method: put, path: "servers/{id}", name: "update_server", core: "UpdateInstance", prefix: vm, handle: call.updateServer},
		{method: remove, path: "servers/{id}", name: "delete_server", core: "DeleteInstance", prefix: vm, handle: call.deleteServer},
		{method: post, path: serverAction + "poweron", name: "poweron", core: "StartInstance", prefix: vm, handle: call.startServer, command: "start_server"},
		{method: post, path: serverAction + "poweroff", name: "poweroff", core: "StopInstance", prefix: vm, handle: call.stopServer, command: "stop_server"},
		{method: post, path: serverAction + "shutdown", name: "shutdown", core: "StopInstance", prefix: vm, handle: call.stopServer, command: "shutdown_server"},
		{method: post, path: serverAction + "reboot", name: "reboot", core: "RebootInstance", prefix: vm, handle: call.rebootServer, command: "reboot_server"},
		{method: post, path: serverAction + "reset", name: "reset", core: "RebootInstance", prefix: vm, handle: call.rebootServer, command: "reset_server"},
		{method: post, path: serverAction + "rebuild", name: "rebuild", core: "RebuildInstance", prefix: vm, handle: call.rebuildServer, command: "rebuild_server"},
		{method: post, path: serverAction + "change_dns_ptr", name: "change_server_dns_ptr", core: "UpdateInstance", prefix: vm, handle: call.changeServerDNSPtr, command: "change_dns_ptr"},
		{method: post, path: serverAction + "attach_to_network", name: "attach_server_to_network", core: "AttachInstanceNetwork", prefix: vm, handle: call.attachServerToNetwork, command: "attach_to_network"},
		{method: post, path: serverAction + "detach_from_network", name: "detach_server_from_network", core: "DetachInstanceNetwork", prefix: vm, handle: call.detachServerFromNetwork, command: "detach_from_network"},
		{method: post, path: serverAction + "change_alias_ips", name: "change_alias_ips", core: "AddInstanceAddress", prefix: vm, handle: call.changeAliasIPs},
		{method: post, path: serverAction + "change_protection", name: "change_server_protection", core: "UpdateInstance", prefix: vm, handle: call.changeServerProtection, command: "change_protection"},
		{method: get, path: "servers/{id}/actions", name: "list_server_actions", core: "ListOperations", prefix: vm, handle: call.listActionsOf},

		{method: get, path: "networks", name: "list_networks", core: "ListNetworks", handle: call.listNetworks},
		{method: get, path: "networks/{id}", name: "get_network", core: "GetNetwork", prefix: net, handle: call.getNetwork},
		{method: post, path: "networks", name: "create_network", core: "CreateNetwork", handle: call.createNetwork},
		{method: put, path: "networks/{id}", name: "update_network", core: "UpdateNetwork", prefix: net, handle: call.updateNetwork},
		{method: remove, path: "networks/{id}", name: "delete_network", core: "DeleteNetwork", prefix: net, handle: call.deleteNetwork},
		{method: post, path: netAction + "add_subnet", name: "add_subnet", core: "CreateSubnet", prefix: net, handle: call.addSubnet},
		{method: post, path: netAction + "delete_subnet", name: "delete_subnet", core: "DeleteSubnet", prefix: net, handle: call.deleteSubnet},
		{method: post, path: netAction + "change_protection", name: "change_network_protection", core: "UpdateNetwork", prefix: net, handle: call.changeNetworkProtection, command: "change_protection"},
		{method: get, path: "networks/{id}/actions", name: "list_network_actions", core: "ListOperations", prefix: net, handle: call.listActionsOf},
		{method: post, path: netAction + "add_route", name: "add_route", core: "CreateRoute", prefix: net, handle: call.addRoute},
		{method: post, path: netAction + "delete_route", name: "delete_route", core: "DeleteRoute", prefix: net, handle: call.deleteRoute},

		{method: get, path: "load_balancer_types", name: "list_load_balancer_types", core: "ListLoadBalancerTypes", handle: call.listLoadBalancerTypes, standing: dialect.Derived},
		{method: get, path: "load_balancer_types/{id}", name: "get_load_balancer_type", core: "GetLoadBalancerType", handle: call.getLoadBalancerType, standing: dialect.Derived},
		{method: get, path: "load_balancers", name: "list_load_balancers", core: "ListLoadBalancers", handle: call.listLoadBalancers},
		{method: get, path: "load_balancers/{id}", name: "get_load_balancer", core: "GetLoadBalancer", prefix: lb, handle: call.getLoadBalancer},
		{method: post, path: "load_balancers", name: "create_load_balancer", core: "CreateLoadBalancer", handle: call.createLoadBalancer},
		{method: put, path: "load_balancers/{id}", name: "update_load_balancer", core: "UpdateLoadBalancer", prefix: lb, handle: call.updateLoadBalancer},
		{method: remove, path: "load_balancers/{id}", name: "delete_load_balancer", core: "DeleteLoadBalancer", prefix: lb, handle: call.deleteLoadBalancer},
		{method: post, path: lbAction + "add_service", name: "add_service", core: "CreateListener", prefix: lb, handle: call.addService},
		{method: post, path: lbAction + "update_service", name: "update_service", core: "UpdateListener", prefix: lb, handle: call.updateService},
		{method: post, path: lbAction + "delete_service", name: "delete_service", core: "DeleteListener", prefix: lb, handle: call.deleteService},
		{method: post, path: lbAction + "add_target", name: "add_target", core: "CreateTarget", prefix: lb, handle: call.addTarget},
		{method: post, path: lbAction + "remove_target", name: "remove_target", core: "DeleteTarget", prefix: lb, handle: call.removeTarget},
		{method: post, path: lbAction + "change_algorithm", name: "change_algorithm", core: "UpdateLoadBalancer", prefix: lb, handle: call.changeAlgorithm},
		{method: post, path: lbAction + "change_type", name: "change_type", core: "UpdateLoadBalancer", prefix: lb, handle: call.changeType},
		{method: post, path: lbAction + "attach_to_network", name: "attach_to_network", core: "AttachLoadBalancerNetwork", prefix: lb, handle: call.attachToNetwork},
		{method: post, path: lbAction + "detach_from_network", name: "detach_from_network", core: "DetachLoadBalancerNetwork", prefix: lb, handle: call.detachFromNetwork},
		{method: post, path: lbAction + "enable_public_interface", name: "enable_public_interface", core: "UpdateLoadBalancer", prefix: lb, handle: call.enablePublicInterface},
		{method: post, path: lbAction + "disable_public_interface", name: "disable_public_interface", core: "UpdateLoadBalancer", prefix: lb, handle: call.disablePublicInterface},
		{method: post, path: lbAction + "change_dns_ptr", name: "change_dns_ptr", core: "UpdateLoadBalancer", prefix: lb, handle: call.changeDNSPtr},
		{method: post, path: lbAction + "change_protection", name: "change_load_balancer_protection", core: "UpdateLoadBalancer", prefix: lb, handle: call.changeLoadBalancerProtection, command: "change_protection"},
		{method: get, path: "load_balancers/{id}/actions", name: "list_load_balancer_actions", core: "ListOperations", prefix: lb, handle: call.listActionsOf},

		{method: get, path: "actions", name: "list_actions", core: "ListOperations", prefix: operationPrefix, handle: call.listActions},
		{method: get, path: "actions/{id}", name: "get_action", core: "GetOperation", prefix: operationPrefix, handle: call.getAction},

		{method: get, path: "certificates", name: "list_certificates", core: "ListDocuments", handle: call.listCertificates},
		{method: get, path: "certificates/{id}", name: "get_certificate", core: "GetDocument", prefix: doc, handle: call.getCertificate},
		{method: post, path: "certificates", name: "create_certificate", core: "CreateDocument", handle: call.createCertificate},
		{method: put, path: "certificates/{id}", name: "update_certificate", core: "UpdateDocument", prefix: doc, handle: call.updateCertificate},
		{method: remove, path: "certificates/{id}", name: "delete_certificate", core: "DeleteDocument", prefix: doc, handle: call.deleteCertificate},
		{method: post, path: "certificates/{id}/actions/retry", name: "retry_certificate", core: "UpdateDocument", prefix: doc, handle: call.retryCertificate, command: "issue_certificate"},
		{method: get, path: "certificates/{id}/actions", name: "list_certificate_actions", core: "ListOperations", prefix: doc, handle: call.listActionsOf},
	}
}

// table has all operations by path and method.
var table = sync.OnceValue(func() map[string]map[string]operation {
	paths := map[string]map[string]operation{}
	for _, o := range append(operations(), unsupportedOperations()...) {
		if paths[o.path] == nil {
			paths[o.path] = map[string]operation{}
		}
		paths[o.path][o.method] = o
	}
	return paths
})
