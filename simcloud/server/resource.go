package server

import (
	"net/http"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// pathResource is what a call is about by its path: "instance/i-7", or "instance" for a list.
func pathResource(e simcloud.Endpoint, r *http.Request) string {
	kind := e.Kind()
	if kind == "" {
		return ""
	}
	return simcloud.Ref(kind, pathID(r, "id"))
}

// answers notes what a call is about by its answer, when the path did not say.
func (c *call) answers(meta *simcloud.Meta) {
	if !strings.Contains(c.resource, "/") {
		c.resource = simcloud.Ref(c.endpoint.Kind(), meta.ID)
	}
}
