package aws

import (
	"net/http"
	"strings"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/service"
	"github.com/simcloud-dev/simcloud/simcloud/edge"
)

// credentialsPath is where a client gets credentials for a token of the cloud, below the path of the dialect. It is what
// a machine of AWS has as the endpoint of its container credentials: unlike those of the environment, the token is read from
// a file for each request.
const credentialsPath = "/credentials"

// issuedFor is how long credentials last. The SDK asks again five minutes before their end: at each call, so that a new token in
// the file is in use at once.
const issuedFor = 4 * time.Minute

// credentials is the endpoint as a service with one operation. It speaks JSON, and no edition names it.
var credentials = &service.Service{
	Name: "credentials",
	Codes: service.Codes{
		General: map[simcloud.Code]service.Code{
			simcloud.Invalid:         {Code: "ValidationError"},
			simcloud.Unauthenticated: {Code: "InvalidToken", Status: http.StatusUnauthorized},
			service.Expired:          {Code: "ExpiredToken", Status: http.StatusForbidden},
			simcloud.Forbidden:       {Code: "AccessDenied", Status: http.StatusForbidden},
			simcloud.RateLimited:     {Code: "Throttling", Status: http.StatusTooManyRequests},
			simcloud.Unavailable:     {Code: "ServiceUnavailable", Status: http.StatusServiceUnavailable},
			simcloud.Timeout:         {Status: http.StatusGatewayTimeout},
			simcloud.Unimplemented:   {Code: "UnsupportedOperation", Status: http.StatusMethodNotAllowed},
			simcloud.Internal:        {Code: "InternalFailure", Status: http.StatusInternalServerError},
		},
	},
}

// getCredentials is the operation of the endpoint.
const getCredentials = "GetCredentials"

// isCredentials reports whether a request is for the endpoint.
func isCredentials(r *http.Request) bool {
	return strings.TrimSuffix(r.URL.Path, "/") == "/"+name+credentialsPath
}

// credentialsOperation is what a request at the endpoint is for.
func (c Codec) credentialsOperation(r *http.Request) edge.Operation {
	if r.Method != http.MethodGet {
		return credentials.Refusal(name, getCredentials, service.Refuse(simcloud.Unimplemented, "UnsupportedOperation", "The method %s is not simulated: must be GET", r.Method))
	}
	return edge.Operation{
		Endpoint: simcloud.Endpoint{Operation: service.Unknown, Method: http.MethodGet, Path: "/v1/aws"}, Dialect: name, Name: credentials.OperationName(getCredentials),
		Handle: func(r *http.Request) (edge.Reply, error) {
			issued, err := service.Issue(r.Context(), c.Lifetime, authorization(r), issuedFor)
			return edge.Reply{Status: http.StatusOK, Body: issued}, err
		},
	}
}

// authorization is the token that a request at the endpoint has.
func authorization(r *http.Request) string {
	return strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
}

// credentialOf is the credential of a request at the endpoint.
func credentialOf(r *http.Request) (string, error) {
	if token := authorization(r); token != "" {
		return token, nil
	}
	return "", service.NoToken("The request must have a token of the cloud as Authorization")
}

// writeCredentialsProblem writes an error as clients of the endpoint read it.
func writeCredentialsProblem(w http.ResponseWriter, p service.Problem) {
	dialect.WriteJSON(w, p.Status, map[string]string{"code": p.Code.Code, "message": p.Message})
}
