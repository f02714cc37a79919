package server

import (
	"net/http"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// kinds tells what the first element of a path is about.
var kinds = map[string]simcloud.Kind{
	"projects":          simcloud.KindProject,
	"tokens":            simcloud.KindToken,
	"quotas":            simcloud.KindQuota,
	"subnets":           simcloud.KindSubnet,
	"volumes":           simcloud.KindVolume,
	"ssh-keys":          simcloud.KindSSHKey,
	"clusters":          simcloud.KindCluster,
	"floating-ip-pools": simcloud.KindFloatingIPPool,
	"regions":           simcloud.KindRegion,
	"zones":             simcloud.KindZone,
	"instance-types":    simcloud.KindInstanceType,
	"networks":          simcloud.KindNetwork,
	"instances":         simcloud.KindInstance,
	"load-balancers":    simcloud.KindLoadBalancer,
	"floating-ips":      simcloud.KindFloatingIP,
	"route-tables":      simcloud.KindRouteTable,
	"operations":        simcloud.KindOperation,
}

func kindOf(e simcloud.Endpoint) simcloud.Kind {
	name, _, _ := strings.Cut(strings.TrimPrefix(e.Path, "/v1/"), "/")
	return kinds[name]
}

// pathResource is what a call is about by its path: "instance/i-7", or "instance" for a list.
func pathResource(e simcloud.Endpoint, r *http.Request) string {
	kind := kindOf(e)
	if kind == "" {
		return ""
	}
	return simcloud.Ref(kind, pathID(r, "id"))
}

// answers notes what a call is about by its answer, when the path did not say.
func (c *call) answers(meta *simcloud.Meta) {
	if !strings.Contains(c.resource, "/") {
		c.resource = simcloud.Ref(kindOf(c.endpoint), meta.ID)
	}
}
