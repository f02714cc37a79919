package server

import (
	"net/http"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// spec is how a code looks in HTTP.
type spec struct {
	status int
	title  string
}

// specs has every code; a test holds it against simcloud.Codes.
var specs = map[simcloud.Code]spec{
	simcloud.Invalid:         {http.StatusUnprocessableEntity, "The request can never succeed as it is"},
	simcloud.Unauthenticated: {http.StatusUnauthorized, "The token is missing, unknown or expired"},
	simcloud.Forbidden:       {http.StatusForbidden, "The token's role does not allow this"},
	simcloud.NotFound:        {http.StatusNotFound, "Resource not found"},
	simcloud.AlreadyExists:   {http.StatusConflict, "Something that must be unique is taken"},
	simcloud.InUse:           {http.StatusConflict, "Another resource refers to this one"},
	simcloud.Protected:       {http.StatusConflict, "The resource is protected from deletion"},
	simcloud.Conflict:        {http.StatusPreconditionFailed, "The state has changed"},
	simcloud.Locked:          {http.StatusLocked, "Another operation is running"},
	simcloud.QuotaExceeded:   {http.StatusForbidden, "The quota is used up"},
	simcloud.Capacity:        {http.StatusConflict, "Insufficient capacity"},
	simcloud.RateLimited:     {http.StatusTooManyRequests, "Too many requests"},
	simcloud.Unavailable:     {http.StatusServiceUnavailable, "The cloud cannot answer now"},
	simcloud.Timeout:         {http.StatusGatewayTimeout, "The cloud did not answer in time"},
	simcloud.Unimplemented:   {http.StatusNotImplemented, "The cloud does not have this operation"},
	simcloud.Internal:        {http.StatusInternalServerError, "Internal error"},
}

// specOf returns how a code looks in HTTP. A code that it does not know is a defect.
func specOf(code simcloud.Code) spec {
	if s, ok := specs[code]; ok {
		return s
	}
	return specs[simcloud.Internal]
}
