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
		Operations:  slices.Concat(discovery()),
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
