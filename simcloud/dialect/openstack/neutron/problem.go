package neutron

import (
	"cmp"
	"net/http"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"
)

// codes are the errors of Neutron for those of the cloud.
func codes() service.Codes {
	return service.Codes{
		General: map[simcloud.Code]service.Code{
			simcloud.Invalid:         {Status: http.StatusBadRequest, Type: "InvalidInput"},
			simcloud.Unauthenticated: {Status: http.StatusUnauthorized},
			simcloud.Forbidden:       {Status: http.StatusForbidden, Type: "PolicyNotAuthorized"},
			simcloud.NotFound:        {Status: http.StatusNotFound, Type: "HTTPNotFound"},
			simcloud.AlreadyExists:   {Status: http.StatusConflict, Type: "Conflict"},
			simcloud.InUse:           {Status: http.StatusConflict, Type: "InUse"},
			simcloud.Conflict:        {Status: http.StatusConflict, Type: "Conflict"},
			simcloud.Locked:          {Status: http.StatusConflict, Type: "Conflict"},
			simcloud.Protected:       {Status: http.StatusConflict, Type: "Conflict"},
			simcloud.QuotaExceeded:   {Status: http.StatusConflict, Type: "OverQuota"},
			simcloud.Capacity:        {Status: http.StatusConflict, Type: "IpAddressGenerationFailure"},
			simcloud.RateLimited:     {Status: http.StatusTooManyRequests, Type: "HTTPTooManyRequests"},
			simcloud.Unavailable:     {Status: http.StatusServiceUnavailable, Type: "ServiceUnavailable"},
			simcloud.Timeout:         {Status: http.StatusGatewayTimeout, Type: "HTTPGatewayTimeout"},
			simcloud.Unimplemented:   {Status: http.StatusNotImplemented, Type: "HTTPNotImplemented"},
			simcloud.Internal:        {Status: http.StatusInternalServerError, Type: "HTTPInternalServerError"},
		},
		Ended: map[service.Ended]service.Code{
			{Operation: "CreateRoute", Code: simcloud.Capacity}:                {Status: http.StatusBadRequest, Type: "RoutesExhausted"},
			{Operation: "UpdateRouteTable", Code: simcloud.Capacity}:           {Status: http.StatusBadRequest, Type: "RoutesExhausted"},
			{Operation: "CreateFloatingIP", Code: simcloud.AlreadyExists}:      {Status: http.StatusConflict, Type: "IpAddressInUse"},
			{Operation: "AddSecurityGroupRules", Code: simcloud.AlreadyExists}: {Status: http.StatusConflict, Type: "SecurityGroupRuleExists"},
			{Operation: "AddSecurityGroupRules", Code: simcloud.Capacity}:      {Status: http.StatusConflict, Type: "OverQuota"},
			{Operation: "DeleteSecurityGroup", Code: simcloud.InUse}:           {Status: http.StatusConflict, Type: "SecurityGroupInUse"},
		},
		Missing: map[simcloud.Kind]string{
			simcloud.KindNetwork:       "NetworkNotFound",
			simcloud.KindSubnet:        "SubnetNotFound",
			simcloud.KindInstance:      "PortNotFound",
			simcloud.KindDocument:      "PortNotFound",
			simcloud.KindRouteTable:    "RouterNotFound",
			simcloud.KindFloatingIP:    "FloatingIPNotFound",
			simcloud.KindSecurityGroup: "SecurityGroupNotFound",
		},
		Fields: map[string]string{
			"address":              "floating_ip_address",
			"attachedTo.id":        "port_id",
			"id":                   "port_id",
			"rules[0].description": "description",
		},
	}
}

// envelope is what an error of Neutron looks like. One that has no type of its own has that of its status, such as HTTPNotFound.
func envelope(p service.Problem) any {
	kind := cmp.Or(p.Type, "HTTP"+strings.ReplaceAll(http.StatusText(p.Status), " ", ""))
	return map[string]any{"NeutronError": map[string]any{"type": kind, "message": p.Message, "detail": ""}}
}

// refuse returns an error of a type of Neutron's own.
func refuse(code simcloud.Code, status int, kind, format string, args ...any) error {
	return service.Refuse(code, service.Code{Status: status, Type: kind}, format, args...)
}

// missing is the error for something that a request names and that is not there.
func missing(kind, what, uuid string) error {
	return refuse(simcloud.NotFound, http.StatusNotFound, kind, "%s %s could not be found.", what, clip(uuid))
}

// maxQuoted is how much of a text of a request an error repeats, in bytes.
const maxQuoted = 80

// clip returns the beginning of a text.
func clip(text string) string {
	if len(text) <= maxQuoted {
		return text
	}
	return strings.ToValidUTF8(text[:maxQuoted], "")
}
