package nova

import "github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"

// New returns the service.
func New() *service.Service {
	return &service.Service{Name: "nova", Type: "compute", Mount: "compute", Path: "/v2.1"}
}
