package openstack

import (
	"strings"
	"sync"

	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/barbican"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/keystone"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/neutron"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/nova"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/octavia"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"
)

// services are those of the dialect, Keystone first.
var services = sync.OnceValue(func() []*service.Service {
	others := []*service.Service{nova.New(), neutron.New(), octavia.New(), barbican.New()}
	return append([]*service.Service{keystone.New(others...)}, others...)
})

// mounted is the service at a path; nil for none.
func mounted(mount string) *service.Service {
	for _, s := range services() {
		if s.Mount == mount {
			return s
		}
	}
	return nil
}

// serviceOf is the service of an operation, by its name in the journal; Keystone for one of none.
func serviceOf(operation string) *service.Service {
	prefix, _, _ := strings.Cut(operation, ":")
	for _, s := range services() {
		if s.Name == prefix {
			return s
		}
	}
	return services()[0]
}
