package neutron

import (
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"
)

// root is where the one version of the API is that there is.
const root = "/v2.0"

// versionID is what that version is called.
const versionID = "v2.0"

func listVersions(c service.Call) (any, error) {
	version := map[string]any{
		"id": versionID, "status": "CURRENT",
		"links": []service.Link{{Rel: "self", Href: c.Endpoint() + "/network" + root + "/"}},
	}
	return map[string]any{"versions": []any{version}}, nil
}

// collections are the lists that the version has, by the name of one item.
var collections = []struct{ name, collection string }{
	{"network", "networks"}, {"subnet", "subnets"}, {"port", "ports"}, {"router", "routers"}, {"floatingip", "floatingips"},
	{"security_group", "security-groups"}, {"security_group_rule", "security-group-rules"}, {"extension", "extensions"},
}

// resource is a list that a version of the API has.
type resource struct {
	Name       string         `json:"name"`
	Collection string         `json:"collection"`
	Links      []service.Link `json:"links"`
}

func getVersion(c service.Call) (any, error) {
	var resources []resource
	for _, r := range collections {
		href := c.Endpoint() + "/network" + root + "/" + r.collection
		resources = append(resources, resource{r.name, r.collection, []service.Link{{Rel: "self", Href: href}}})
	}
	return map[string]any{"resources": resources}, nil
}
