package neutron

import "github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"

// New returns the service.
func New() *service.Service {
	return &service.Service{Name: "neutron", Type: "network", Mount: "network", Path: ""}
}
