package service

import "github.com/simcloud-dev/simcloud/simcloud"

// DialectName is what documents of the dialect say that they are of.
const DialectName = "openstack"

// PortDocument is the type of the documents that are ports of Neutron which exist by themselves. They reserve the fixed addresses.
const PortDocument = "port"

// IsPort reports whether a document is a port of Neutron.
func IsPort(d simcloud.Document) bool { return d.Dialect == DialectName && d.Type == PortDocument }

// PortOf is the document of the port whose addresses a load balancer has; empty for one that has addresses of its own.
func PortOf(lb simcloud.LoadBalancer) simcloud.ID {
	for _, vip := range lb.VIPs {
		if vip.Document != "" {
			return vip.Document
		}
	}
	return ""
}

// VIPPortUUID is the id of the port of a load balancer's VIP: of the one that it was created with, or else of one of its own.
func VIPPortUUID(lb simcloud.LoadBalancer) string {
	if port := PortOf(lb); port != "" {
		return Ports.UUID(port)
	}
	return VIPPorts.UUID(lb.ID)
}
