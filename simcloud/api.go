package simcloud

import "context"

// API is the cloud as its users see it. Package core implements it with the
// rules of the cloud, package client over HTTP; TestAPI of simtest/spec is its
// specification and runs on both.
//
// Methods return an *Error with a Code, or the context's error. What a method
// returns is a copy. The caller of ctx (see [WithCaller]) sees the resources of
// its own project and those that all projects share; another project's are NotFound.
type API interface {
	ProjectAPI
	RegionAPI
	NetworkAPI
	InstanceAPI
	VolumeAPI
	SSHKeyAPI
	LoadBalancerAPI
	FloatingIPAPI
	RouteTableAPI
	ClusterAPI
	DocumentAPI
	SecurityGroupAPI
	TargetGroupAPI
	OperationAPI
	EventAPI
}

// ProjectAPI is about projects, who may act for them and how much they may have.
// All of it needs an admin, who sees those of all projects, but for reading
// the caller's own project and its quotas.
type ProjectAPI interface {
	ListProjects(ctx context.Context, opts ListOptions) (Page[Project], error)
	GetProject(ctx context.Context, id ID) (Project, error)
	// CreateProject answers AlreadyExists when the name is taken.
	CreateProject(ctx context.Context, spec ProjectSpec, opts ...CallOption) (Result[Project], error)
	UpdateProject(ctx context.Context, id ID, update ProjectUpdate, opts ...CallOption) (Result[Project], error)
	// DeleteProject answers InUse while the project has resources or active
	// tokens; the others are deleted with it. The default project stays: Conflict.
	DeleteProject(ctx context.Context, id ID, opts ...CallOption) (Operation, error)

	ListTokens(ctx context.Context, opts ListOptions) (Page[Token], error)
	GetToken(ctx context.Context, id ID) (Token, error)
	// CreateToken answers the token with its secret, which cannot be read again.
	CreateToken(ctx context.Context, spec TokenSpec, opts ...CallOption) (Result[Token], error)
	// RotateToken gives the token a new secret, which it answers. A revoked token answers Conflict,
	// and so does a lifetime that ends an admin's token earlier, while no other one lasts as long.
	RotateToken(ctx context.Context, id ID, rotation TokenRotation, opts ...CallOption) (Result[Token], error)
	// RevokeToken ends the token at once and for good; it stays in lists. An
	// admin's token can be revoked or deleted only while another active one
	// lasts at least as long: otherwise Conflict.
	RevokeToken(ctx context.Context, id ID, opts ...CallOption) (Result[Token], error)
	DeleteToken(ctx context.Context, id ID, opts ...CallOption) (Operation, error)

	ListQuotas(ctx context.Context, opts ListOptions) (Page[Quota], error)
	GetQuota(ctx context.Context, id ID) (Quota, error)
	// SetQuota sets a limit, also one below what there is. What would go beyond
	// it answers QuotaExceeded: creates and resizes, and a RecreateInstance whose old one is still going.
	SetQuota(ctx context.Context, id ID, spec QuotaSpec, opts ...CallOption) (Result[Quota], error)
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
	UpdateZone(ctx context.Context, id ID, update ZoneUpdate, opts ...CallOption) (Result[Zone], error)
	// SetZoneState takes a zone down or brings it up again, with all that follows for what is in it.
	SetZoneState(ctx context.Context, id ID, spec ZoneStateSpec, opts ...CallOption) (Result[Zone], error)
	// DeleteZone answers InUse while anything is in the zone.
	DeleteZone(ctx context.Context, id ID, opts ...CallOption) (Operation, error)

	ListInstanceTypes(ctx context.Context, opts ListOptions) (Page[InstanceType], error)
	GetInstanceType(ctx context.Context, id ID) (InstanceType, error)
	// CreateInstanceType answers AlreadyExists when the name is taken.
	CreateInstanceType(ctx context.Context, spec InstanceTypeSpec, opts ...CallOption) (Result[InstanceType], error)
	// DeleteInstanceType answers InUse while instances have the type.
	DeleteInstanceType(ctx context.Context, id ID, opts ...CallOption) (Operation, error)
}

// NetworkAPI is about private networks and their subnets.
type NetworkAPI interface {
	ListNetworks(ctx context.Context, opts ListOptions) (Page[Network], error)
	GetNetwork(ctx context.Context, id ID) (Network, error)
	CreateNetwork(ctx context.Context, spec NetworkSpec, opts ...CallOption) (Result[Network], error)
	UpdateNetwork(ctx context.Context, id ID, update NetworkUpdate, opts ...CallOption) (Result[Network], error)
	// DeleteNetwork answers InUse while anything is in the network.
	DeleteNetwork(ctx context.Context, id ID, opts ...CallOption) (Operation, error)

	ListSubnets(ctx context.Context, opts ListOptions) (Page[Subnet], error)
	GetSubnet(ctx context.Context, id ID) (Subnet, error)
	// CreateSubnet answers Conflict when the range overlaps that of another
	// subnet of the network, or has addresses in use that the network handed out.
	CreateSubnet(ctx context.Context, spec SubnetSpec, opts ...CallOption) (Result[Subnet], error)
	// UpdateSubnet changes its name and its labels; the range and the zone stay.
	UpdateSubnet(ctx context.Context, id ID, update SubnetUpdate, opts ...CallOption) (Result[Subnet], error)
	// DeleteSubnet answers InUse while anything is in the subnet.
	DeleteSubnet(ctx context.Context, id ID, opts ...CallOption) (Operation, error)
}

// InstanceAPI is about virtual machines. A verb that the state does not allow
// answers Conflict, one that it already fulfils succeeds without a change.
type InstanceAPI interface {
	ListInstances(ctx context.Context, opts ListOptions) (Page[Instance], error)
	GetInstance(ctx context.Context, id ID) (Instance, error)
	CreateInstance(ctx context.Context, spec InstanceSpec, opts ...CallOption) (Result[Instance], error)
	UpdateInstance(ctx context.Context, id ID, update InstanceUpdate, opts ...CallOption) (Result[Instance], error)
	// DeleteInstance frees the instance's addresses and detaches its floating
	// IPs and volumes. Targets that are the instance stay, unhealthy, and routes to it
	// turn into blackholes, until whoever made them removes them.
	DeleteInstance(ctx context.Context, id ID, opts ...CallOption) (Operation, error)
	StartInstance(ctx context.Context, id ID, opts ...CallOption) (Result[Instance], error)
	StopInstance(ctx context.Context, id ID, opts ...CallOption) (Result[Instance], error)
	RebootInstance(ctx context.Context, id ID, opts ...CallOption) (Result[Instance], error)
	// RecreateInstance replaces the instance by a new one with the same name,
	// type, zone, network and labels, and another id and other addresses.
	RecreateInstance(ctx context.Context, id ID, opts ...CallOption) (Result[Instance], error)
	// RebuildInstance reinstalls the machine: it keeps its id, addresses and
	// volumes, and runs again from its user data and keys.
	RebuildInstance(ctx context.Context, id ID, rebuild InstanceRebuild, opts ...CallOption) (Result[Instance], error)
	// ResizeInstance gives a stopped instance another type.
	ResizeInstance(ctx context.Context, id ID, resize InstanceResize, opts ...CallOption) (Result[Instance], error)
	// MigrateInstance moves the instance to another zone of its region; it ends
	// in the state that it had. Volumes stay in their zone, so an instance that
	// has any answers Conflict.
	MigrateInstance(ctx context.Context, id ID, migration InstanceMigration, opts ...CallOption) (Result[Instance], error)
	// SuspendInstance halts a running instance; StartInstance lets it go on.
	SuspendInstance(ctx context.Context, id ID, opts ...CallOption) (Result[Instance], error)
	// AttachInstanceNetwork attaches the instance to one more network, of which it gets an address of each family. It
	// answers AlreadyExists when it is in the network or the address is taken, Conflict when the network overlaps one
	// that it is in, and Capacity when no address is free.
	AttachInstanceNetwork(ctx context.Context, id ID, to NetworkAttachment, opts ...CallOption) (Result[Instance], error)
	// DetachInstanceNetwork takes all addresses of a network from the instance, and drops it from the load balancers
	// that reached it there. It answers NotFound when the instance is not in the network, and Conflict for its own one.
	DetachInstanceNetwork(ctx context.Context, id, network ID, opts ...CallOption) (Result[Instance], error)
	// AddInstanceAddress gives the instance one more address. A public one can be of either family, a private one of the families that
	// its network has.
	AddInstanceAddress(ctx context.Context, id ID, spec AddressSpec, opts ...CallOption) (Result[Instance], error)
	// RemoveInstanceAddress takes an address away, also the first ones. The
	// last private one of an instance stays: Conflict.
	RemoveInstanceAddress(ctx context.Context, id ID, address ID, opts ...CallOption) (Result[Instance], error)
}

// VolumeAPI is about volumes.
type VolumeAPI interface {
	ListVolumes(ctx context.Context, opts ListOptions) (Page[Volume], error)
	GetVolume(ctx context.Context, id ID) (Volume, error)
	CreateVolume(ctx context.Context, spec VolumeSpec, opts ...CallOption) (Result[Volume], error)
	UpdateVolume(ctx context.Context, id ID, update VolumeUpdate, opts ...CallOption) (Result[Volume], error)
	// DeleteVolume answers InUse while it is attached.
	DeleteVolume(ctx context.Context, id ID, opts ...CallOption) (Operation, error)
	// AttachVolume answers InUse when another instance has the volume, Conflict
	// when the instance is in another zone, AlreadyExists when its device is
	// taken, and Capacity when it has no device left.
	AttachVolume(ctx context.Context, id ID, to VolumeAttachment, opts ...CallOption) (Result[Volume], error)
	// DetachVolume succeeds without a change when it is not attached.
	DetachVolume(ctx context.Context, id ID, opts ...CallOption) (Result[Volume], error)
	// ResizeVolume lets the volume grow, attached or not.
	ResizeVolume(ctx context.Context, id ID, resize VolumeResize, opts ...CallOption) (Result[Volume], error)
}

// SSHKeyAPI is about the keys that instances let in.
type SSHKeyAPI interface {
	ListSSHKeys(ctx context.Context, opts ListOptions) (Page[SSHKey], error)
	GetSSHKey(ctx context.Context, id ID) (SSHKey, error)
	// CreateSSHKey answers AlreadyExists when the project has the key.
	CreateSSHKey(ctx context.Context, spec SSHKeySpec, opts ...CallOption) (Result[SSHKey], error)
	UpdateSSHKey(ctx context.Context, id ID, update SSHKeyUpdate, opts ...CallOption) (Result[SSHKey], error)
	// DeleteSSHKey answers InUse while instances have the key.
	DeleteSSHKey(ctx context.Context, id ID, opts ...CallOption) (Operation, error)
	// AttachSSHKey adds the key to instances that do not have it; to all or to
	// none. Capacity: one of them has MaxSSHKeys.
	AttachSSHKey(ctx context.Context, id ID, to SSHKeyTargets, opts ...CallOption) (Result[SSHKey], error)
	// DetachSSHKey takes the key from instances that have it.
	DetachSSHKey(ctx context.Context, id ID, from SSHKeyTargets, opts ...CallOption) (Result[SSHKey], error)
}

// LoadBalancerAPI is about load balancers, their listeners and their targets.
type LoadBalancerAPI interface {
	ListLoadBalancers(ctx context.Context, opts ListOptions) (Page[LoadBalancer], error)
	GetLoadBalancer(ctx context.Context, id ID) (LoadBalancer, error)
	CreateLoadBalancer(ctx context.Context, spec LoadBalancerSpec, opts ...CallOption) (Result[LoadBalancer], error)
	UpdateLoadBalancer(ctx context.Context, id ID, update LoadBalancerUpdate, opts ...CallOption) (Result[LoadBalancer], error)
	// DeleteLoadBalancer detaches its floating IPs; they stay. The target groups that are part of it are deleted with it.
	DeleteLoadBalancer(ctx context.Context, id ID, opts ...CallOption) (Operation, error)
	// FailoverLoadBalancer replaces the machines behind the load balancer; it
	// keeps its configuration and addresses. One in error becomes active; until
	// then every other change of it but its deletion answers Conflict.
	FailoverLoadBalancer(ctx context.Context, id ID, opts ...CallOption) (Result[LoadBalancer], error)
	// AttachLoadBalancerNetwork gives the load balancer addresses of a network
	// beside those that it has. It answers AlreadyExists when it is attached to the
	// network or the address is taken, and Capacity when no address is free.
	AttachLoadBalancerNetwork(ctx context.Context, id ID, to NetworkAttachment, opts ...CallOption) (Result[LoadBalancer], error)
	// DetachLoadBalancerNetwork frees the addresses of a network, and drops the
	// targets that are reached by private addresses of it. It answers NotFound when the load balancer is not attached to the network, and Conflict
	// for the network of an internal one.
	DetachLoadBalancerNetwork(ctx context.Context, id, network ID, opts ...CallOption) (Result[LoadBalancer], error)

	// CreateListener answers AlreadyExists when the protocol and port are taken.
	CreateListener(ctx context.Context, lb ID, spec ListenerSpec, opts ...CallOption) (Result[LoadBalancer], error)
	// UpdateListener replaces the whole configuration of a listener.
	UpdateListener(ctx context.Context, lb, listener ID, config ListenerConfig, opts ...CallOption) (Result[LoadBalancer], error)
	DeleteListener(ctx context.Context, lb, listener ID, opts ...CallOption) (Result[LoadBalancer], error)

	// CreateTarget answers AlreadyExists when the instance or address is a target, Invalid when
	// there is no such instance, and Conflict when no way leads to it: see TargetSpec.UsePrivateIP.
	CreateTarget(ctx context.Context, lb ID, spec TargetSpec, opts ...CallOption) (Result[LoadBalancer], error)
	// DeleteTarget removes the target that is this instance, or has this address.
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

	ListFloatingIPPools(ctx context.Context, opts ListOptions) (Page[FloatingIPPool], error)
	GetFloatingIPPool(ctx context.Context, id ID) (FloatingIPPool, error)
	// CreateFloatingIPPool needs an admin. It answers AlreadyExists when the
	// name is taken, and Conflict when the range overlaps another pool.
	CreateFloatingIPPool(ctx context.Context, spec FloatingIPPoolSpec, opts ...CallOption) (Result[FloatingIPPool], error)
	// DeleteFloatingIPPool needs an admin. It answers InUse while floating IPs are from the pool.
	DeleteFloatingIPPool(ctx context.Context, id ID, opts ...CallOption) (Operation, error)
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

// ClusterAPI is about the Kubernetes clusters that the cloud has been told of.
type ClusterAPI interface {
	ListClusters(ctx context.Context, opts ListOptions) (Page[Cluster], error)
	GetCluster(ctx context.Context, id ID) (Cluster, error)
	// CreateCluster answers AlreadyExists when the project has one of that name.
	CreateCluster(ctx context.Context, spec ClusterSpec, opts ...CallOption) (Result[Cluster], error)
	UpdateCluster(ctx context.Context, id ID, update ClusterUpdate, opts ...CallOption) (Result[Cluster], error)
	DeleteCluster(ctx context.Context, id ID, opts ...CallOption) (Operation, error)
}

// DocumentAPI is about what dialects keep in the cloud.
type DocumentAPI interface {
	ListDocuments(ctx context.Context, opts ListOptions) (Page[Document], error)
	GetDocument(ctx context.Context, id ID) (Document, error)
	// CreateDocument answers AlreadyExists when the project has a document of that dialect, type and name.
	CreateDocument(ctx context.Context, spec DocumentSpec, opts ...CallOption) (Result[Document], error)
	UpdateDocument(ctx context.Context, id ID, update DocumentUpdate, opts ...CallOption) (Result[Document], error)
	// DeleteDocument answers InUse while a listener has the document.
	DeleteDocument(ctx context.Context, id ID, opts ...CallOption) (Operation, error)
}

// SecurityGroupAPI is about security groups and their rules.
type SecurityGroupAPI interface {
	ListSecurityGroups(ctx context.Context, opts ListOptions) (Page[SecurityGroup], error)
	GetSecurityGroup(ctx context.Context, id ID) (SecurityGroup, error)
	// CreateSecurityGroup makes a group with the rules of the spec. Without any, it lets nothing in.
	CreateSecurityGroup(ctx context.Context, spec SecurityGroupSpec, opts ...CallOption) (Result[SecurityGroup], error)
	UpdateSecurityGroup(ctx context.Context, id ID, update SecurityGroupUpdate, opts ...CallOption) (Result[SecurityGroup], error)
	// DeleteSecurityGroup answers InUse while an instance, a load balancer (also one that is being deleted)
	// or a rule of another group refers to the group.
	DeleteSecurityGroup(ctx context.Context, id ID, opts ...CallOption) (Operation, error)
	// AddSecurityGroupRules adds all rules or none. AlreadyExists: the group has a rule, or gets it twice.
	// Capacity: the group would have more than Config.MaxSecurityGroupRules.
	AddSecurityGroupRules(ctx context.Context, id ID, rules SecurityGroupRules, opts ...CallOption) (Result[SecurityGroup], error)
	// RemoveSecurityGroupRules removes all rules or none. NotFound: the group does not have one of them.
	RemoveSecurityGroupRules(ctx context.Context, id ID, rules SecurityGroupRuleIDs, opts ...CallOption) (Result[SecurityGroup], error)
}

// TargetGroupAPI is about target groups, to which listeners forward.
type TargetGroupAPI interface {
	ListTargetGroups(ctx context.Context, opts ListOptions) (Page[TargetGroup], error)
	GetTargetGroup(ctx context.Context, id ID) (TargetGroup, error)
	// CreateTargetGroup makes a group that no listener names yet.
	CreateTargetGroup(ctx context.Context, spec TargetGroupSpec, opts ...CallOption) (Result[TargetGroup], error)
	// UpdateTargetGroup changes what a group has apart from its targets.
	UpdateTargetGroup(ctx context.Context, id ID, update TargetGroupUpdate, opts ...CallOption) (Result[TargetGroup], error)
	// DeleteTargetGroup answers InUse while a listener names the group, also one of a load balancer that is being deleted.
	DeleteTargetGroup(ctx context.Context, id ID, opts ...CallOption) (Operation, error)
	// AddGroupTargets adds all targets or none. AlreadyExists: the group has one with that
	// instance and port, or gets it twice. Invalid: an instance does not exist, or is not in the network of the group.
	AddGroupTargets(ctx context.Context, id ID, targets GroupTargets, opts ...CallOption) (Result[TargetGroup], error)
	// RemoveGroupTargets removes all targets or none. NotFound: the group does not have one of them.
	RemoveGroupTargets(ctx context.Context, id ID, targets GroupTargets, opts ...CallOption) (Result[TargetGroup], error)
}

// OperationAPI is about changes under way. Of each project the last 10,000
// finished operations are kept.
type OperationAPI interface {
	ListOperations(ctx context.Context, opts ListOptions) (Page[Operation], error)
	GetOperation(ctx context.Context, id ID) (Operation, error)
	// WaitOperation returns the operation once it is done, failed or
	// cancelled. While the cloud's clock stands still that is until ctx ends.
	WaitOperation(ctx context.Context, id ID) (Operation, error)
}
