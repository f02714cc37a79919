package server

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/edge"
)

// encoded is what is JSON already.
type encoded []byte

// marshal returns the JSON of a value.
func marshal(v any) ([]byte, error) {
	if raw, ok := v.(encoded); ok {
		return raw, nil
	}
	return json.Marshal(v)
}

// encodedResources is a cloud that has the JSON of its resources.
type encodedResources interface {
	// GetEncoded answers like the Get of a kind. It reports false when only
	// that can answer: the JSON that is stored is not what the caller is to see.
	GetEncoded(ctx context.Context, kind simcloud.Kind, id simcloud.ID) (simcloud.EncodedResource, bool, error)
}

// encoding answers the read of one resource with the JSON that the cloud has,
// where it can, and otherwise and for all other operations as handle does.
func (s *server) encoding(e simcloud.Endpoint, handle edge.Handler) edge.Handler {
	cloud, ok := s.API.(encodedResources)
	if !ok || !getsResource(e) {
		return handle
	}
	return func(r *http.Request) (edge.Reply, error) {
		if r.URL.RawQuery != "" {
			return handle(r)
		}
		resource, ok, err := cloud.GetEncoded(r.Context(), e.Kind(), pathID(r, "id"))
		if !ok {
			return handle(r)
		}
		return edge.Reply{Status: http.StatusOK, Body: encoded(resource.JSON), Meta: &resource.Meta}, err
	}
}

// getsResource reports whether an operation does nothing but read one resource
// of the cloud by its id: to wait for an operation reads one too, and more.
func getsResource(e simcloud.Endpoint) bool {
	return e.Kind() != "" && strings.HasPrefix(e.Operation, "Get")
}
