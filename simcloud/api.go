package simcloud

import "context"

// API is the cloud as its users see it. Package core implements it with the
// rules of the cloud, package client over HTTP; simtest.TestAPI is its
// specification and runs on both.
//
// Methods return an *Error with a Code, or the context's error. What a method
// returns is a copy. The caller of ctx (see [WithCaller]) sees the resources of
// its own project and those that all projects share; another project's are NotFound.
type API interface {
	RegionAPI
	NetworkAPI
	InstanceAPI
	LoadBalancerAPI
	FloatingIPAPI
	RouteTableAPI
	OperationAPI
	EventAPI
}

// RegionAPI is about where instances are and which sizes they have.
// Creating and deleting needs an admin.
type RegionAPI interface {
	ListRegions(ctx context.Context, opts ListOptions) (Page[Region], error)
	GetRegion(ctx context.Context, id ID) (Region, error)
	// CreateRegion answers AlreadyExists when the name is taken.
	CreateRegion(ctx context.Context, spec RegionSpec, opts ...CallOption) (Result[Region], error)
	// DeleteRegion answers InUse while the region has zones.
	DeleteRegion(ctx context.Context, id ID, opts ...CallOption) (Operation, error)

	ListZones(ctx context.Context, opts ListOptions) (Page[Zone], error)
	GetZone(ctx context.Context, id ID) (Zone, error)
	// CreateZone answers AlreadyExists when the name is taken.
	CreateZone(ctx context.Context, spec ZoneSpec, opts ...CallOption) (Result[Zone], error)
	// DeleteZone answers InUse while the zone has instances.
	DeleteZone(ctx context.Context, id ID, opts ...CallOption) (Operation, error)

	ListInstanceTypes(ctx context.Context, opts ListOptions) (Page[InstanceType], error)
	GetInstanceType(ctx context.Context, id ID) (InstanceType, error)
	// CreateInstanceType answers AlreadyExists when the name is taken.
	CreateInstanceType(ctx context.Context, spec InstanceTypeSpec, opts ...CallOption) (Result[InstanceType], error)
	// DeleteInstanceType answers InUse while instances have the type.
	DeleteInstanceType(ctx context.Context, id ID, opts ...CallOption) (Operation, error)
}

// NetworkAPI is about private networks.
type NetworkAPI interface {
	ListNetworks(ctx context.Context, opts ListOptions) (Page[Network], error)
	GetNetwork(ctx context.Context, id ID) (Network, error)
	CreateNetwork(ctx context.Context, spec NetworkSpec, opts ...CallOption) (Result[Network], error)
	// DeleteNetwork answers InUse while anything is in the network.
	DeleteNetwork(ctx context.Context, id ID, opts ...CallOption) (Operation, error)
}

// InstanceAPI is about virtual machines. A verb that the state does not allow
// answers Conflict, one that it already fulfils succeeds without a change.
type InstanceAPI interface {
	ListInstances(ctx context.Context, opts ListOptions) (Page[Instance], error)
	GetInstance(ctx context.Context, id ID) (Instance, error)
	CreateInstance(ctx context.Context, spec InstanceSpec, opts ...CallOption) (Result[Instance], error)
	UpdateInstance(ctx context.Context, id ID, update InstanceUpdate, opts ...CallOption) (Result[Instance], error)
	// DeleteInstance frees the instance's addresses and detaches its floating
	// IPs. Targets that are the instance stay, unhealthy, and routes to it
	// turn into blackholes, until whoever made them removes them.
	DeleteInstance(ctx context.Context, id ID, opts ...CallOption) (Operation, error)
	StartInstance(ctx context.Context, id ID, opts ...CallOption) (Result[Instance], error)
	StopInstance(ctx context.Context, id ID, opts ...CallOption) (Result[Instance], error)
	RebootInstance(ctx context.Context, id ID, opts ...CallOption) (Result[Instance], error)
	// RecreateInstance replaces the instance by a new one with the same name,
	// type, zone, network and labels, and another id and other addresses.
	RecreateInstance(ctx context.Context, id ID, opts ...CallOption) (Result[Instance], error)
}

// LoadBalancerAPI is about load balancers, their listeners and their targets.
type LoadBalancerAPI interface {
	ListLoadBalancers(ctx context.Context, opts ListOptions) (Page[LoadBalancer], error)
	GetLoadBalancer(ctx context.Context, id ID) (LoadBalancer, error)
	CreateLoadBalancer(ctx context.Context, spec LoadBalancerSpec, opts ...CallOption) (Result[LoadBalancer], error)
	UpdateLoadBalancer(ctx context.Context, id ID, update LoadBalancerUpdate, opts ...CallOption) (Result[LoadBalancer], error)
	// DeleteLoadBalancer detaches its floating IPs; they stay.
	DeleteLoadBalancer(ctx context.Context, id ID, opts ...CallOption) (Operation, error)

	// CreateListener answers AlreadyExists when the protocol and port are taken.
	CreateListener(ctx context.Context, lb ID, spec ListenerSpec, opts ...CallOption) (Result[LoadBalancer], error)
	// UpdateListener replaces the whole configuration of a listener.
	UpdateListener(ctx context.Context, lb, listener ID, config ListenerConfig, opts ...CallOption) (Result[LoadBalancer], error)
	DeleteListener(ctx context.Context, lb, listener ID, opts ...CallOption) (Result[LoadBalancer], error)

	// CreateTarget answers AlreadyExists when the instance is a target, and
	// Invalid when there is no such instance.
	CreateTarget(ctx context.Context, lb ID, spec TargetSpec, opts ...CallOption) (Result[LoadBalancer], error)
	// DeleteTarget removes the target that is this instance.
	DeleteTarget(ctx context.Context, lb, instance ID, opts ...CallOption) (Result[LoadBalancer], error)
}

// FloatingIPAPI is about public addresses.
type FloatingIPAPI interface {
	ListFloatingIPs(ctx context.Context, opts ListOptions) (Page[FloatingIP], error)
	GetFloatingIP(ctx context.Context, id ID) (FloatingIP, error)
	CreateFloatingIP(ctx context.Context, spec FloatingIPSpec, opts ...CallOption) (Result[FloatingIP], error)
	UpdateFloatingIP(ctx context.Context, id ID, update FloatingIPUpdate, opts ...CallOption) (Result[FloatingIP], error)
	// DeleteFloatingIP answers InUse while it is attached.
	DeleteFloatingIP(ctx context.Context, id ID, opts ...CallOption) (Operation, error)
	// AttachFloatingIP answers InUse when it is attached to something else.
	AttachFloatingIP(ctx context.Context, id ID, to Attachment, opts ...CallOption) (Result[FloatingIP], error)
	// DetachFloatingIP succeeds without a change when it is not attached.
	DetachFloatingIP(ctx context.Context, id ID, opts ...CallOption) (Result[FloatingIP], error)
}

// RouteTableAPI is about route tables and their routes.
type RouteTableAPI interface {
	ListRouteTables(ctx context.Context, opts ListOptions) (Page[RouteTable], error)
	GetRouteTable(ctx context.Context, id ID) (RouteTable, error)
	CreateRouteTable(ctx context.Context, spec RouteTableSpec, opts ...CallOption) (Result[RouteTable], error)
	UpdateRouteTable(ctx context.Context, id ID, update RouteTableUpdate, opts ...CallOption) (Result[RouteTable], error)
	// DeleteRouteTable answers InUse while it has routes.
	DeleteRouteTable(ctx context.Context, id ID, opts ...CallOption) (Operation, error)

	// CreateRoute answers AlreadyExists when the destination is taken, and Capacity when the table is full.
	CreateRoute(ctx context.Context, table ID, spec RouteSpec, opts ...CallOption) (Result[RouteTable], error)
	DeleteRoute(ctx context.Context, table, route ID, opts ...CallOption) (Result[RouteTable], error)
}

// OperationAPI is about changes under way.
type OperationAPI interface {
	ListOperations(ctx context.Context, opts ListOptions) (Page[Operation], error)
	GetOperation(ctx context.Context, id ID) (Operation, error)
	// WaitOperation returns the operation once it is done, failed or
	// cancelled. While the cloud's clock stands still that is until ctx ends.
	WaitOperation(ctx context.Context, id ID) (Operation, error)
}
