// Package sts is what the dialect of AWS has of the Security Token Service: who a caller is, and credentials for a time.
package sts

import (
	"net/http"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/query"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/service"
)

// New describes the service. No operation of the cloud stands behind its actions: they tell of the caller.
func New() *service.Service {
	return &service.Service{
		Name: "sts", Version: "2011-06-15", Namespace: "https://sts.amazonaws.com/doc/2011-06-15/", Scope: "sts",
		Protocol: query.AWSQuery, Codes: codes(),
		Operations: []service.Operation{
			{Name: "GetCallerIdentity", Handle: service.Read(getCallerIdentity), Standing: dialect.Derived},
			{Name: "AssumeRole", Handle: service.Read(assumeRole), Standing: dialect.Derived},
			{Name: service.WebIdentity, Handle: service.Read(assumeByWebIdentity), Standing: dialect.Derived},
		},
		Unsupported: []string{"AssumeRoleWithSAML", "DecodeAuthorizationMessage", "GetAccessKeyInfo", "GetFederationToken", "GetSessionToken"},
	}
}

// codes are the errors of the service.
func codes() service.Codes {
	unreadable := service.Code{Code: "ValidationError"}
	return service.Codes{
		General: map[simcloud.Code]service.Code{
			simcloud.Invalid:         unreadable,
			simcloud.Unauthenticated: {Code: "InvalidClientTokenId", Status: http.StatusForbidden},
			service.Expired:          {Code: "ExpiredToken", Status: http.StatusForbidden},
			simcloud.Forbidden:       {Code: "AccessDenied", Status: http.StatusForbidden},
			simcloud.RateLimited:     {Code: "Throttling"},
			simcloud.Unavailable:     {Code: "ServiceUnavailable", Status: http.StatusServiceUnavailable},
			simcloud.Timeout:         {Status: http.StatusGatewayTimeout},
			simcloud.Unimplemented:   {Code: "InvalidAction"},
			simcloud.Internal:        {Code: "InternalFailure", Status: http.StatusInternalServerError},
		},
		Named: map[service.Ended]service.Code{
			{Operation: "sts:" + service.WebIdentity, Code: simcloud.Unauthenticated}: {Code: "InvalidIdentityToken"},
			{Operation: "sts:" + service.WebIdentity, Code: service.Expired}:          {Code: "ExpiredTokenException"},
		},
		Requests: map[query.Kind]service.Code{
			query.Malformed: {Code: "MalformedQueryString"}, query.Repeated: unreadable, query.Unknown: unreadable,
			query.Missing: unreadable, query.BadValue: unreadable,
		},
	}
}
