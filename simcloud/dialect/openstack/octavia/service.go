package octavia

import "github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"

// New returns the service.
func New() *service.Service {
	return &service.Service{Name: "octavia", Type: "load-balancer", Mount: "load-balancer", Path: "/v2.0"}
}
