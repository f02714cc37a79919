// Package keystone is the identity service of OpenStack: it opens sessions, and says where the other services are.
package keystone

import (
	"net/http"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"
)

// New returns the service, whose catalog has the others.
func New(others ...*service.Service) *service.Service {
	s := &service.Service{
		Name: "keystone", Type: "identity", Mount: "identity", Path: "/v3",
		NotFoundFormat: "Could not find %s: %s.",
		Codes: service.Codes{General: map[simcloud.Code]service.Code{
			simcloud.Invalid:         {Status: http.StatusBadRequest},
			simcloud.Unauthenticated: {Status: http.StatusUnauthorized},
			simcloud.Forbidden:       {Status: http.StatusForbidden},
			simcloud.NotFound:        {Status: http.StatusNotFound},
			simcloud.AlreadyExists:   {Status: http.StatusConflict},
			simcloud.InUse:           {Status: http.StatusConflict},
			simcloud.Conflict:        {Status: http.StatusConflict},
			simcloud.Locked:          {Status: http.StatusConflict},
			simcloud.Protected:       {Status: http.StatusConflict},
			simcloud.QuotaExceeded:   {Status: http.StatusForbidden},
			simcloud.Capacity:        {Status: http.StatusServiceUnavailable},
			simcloud.RateLimited:     {Status: http.StatusTooManyRequests},
			simcloud.Unavailable:     {Status: http.StatusServiceUnavailable},
			simcloud.Timeout:         {Status: http.StatusGatewayTimeout},
			simcloud.Unimplemented:   {Status: http.StatusNotImplemented},
			simcloud.Internal:        {Status: http.StatusInternalServerError},
		}},
		Envelope: envelope,
	}
	all := append([]*service.Service{s}, others...)
	s.Operations = []service.Operation{
		{Name: "ListVersions", Method: http.MethodGet, Path: "/", Anonymous: true, Status: http.StatusMultipleChoices, Standing: dialect.Derived, Handle: service.Read(listVersions)},
		{Name: "GetVersion", Method: http.MethodGet, Path: "/v3", Anonymous: true, Standing: dialect.Derived, Handle: service.Read(getVersion)},
		{Name: "CreateToken", Method: http.MethodPost, Path: tokensPath, Status: http.StatusCreated, Standing: dialect.Derived, Handle: createToken(all)},
		{Name: "GetToken", Method: http.MethodGet, Path: tokensPath, Standing: dialect.Derived, Handle: getToken(all)},
	}
	s.Unsupported = []service.Operation{
		{Name: "RevokeToken", Method: http.MethodDelete, Path: tokensPath},
		{Name: "GetCatalog", Method: http.MethodGet, Path: "/v3/auth/catalog"},
		{Name: "ListProjects", Method: http.MethodGet, Path: "/v3/projects"},
		{Name: "ListUsers", Method: http.MethodGet, Path: "/v3/users"},
		{Name: "CreateApplicationCredential", Method: http.MethodPost, Path: "/v3/users/{id}/application_credentials"},
	}
	return s
}

// tokensPath is where sessions are, below the mount.
const tokensPath = "/v3/auth/tokens"

// envelope is what an error of Keystone looks like.
func envelope(p service.Problem) any {
	return map[string]any{"error": map[string]any{"code": p.Status, "title": http.StatusText(p.Status), "message": p.Message}}
}

// version is what clients are told of the one version of the API that there is.
func version(c service.Call) map[string]any {
	return map[string]any{
		"id": "v3.14", "status": "stable", "updated": "2020-04-07T00:00:00Z",
		"links":       []service.Link{{Rel: "self", Href: c.Endpoint() + "/identity/v3/"}},
		"media-types": []map[string]string{{"base": "application/json", "type": "application/vnd.openstack.identity-v3+json"}},
	}
}

func listVersions(c service.Call) (any, error) {
	return map[string]any{"versions": map[string]any{"values": []any{version(c)}}}, nil
}

func getVersion(c service.Call) (any, error) {
	return map[string]any{"version": version(c)}, nil
}
