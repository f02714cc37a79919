// Package elb is what the dialect of AWS has of the first edition of Elastic Load Balancing, classic load balancers, and
// what both editions share. A classic load balancer is one of the cloud; its name is its key. What the
// cloud does not know of it, such as the whole health check, is in labels.
package elb

import (
	"net/http"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/query"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/service"
)

// Scope is the service in the credentials of a signature, for both editions.
const Scope = "elasticloadbalancing"

// New describes the first edition: classic load balancers.
func New() *service.Service {
	return &service.Service{
		Name: "elb", Version: "2012-06-01", Namespace: "http://elasticloadbalancing.amazonaws.com/doc/2012-06-01/", Scope: Scope,
		Protocol: query.AWSQuery, Codes: codes(), Operations: operations(),
	}
}

// operations are the actions of the first edition that are simulated.
func operations() []service.Operation {
	return []service.Operation{
		{Name: "DescribeLoadBalancers", Core: "ListLoadBalancers", Named: named, Handle: service.Read(describe)},
		{Name: "CreateLoadBalancer", Core: "CreateLoadBalancer", Subject: subjectOf, Handle: service.Write(create)},
		{Name: "DeleteLoadBalancer", Core: "DeleteLoadBalancer", Named: named, Handle: service.Write(remove)},
		{Name: "CreateLoadBalancerListeners", Core: "CreateListener", Named: named, Handle: service.Write(createListeners)},
		{Name: "DeleteLoadBalancerListeners", Core: "DeleteListener", Named: named, Handle: service.Write(deleteListeners)},
		{Name: "RegisterInstancesWithLoadBalancer", Core: "CreateTarget", Named: named, Handle: service.Write(register)},
		{Name: "DeregisterInstancesFromLoadBalancer", Core: "DeleteTarget", Named: named, Handle: service.Write(deregister)},
		{Name: "ConfigureHealthCheck", Core: "UpdateListener", Named: named, Handle: service.Write(configureCheck)},
		{Name: "ApplySecurityGroupsToLoadBalancer", Core: "UpdateLoadBalancer", Named: named, Handle: service.Write(applyGroups)},
		{Name: "DescribeLoadBalancerAttributes", Core: "GetLoadBalancer", Named: named, Handle: service.Read(describeAttributes)},
		{Name: "ModifyLoadBalancerAttributes", Core: "UpdateLoadBalancer", Named: named, Handle: service.Write(modifyAttributes)},
		{Name: "CreateLoadBalancerPolicy", Core: "UpdateLoadBalancer", Named: named, Handle: service.Write(createPolicy)},
		{Name: "DescribeLoadBalancerPolicies", Core: "GetLoadBalancer", Named: named, Handle: service.Read(describePolicies)},
		{Name: "SetLoadBalancerPoliciesOfListener", Core: "UpdateListener", Named: named, Handle: service.Write(setListenerPolicies)},
		{Name: "SetLoadBalancerPoliciesForBackendServer", Core: "UpdateListener", Named: named, Handle: service.Write(setBackendPolicies)},
		{Name: "SetLoadBalancerListenerSSLCertificate", Core: "UpdateListener", Named: named, Handle: service.Write(setCertificate)},
		{Name: "AttachLoadBalancerToSubnets", Core: "UpdateLoadBalancer", Named: named, Handle: service.Write(attachSubnets)},
		{Name: "DetachLoadBalancerFromSubnets", Core: "UpdateLoadBalancer", Named: named, Handle: service.Write(detachSubnets)},
		{Name: "AddTags", Core: "UpdateLoadBalancer", Named: named, Handle: service.Write(addTags)},
		{Name: "RemoveTags", Core: "UpdateLoadBalancer", Named: named, Handle: service.Write(removeTags)},
		{Name: "DescribeTags", Core: "ListLoadBalancers", Named: named, Handle: service.Read(describeTags)},
		{Name: "DescribeInstanceHealth", Core: "GetLoadBalancer", Named: named, Handle: service.Read(describeHealth)},
	}
}

// codes are the errors of the first edition.
func codes() service.Codes {
	c := Codes()
	c.Ended[service.Ended{Operation: "CreateTarget", Code: simcloud.Invalid}] = service.Code{Code: "InvalidInstance"}
	c.Ended[service.Ended{Operation: "CreateTarget", Code: simcloud.Capacity}] = service.Code{Code: "TooManyTargets"}
	return c
}

// Codes are the errors that both editions have.
func Codes() service.Codes {
	unreadable := service.Code{Code: "ValidationError"}
	return service.Codes{
		General: map[simcloud.Code]service.Code{
			simcloud.Invalid:         {Code: "ValidationError"},
			simcloud.Unauthenticated: {Code: "InvalidClientTokenId", Status: http.StatusForbidden},
			service.Expired:          {Code: "ExpiredToken", Status: http.StatusForbidden},
			simcloud.Forbidden:       {Code: "AccessDenied", Status: http.StatusForbidden},
			simcloud.NotFound:        {Code: "LoadBalancerNotFound"},
			simcloud.AlreadyExists:   {Code: "DuplicateLoadBalancerName"},
			simcloud.InUse:           {Code: "ResourceInUse"},
			simcloud.Protected:       {Code: "OperationNotPermitted"},
			simcloud.Conflict:        {Code: "OperationNotPermitted"},
			simcloud.Locked:          {Code: "OperationNotPermitted"},
			simcloud.QuotaExceeded:   {Code: "TooManyLoadBalancers"},
			simcloud.Capacity:        {Code: "TooManyLoadBalancers"},
			simcloud.RateLimited:     {Code: "Throttling"},
			simcloud.Unavailable:     {Code: "ServiceUnavailable", Status: http.StatusServiceUnavailable},
			simcloud.Timeout:         {Status: http.StatusGatewayTimeout},
			simcloud.Unimplemented:   {Code: "InvalidAction"},
			simcloud.Internal:        {Code: "InternalFailure", Status: http.StatusInternalServerError},
		},
		Ended: map[service.Ended]service.Code{
			{Operation: "CreateListener", Code: simcloud.AlreadyExists}: {Code: "DuplicateListener"},
			{Operation: "CreateListener", Code: simcloud.Capacity}:      {Code: "TooManyListeners"},
			{Operation: "CreateListener", Code: simcloud.QuotaExceeded}: {Code: "TooManyListeners"},
		},
		Requests: map[query.Kind]service.Code{
			query.Malformed: {Code: "MalformedQueryString"}, query.Repeated: unreadable, query.Unknown: unreadable,
			query.Missing: unreadable, query.BadValue: unreadable,
		},
	}
}
