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
		{Name: "DescribeInstances", Core: "ListInstances", About: aboutInstances, Named: namedInstances, Handle: service.Remember(describeInstances, describeInstancesRequest.one)},
		{Name: "DescribeInstanceTopology", Core: "ListInstances", Named: namedInstances, Handle: service.Read(describeTopology), Standing: dialect.Derived},
		{Name: "DescribeAvailabilityZones", Core: "ListZones", Handle: service.Read(describeZones)},
		{Name: "DescribeVpcs", Core: "ListNetworks", Handle: service.Read(describeVPCs)},
		{Name: "DescribeSubnets", Core: "ListSubnets", Handle: service.Read(describeSubnets), Standing: dialect.Derived},
		{Name: "DescribeRouteTables", Core: "ListRouteTables", Handle: service.Read(describeRouteTables)},
		{Name: "DescribeSecurityGroups", Core: "ListSecurityGroups", About: aboutGroups, Handle: service.Read(describeGroups)},
		{Name: "CreateSecurityGroup", Core: "CreateSecurityGroup", Subject: groupSubject, Handle: service.Write(createGroup)},
		{Name: "DeleteSecurityGroup", Core: "DeleteSecurityGroup", About: aboutGroup("DeleteSecurityGroup"), Handle: service.Write(deleteGroup)},
		{Name: "AuthorizeSecurityGroupIngress", Core: "AddSecurityGroupRules", About: aboutGroup("AddSecurityGroupRules"), Handle: service.Write(authorize)},
		{Name: "RevokeSecurityGroupIngress", Core: "RemoveSecurityGroupRules", About: aboutGroup("RemoveSecurityGroupRules"), Handle: service.Write(revoke)},
		{Name: "RunInstances", Core: "CreateInstance", Subject: instanceSubject, Handle: service.Write(runInstances)},
		{Name: "StartInstances", Core: "StartInstance", About: aboutState("StartInstance"), Named: namedInstances, Handle: service.Write(startInstances)},
		{Name: "StopInstances", Core: "StopInstance", About: aboutState("StopInstance"), Named: namedInstances, Handle: service.Write(stopInstances)},
		{Name: "RebootInstances", Core: "RebootInstance", About: aboutState("RebootInstance"), Named: namedInstances, Handle: service.Write(rebootInstances)},
		{Name: "TerminateInstances", Core: "DeleteInstance", About: aboutState("DeleteInstance"), Named: namedInstances, Handle: service.Write(terminateInstances)},
		{Name: "CreateTags", Core: "UpdateInstance", About: aboutTags, Named: namedWithTags, Handle: service.Write(createTags)},
		{Name: "DeleteTags", Core: "UpdateInstance", About: aboutTags, Named: namedWithTags, Handle: service.Write(deleteTags)},
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
		"AttachVolume", "AuthorizeSecurityGroupEgress", "CreateSubnet", "CreateVolume", "CreateVpc",
		"DescribeSecurityGroupRules", "DescribeTags", "DescribeVolumes", "ReplaceRoute", "RevokeSecurityGroupEgress",
	}
}

// codes are EC2's errors.
func codes() service.Codes {
	limit, rules := service.Code{Code: "RouteLimitExceeded"}, service.Code{Code: "RulesPerSecurityGroupLimitExceeded"}
	state := service.Code{Code: "IncorrectInstanceState"}
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
			simcloud.KindFloatingIP: "InvalidAllocationID.NotFound", simcloud.KindSecurityGroup: "InvalidGroup.NotFound",
		},
		Ended: map[service.Ended]service.Code{
			{Operation: "CreateRoute", Code: simcloud.AlreadyExists}:      {Code: "RouteAlreadyExists"},
			{Operation: "CreateRoute", Code: simcloud.Capacity}:           limit,
			{Operation: "CreateRoute", Code: simcloud.QuotaExceeded}:      limit,
			{Operation: "DeleteRoute", Code: simcloud.NotFound}:           {Code: "InvalidRoute.NotFound"},
			{Operation: "UpdateInstance", Code: simcloud.Conflict}:        state,
			{Operation: "UpdateInstance", Code: simcloud.Locked}:          state,
			{Operation: "CreateInstance", Code: simcloud.QuotaExceeded}:   {Code: "InstanceLimitExceeded"},
			{Operation: "StartInstance", Code: simcloud.Conflict}:         state,
			{Operation: "StartInstance", Code: simcloud.Locked}:           state,
			{Operation: "StopInstance", Code: simcloud.Conflict}:          state,
			{Operation: "StopInstance", Code: simcloud.Locked}:            state,
			{Operation: "RebootInstance", Code: simcloud.Conflict}:        state,
			{Operation: "RebootInstance", Code: simcloud.Locked}:          state,
			{Operation: "DeleteInstance", Code: simcloud.Conflict}:        state,
			{Operation: "DeleteInstance", Code: simcloud.Locked}:          state,
			{Operation: "CreateFloatingIP", Code: simcloud.QuotaExceeded}: {Code: "AddressLimitExceeded"},
			{Operation: "CreateFloatingIP", Code: simcloud.Capacity}:      {Code: "InsufficientAddressCapacity"},
			{Operation: "AttachFloatingIP", Code: simcloud.InUse}:         {Code: "Resource.AlreadyAssociated"},
			{Operation: "DeleteFloatingIP", Code: simcloud.InUse}:         {Code: "InvalidIPAddress.InUse"},

			{Operation: "CreateSecurityGroup", Code: simcloud.AlreadyExists}:   {Code: "InvalidGroup.Duplicate"},
			{Operation: "CreateSecurityGroup", Code: simcloud.QuotaExceeded}:   {Code: "SecurityGroupLimitExceeded"},
			{Operation: "CreateSecurityGroup", Code: simcloud.Capacity}:        {Code: "SecurityGroupLimitExceeded"},
			{Operation: "AddSecurityGroupRules", Code: simcloud.AlreadyExists}: {Code: "InvalidPermission.Duplicate"},
			{Operation: "AddSecurityGroupRules", Code: simcloud.QuotaExceeded}: rules,
			{Operation: "AddSecurityGroupRules", Code: simcloud.Capacity}:      rules,
		},
		Requests: map[query.Kind]service.Code{
			query.Malformed: {Code: "MalformedQueryString"}, query.Repeated: {Code: "InvalidQueryParameter"},
			query.Unknown: {Code: "UnknownParameter"}, query.Missing: {Code: "MissingParameter"}, query.BadValue: {Code: "InvalidParameterValue"},
		},
		Fields: map[string]string{
			"destination": "DestinationCidrBlock", "nextHop": "InstanceId", "nextHop.instance": "InstanceId",
			"name": "GroupName", "description": "GroupDescription", "type": "InstanceType", "privateAddress": "PrivateIpAddress", "zone": "Placement.AvailabilityZone",
		},
	}
}
