// Package barbican is the key manager of OpenStack, as far as certificates for load balancers need it: secrets, and containers that
// put a certificate and its key together. The cloud keeps both as documents. Nothing in it decrypts, so it keeps no payload.
package barbican

import (
	"net/http"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"
)

// The paths of what the service has.
const (
	root           = "/v1"
	secretsPath    = root + "/secrets"
	secretPath     = secretsPath + "/{id}"
	containersPath = root + "/containers"
	containerPath  = containersPath + "/{id}"
)

// New returns the service.
func New() *service.Service {
	const get, post, put, remove = http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete
	secrets, containers := service.Secrets.ID, service.Containers.ID
	return &service.Service{
		Name: "barbican", Type: "key-manager", Mount: "key-manager",
		Codes: codes(), Envelope: envelope, NotFoundFormat: "%s not found: %s",
		Operations: []service.Operation{
			{Name: "ListVersions", Method: get, Path: "/", Anonymous: true, Status: http.StatusMultipleChoices, Standing: dialect.Derived, Handle: service.Read(listVersions)},
			{Name: "CreateSecret", Method: post, Path: secretsPath, Core: "CreateDocument", Status: http.StatusCreated, Subject: subjectOf(secretKind), Handle: service.Write(createSecret)},
			{Name: "GetSecret", Method: get, Path: secretPath, Core: "GetDocument", ID: secrets, What: secretWord, Handle: service.Remember(getSecret)},
			{Name: "DeleteSecret", Method: remove, Path: secretPath, Core: "DeleteDocument", ID: secrets, What: secretWord, Status: http.StatusNoContent, Handle: service.Change(remover(secretKind))},
			{Name: "CreateContainer", Method: post, Path: containersPath, Core: "CreateDocument", Status: http.StatusCreated, Subject: subjectOf(containerKind), Handle: service.Write(createContainer)},
			{Name: "GetContainer", Method: get, Path: containerPath, Core: "GetDocument", ID: containers, What: containerWord, Handle: service.Remember(getContainer)},
			{Name: "DeleteContainer", Method: remove, Path: containerPath, Core: "DeleteDocument", ID: containers, What: containerWord, Status: http.StatusNoContent, Handle: service.Change(remover(containerKind))},
		},
		Unsupported: []service.Operation{
			{Name: "ListSecrets", Method: get, Path: secretsPath},
			{Name: "UpdateSecret", Method: put, Path: secretPath},
			{Name: "GetSecretPayload", Method: get, Path: secretPath + "/payload"},
			{Name: "GetSecretMetadata", Method: get, Path: secretPath + "/metadata"},
			{Name: "ListContainers", Method: get, Path: containersPath},
			{Name: "AddContainerSecret", Method: post, Path: containerPath + "/secrets"},
			{Name: "ListContainerConsumers", Method: get, Path: containerPath + "/consumers"},
			{Name: "CreateContainerConsumer", Method: post, Path: containerPath + "/consumers"},
			{Name: "ListOrders", Method: get, Path: root + "/orders"},
		},
	}
}

// What the service calls its things in errors.
const (
	secretWord    = "Secret"
	containerWord = "Container"
)

func codes() service.Codes {
	conflict := service.Code{Status: http.StatusConflict}
	return service.Codes{General: map[simcloud.Code]service.Code{
		simcloud.Invalid:         {Status: http.StatusBadRequest},
		simcloud.Unauthenticated: {Status: http.StatusUnauthorized},
		simcloud.Forbidden:       {Status: http.StatusForbidden},
		simcloud.NotFound:        {Status: http.StatusNotFound},
		simcloud.AlreadyExists:   conflict,
		simcloud.InUse:           conflict,
		simcloud.Protected:       conflict,
		simcloud.Conflict:        conflict,
		simcloud.Locked:          conflict,
		simcloud.QuotaExceeded:   {Status: http.StatusForbidden},
		simcloud.Capacity:        {Status: http.StatusServiceUnavailable},
		simcloud.RateLimited:     {Status: http.StatusTooManyRequests},
		simcloud.Unavailable:     {Status: http.StatusServiceUnavailable},
		simcloud.Timeout:         {Status: http.StatusGatewayTimeout},
		simcloud.Unimplemented:   {Status: http.StatusNotImplemented},
		simcloud.Internal:        {Status: http.StatusInternalServerError},
	}}
}

// envelope is what an error of Barbican looks like.
func envelope(p service.Problem) any {
	return map[string]any{"code": p.Status, "title": http.StatusText(p.Status), "description": p.Message}
}

// bad is the error for a request that does not match the schema of what it is to create.
func bad(schema, property, format string, args ...any) error {
	return service.Refuse(simcloud.Invalid, service.Code{Status: http.StatusBadRequest},
		"Provided object does not match schema '%s': "+format+". Invalid property: '%s'", append(append([]any{schema}, args...), property)...)
}

func listVersions(c service.Call) (any, error) {
	return map[string]any{"versions": map[string]any{"values": []any{map[string]any{
		"id": "v1", "status": "stable", "updated": "2015-04-28T00:00:00Z",
		"links":       []service.Link{{Rel: "self", Href: c.Endpoint() + "/key-manager/v1"}},
		"media-types": []map[string]string{{"base": "application/json", "type": "application/vnd.openstack.key-manager-v1+json"}},
	}}}}, nil
}
