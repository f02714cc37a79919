package hcloud

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/edge"
)

// The codes of Hetzner's errors.
const (
	codeJSON                = "json_error"
	codeUnauthorized        = "unauthorized"
	codeTokenReadonly       = "token_readonly"
	codeForbidden           = "forbidden"
	codeLimitExceeded       = "resource_limit_exceeded"
	codeNotFound            = "not_found"
	codeMethodNotAllowed    = "method_not_allowed"
	codeUniqueness          = "uniqueness_error"
	codeConflict            = "conflict"
	codeDeprecated          = "deprecated_api_endpoint"
	codeResourceUnavailable = "resource_unavailable"
	codeInvalidInput        = "invalid_input"
	codeUnsupported         = "unsupported_error"
	codeInUse               = "resource_in_use"
	codeLocked              = "locked"
	codeProtected           = "protected"
	codeRateLimit           = "rate_limit_exceeded"
	codeServer              = "server_error"
	codeUnavailable         = "unavailable"
	codeTimeout             = "timeout"

	codePortUsed            = "source_port_already_used"
	codeTargetDefined       = "target_already_defined"
	codeMissingIPv4         = "missing_ipv4"
	codeServerNotAttached   = "server_not_attached_to_network"
	codeNotAttached         = "load_balancer_not_attached_to_network"
	codeAlreadyAttached     = "load_balancer_already_attached"
	codeServerAttached      = "server_already_attached"
	codeNetworksOverlap     = "networks_overlap"
	codePublicDisabled      = "load_balancer_public_interface_disabled"
	codeTargetsWithoutIP    = "targets_without_use_private_ip"
	codeIPNotAvailable      = "ip_not_available"
	codeNoSubnet            = "no_subnet_available"
	codeInvalidType         = "invalid_load_balancer_type"
	codeIPNotOwned          = "ip_not_owned"
	codeRobotUnavailable    = "robot_unavailable"
	codeLimitLoadBalancer   = "load_balancer_limit"
	codeLimitProject        = "project_limit"
	statusUnprocessable     = http.StatusUnprocessableEntity
	invalidInput, nameField = "invalid input in field", "name"
)

// statuses are those of codes. Of all others the documents do not say which they have.
var statuses = map[string]int{
	codeInvalidInput: statusUnprocessable, codeUnsupported: statusUnprocessable,
	codeJSON: http.StatusBadRequest, codeUnauthorized: http.StatusUnauthorized, codeTokenReadonly: http.StatusUnauthorized,
	codeForbidden: http.StatusForbidden, codeLimitExceeded: http.StatusForbidden, codeNotFound: http.StatusNotFound,
	codeMethodNotAllowed: http.StatusMethodNotAllowed, codeUniqueness: http.StatusConflict, codeConflict: http.StatusConflict,
	codeDeprecated: http.StatusGone, codeResourceUnavailable: http.StatusPreconditionFailed, codeLocked: http.StatusLocked,
	codeProtected: http.StatusLocked, codeRateLimit: http.StatusTooManyRequests, codeServer: http.StatusInternalServerError,
	codeUnavailable: http.StatusServiceUnavailable, codeTimeout: http.StatusGatewayTimeout,
}

// codes are those of the cloud's codes.
var codes = map[simcloud.Code]string{
	simcloud.Invalid: codeInvalidInput, simcloud.Unauthenticated: codeUnauthorized, simcloud.Forbidden: codeForbidden,
	simcloud.NotFound: codeNotFound, simcloud.AlreadyExists: codeUniqueness, simcloud.InUse: codeInUse,
	simcloud.Protected: codeProtected, simcloud.Conflict: codeConflict, simcloud.Locked: codeLocked,
	simcloud.QuotaExceeded: codeLimitExceeded, simcloud.Capacity: codeResourceUnavailable, simcloud.RateLimited: codeRateLimit,
	simcloud.Unavailable: codeUnavailable, simcloud.Timeout: codeTimeout, simcloud.Unimplemented: codeUnsupported,
}

// ended is an operation of the cloud and the code that it ended in.
type ended struct {
	operation string
	code      simcloud.Code
}

// special are the codes that mean something else after certain operations.
var special = map[ended]string{
	{"CreateListener", simcloud.AlreadyExists}:            codePortUsed,
	{"CreateListener", simcloud.Capacity}:                 codeLimitExceeded,
	{"CreateTarget", simcloud.AlreadyExists}:              codeTargetDefined,
	{"CreateTarget", simcloud.Capacity}:                   codeLimitExceeded,
	{"CreateRoute", simcloud.AlreadyExists}:               codeInvalidInput,
	{"CreateRoute", simcloud.Capacity}:                    codeLimitExceeded,
	{"CreateSubnet", simcloud.Conflict}:                   codeInvalidInput,
	{"AttachLoadBalancerNetwork", simcloud.AlreadyExists}: codeAlreadyAttached,
	{"AttachLoadBalancerNetwork", simcloud.Capacity}:      codeNoSubnet,
}

// failure is an error as Hetzner writes it.
type failure struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Details any    `json:"details"`

	status int
}

// refusal is the cause of an error that has a code of Hetzner's own.
type refusal struct {
	code    string
	status  int
	details any
}

func (r refusal) Error() string { return r.code }

// refuse returns an error with a code of Hetzner's own; code is what the journal has.
func refuse(code simcloud.Code, hetzners, format string, args ...any) error {
	return &simcloud.Error{Code: code, Message: fmt.Sprintf(format, args...), Err: refusal{code: hetzners}}
}

// unsupported is the error for what the dialect does not simulate.
func unsupported(format string, args ...any) error {
	return refuse(simcloud.Unimplemented, codeUnsupported, "simcloud does not simulate "+format, args...)
}

// failureOf is the error that a client gets; its status is 0 where that is a question of variants.
func failureOf(p edge.Problem) failure {
	f := failure{Code: codeOf(p), Message: p.Err.Message}
	var r refusal
	if errors.As(p.Err.Err, &r) {
		f.Code, f.status, f.Details = r.code, r.status, r.details
	}
	switch {
	case f.Code == codeInvalidInput:
		f.Message, f.Details = invalidInputOf(p.Err, p.Endpoint.Kind())
	case f.Code == codeUniqueness && f.Details == nil:
		f.Details = map[string]any{"fields": []map[string]string{{"name": nameField}}}
	case f.Code == codeLimitExceeded && f.Details == nil:
		f.Details = map[string]any{"limits": []map[string]string{{"name": limitOf(p.Err.Code)}}}
	case f.Code == codeServer && !p.Injected:
		f.Message = "an internal error has occurred"
	}
	switch {
	case f.status != 0:
	case p.Status != 0:
		f.status = p.Status
	default:
		f.status = statuses[f.Code]
	}
	return f
}

// codeOf is the code for an error of the cloud.
func codeOf(p edge.Problem) string {
	code := p.Err.Code
	if other, ok := special[ended{p.Endpoint.Operation, code}]; ok {
		return other
	}
	if code == simcloud.Forbidden && !p.Injected && p.Endpoint.Write() {
		return codeTokenReadonly
	}
	if known, ok := codes[code]; ok {
		return known
	}
	return codeServer
}

func limitOf(code simcloud.Code) string {
	if code == simcloud.QuotaExceeded {
		return codeLimitProject
	}
	return codeLimitLoadBalancer
}

// badField is a field of a request and what is wrong with it.
type badField struct {
	Name     string   `json:"name"`
	Messages []string `json:"messages"`
}

// invalidInputOf is the message and the details of an invalid request.
func invalidInputOf(e *simcloud.Error, about simcloud.Kind) (message string, details any) {
	if len(e.Fields) == 0 {
		return e.Message, map[string]any{"fields": []badField{}}
	}
	var fields []badField
	var texts []string
	for _, f := range e.Fields {
		name := fieldName(f.Field, about)
		fields = append(fields, badField{name, []string{f.Detail}})
		texts = append(texts, fmt.Sprintf("%s '%s': [%s]", invalidInput, name, f.Detail))
	}
	return strings.Join(texts, ", "), map[string]any{"fields": fields}
}

// fieldNames has the names that fields of the cloud have in the API of Hetzner.
var fieldNames = map[string]string{
	"port": "listen_port", "targetPort": "destination_port", "proxyProtocol": "proxyprotocol", "instance": "server",
	"class": "load_balancer_type", "body": "certificate", "zone": "location", "nextHop": "gateway", "nextHop.address": "gateway",
	"cidr": "ip_range", "cidrs[0]": "ip_range", "selector": "label_selector", "userData": "user_data", "address": "ip",
	"healthCheck.port": "health_check.port", "healthCheck.path": "health_check.http.path",
	"ptrs":               "ip",
	"healthCheck.domain": "health_check.http.domain", "healthCheck.response": "health_check.http.response",
	"healthCheck.intervalSeconds": "health_check.interval", "healthCheck.timeoutSeconds": "health_check.timeout",
	"healthCheck.threshold": "health_check.retries", "healthCheck.protocol": "health_check.protocol",
}

// fieldName is the name that a field of a kind has in the API of Hetzner. Only that of
// instances is not called type there.
func fieldName(field string, of simcloud.Kind) string {
	if field == "type" && of == simcloud.KindInstance {
		return "server_type"
	}
	if name, ok := fieldNames[field]; ok {
		return name
	}
	if strings.HasPrefix(field, "ptrs[") {
		return "dns_ptr"
	}
	return field
}

// wrong is the error for one field of a request.
func wrong(field, format string, args ...any) error {
	return simcloud.InvalidFields("", []simcloud.FieldError{{Field: field, Detail: fmt.Sprintf(format, args...)}})
}
