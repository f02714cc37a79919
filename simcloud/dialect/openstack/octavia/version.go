package octavia

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"
)

// listVersions tells of all versions of the API up to the newest that the cloud has. Clients read from the last one what they can ask for.
func listVersions(c service.Call) (any, error) {
	newest, err := c.Variant(simcloud.VariantOpenStackOctavia)
	if err != nil {
		return nil, err
	}
	last, err := strconv.Atoi(strings.TrimPrefix(newest, "v2."))
	if err != nil {
		return nil, err
	}
	var versions []any
	for minor := range last + 1 {
		status := "SUPPORTED"
		if minor == last {
			status = "CURRENT"
		}
		versions = append(versions, map[string]any{
			"id": fmt.Sprintf("v2.%d", minor), "status": status, "updated": "2023-01-01T00:00:00Z",
			"links": []service.Link{{Rel: "self", Href: c.Endpoint() + "/load-balancer/v2"}},
		})
	}
	return map[string]any{"versions": versions}, nil
}

// The providers that a load balancer may have.
const (
	amphora = "amphora"
	ovn     = "ovn"
)

// providers are those that there are, with what they do.
var providers = []struct{ Name, Description string }{
	{amphora, "The Octavia Amphora driver."}, {"octavia", "Deprecated alias of the Octavia Amphora driver."}, {ovn, "Octavia OVN driver."},
}

func listProviders(service.Call) (any, error) {
	var shown []map[string]string
	for _, p := range providers {
		shown = append(shown, map[string]string{"name": p.Name, "description": p.Description})
	}
	return map[string]any{"providers": shown}, nil
}
