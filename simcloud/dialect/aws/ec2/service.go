// Package ec2 is what the dialect of AWS has of EC2: the machines, places, networks and routes that a CCM asks for.
package ec2

import (
	"net/http"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/query"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/service"
)

// New describes EC2.
func New() *service.Service {
	return &service.Service{
		Name: "ec2", Version: "2016-11-15", Namespace: "http://ec2.amazonaws.com/doc/2016-11-15/", Scope: "ec2", DryRun: true,
		Protocol: query.EC2Query, Codes: codes(), Operations: operations(), Unsupported: unsupported(),
	}
}

// operations are the actions that are simulated.
func operations() []service.Operation {
	return []service.Operation{
		{Name: "DescribeInstances", Core: "ListInstances", About: aboutInstances, Handle: service.Remember(describeInstances, describeInstancesRequest.one)},
		{Name: "DescribeInstanceTopology", Core: "ListInstances", Handle: service.Read(describeTopology), Standing: dialect.Derived},
		{Name: "DescribeAvailabilityZones", Core: "ListZones", Handle: service.Read(describeZones)},
		{Name: "DescribeVpcs", Core: "ListNetworks", Handle: service.Read(describeVPCs)},
		{Name: "DescribeSubnets", Core: "ListSubnets", Handle: service.Read(describeSubnets), Standing: dialect.Derived},
		{Name: "DescribeRouteTables", Core: "ListRouteTables", Handle: service.Read(describeRouteTables)},
		{Name: "DescribeSecurityGroups", Core: "ListLoadBalancers", Handle: service.Read(describeGroups), Standing: dialect.Derived},
		{Name: "CreateRoute", Core: "CreateRoute", About: aboutTable, Handle: service.Write(createRoute)},
		{Name: "DeleteRoute", Core: "DeleteRoute", About: aboutTable, Handle: service.Write(deleteRoute)},
		{Name: "ModifyInstanceAttribute", Core: "UpdateInstance", About: aboutAttribute, Handle: service.Write(modifyInstanceAttribute)},
		{Name: "DescribeRegions", Core: "ListRegions", Handle: service.Read(describeRegions)},
		{Name: "DescribeInstanceTypes", Core: "ListInstanceTypes", Handle: service.Read(describeInstanceTypes)},
		{Name: "DescribeNetworkInterfaces", Core: "ListInstances", Handle: service.Read(describeInterfaces), Standing: dialect.Derived},
		{Name: "DescribeAddresses", Core: "ListFloatingIPs", Handle: service.Read(describeAddresses)},
		{Name: "AllocateAddress", Core: "CreateFloatingIP", Handle: service.Write(allocateAddress)},
		{Name: "AssociateAddress", Core: "AttachFloatingIP", About: aboutAddress, Handle: service.Write(associateAddress)},
		{Name: "DisassociateAddress", Core: "DetachFloatingIP", About: aboutAddress, Handle: service.Write(disassociateAddress)},
		{Name: "ReleaseAddress", Core: "DeleteFloatingIP", About: aboutAddress, Handle: service.Write(releaseAddress)},
	}
}

// unsupported are the actions that CCMs and their controllers call besides.
func unsupported() []string {
	return []string{
		"AuthorizeSecurityGroupIngress", "CreateSecurityGroup", "CreateTags", "DeleteSecurityGroup", "DeleteTags",
		"RevokeSecurityGroupIngress", "AttachVolume", "CreateSubnet", "CreateVolume", "CreateVpc", "DescribeVolumes", "ReplaceRoute", "RunInstances", "StartInstances",
		"StopInstances", "TerminateInstances",
	}
}

// codes are EC2's errors.
func codes() service.Codes {
	limit := service.Code{Code: "RouteLimitExceeded"}
	return service.Codes{
		General: map[simcloud.Code]service.Code{
			simcloud.Invalid:         {Code: "InvalidParameterValue"},
			simcloud.Unauthenticated: {Code: "AuthFailure", Status: http.StatusUnauthorized},
			service.Expired:          {Code: "RequestExpired"},
			simcloud.Forbidden:       {Code: "UnauthorizedOperation", Status: http.StatusForbidden},
			simcloud.NotFound:        {Code: "InvalidParameterValue"},
			simcloud.AlreadyExists:   {Code: "ResourceAlreadyExists"},
			simcloud.InUse:           {Code: "DependencyViolation"},
			simcloud.Protected:       {Code: "OperationNotPermitted"},
			simcloud.Conflict:        {Code: "IncorrectState"},
			simcloud.Locked:          {Code: "IncorrectState"},
			simcloud.QuotaExceeded:   {Code: "ResourceLimitExceeded"},
			simcloud.Capacity:        {Code: "InsufficientInstanceCapacity", Status: http.StatusInternalServerError},
			simcloud.RateLimited:     {Code: "RequestLimitExceeded", Status: http.StatusServiceUnavailable},
			simcloud.Unavailable:     {Code: "Unavailable", Status: http.StatusServiceUnavailable},
			simcloud.Timeout:         {Status: http.StatusGatewayTimeout},
			simcloud.Unimplemented:   {Code: "InvalidAction"},
			simcloud.Internal:        {Code: "InternalError", Status: http.StatusInternalServerError},
		},
		Missing: map[simcloud.Kind]string{
			simcloud.KindInstance: "InvalidInstanceID.NotFound", simcloud.KindSubnet: "InvalidSubnetID.NotFound",
			simcloud.KindNetwork: "InvalidVpcID.NotFound", simcloud.KindRouteTable: "InvalidRouteTableID.NotFound",
			simcloud.KindFloatingIP: "InvalidAllocationID.NotFound",
		},
		Ended: map[service.Ended]service.Code{
			{Operation: "CreateRoute", Code: simcloud.AlreadyExists}:      {Code: "RouteAlreadyExists"},
			{Operation: "CreateRoute", Code: simcloud.Capacity}:           limit,
			{Operation: "CreateRoute", Code: simcloud.QuotaExceeded}:      limit,
			{Operation: "DeleteRoute", Code: simcloud.NotFound}:           {Code: "InvalidRoute.NotFound"},
			{Operation: "UpdateInstance", Code: simcloud.Conflict}:        {Code: "IncorrectInstanceState"},
			{Operation: "CreateFloatingIP", Code: simcloud.QuotaExceeded}: {Code: "AddressLimitExceeded"},
			{Operation: "CreateFloatingIP", Code: simcloud.Capacity}:      {Code: "InsufficientAddressCapacity"},
			{Operation: "AttachFloatingIP", Code: simcloud.InUse}:         {Code: "Resource.AlreadyAssociated"},
			{Operation: "DeleteFloatingIP", Code: simcloud.InUse}:         {Code: "InvalidIPAddress.InUse"},
			{Operation: "UpdateInstance", Code: simcloud.Locked}:          {Code: "IncorrectInstanceState"},
		},
		Requests: map[query.Kind]service.Code{
			query.Malformed: {Code: "MalformedQueryString"}, query.Repeated: {Code: "InvalidQueryParameter"},
			query.Unknown: {Code: "UnknownParameter"}, query.Missing: {Code: "MissingParameter"}, query.BadValue: {Code: "InvalidParameterValue"},
		},
		Fields: map[string]string{
			"destination": "DestinationCidrBlock", "nextHop": "InstanceId", "nextHop.instance": "InstanceId",
		},
	}
}
