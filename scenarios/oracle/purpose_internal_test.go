package oracle

import (
	"slices"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// TestPurposes: each operation of the table is one of the cloud, and none is missing that has the part in its name.
func TestPurposes(t *testing.T) {
	t.Parallel()
	for part, operations := range purposes {
		for _, name := range operations {
			if endpoint, known := simcloud.EndpointOf(name); !known || !endpoint.Write() {
				t.Errorf("%s is for a %s, and no operation of the cloud that writes", name, part)
			}
		}
	}
	whole := []string{"CreateTargetGroup", "DeleteTargetGroup", "CreateRouteTable", "UpdateRouteTable", "DeleteRouteTable"} // with all that is in them, or with none of it
	for _, endpoint := range simcloud.Endpoints() {
		name := endpoint.Operation
		if !endpoint.Write() || strings.HasPrefix(endpoint.Path, "/_sim") || slices.Contains(whole, name) {
			continue
		}
		for part, word := range map[string]string{"target": "Target", "route": "Route", "listener": "Listener", "rule": "Rules"} {
			if strings.Contains(name, word) && !slices.Contains(purposes[part], name) {
				t.Errorf("%s is for a %s by its name, and not in the table", name, part)
			}
		}
	}
}
