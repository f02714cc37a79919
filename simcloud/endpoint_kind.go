package simcloud

import (
	"net/http"
	"strings"
)

// Kind is what the operation is about; empty for events and for the simulator's own operations.
func (e Endpoint) Kind() Kind {
	path, ok := strings.CutPrefix(e.Path, "/v1/")
	if !ok {
		return ""
	}
	name, _, _ := strings.Cut(path, "/")
	return pathKinds[name]
}

// Creates reports whether the operation makes a resource, so that its path has no id.
func (e Endpoint) Creates() bool {
	return e.Method == http.MethodPost && e.Kind() != "" && !strings.Contains(e.Path, "{")
}

// pathKinds tells what the first element of a path is about.
var pathKinds = map[string]Kind{
	"projects":          KindProject,
	"tokens":            KindToken,
	"quotas":            KindQuota,
	"regions":           KindRegion,
	"zones":             KindZone,
	"instance-types":    KindInstanceType,
	"networks":          KindNetwork,
	"subnets":           KindSubnet,
	"instances":         KindInstance,
	"volumes":           KindVolume,
	"ssh-keys":          KindSSHKey,
	"load-balancers":    KindLoadBalancer,
	"floating-ips":      KindFloatingIP,
	"floating-ip-pools": KindFloatingIPPool,
	"route-tables":      KindRouteTable,
	"clusters":          KindCluster,
	"operations":        KindOperation,
}
