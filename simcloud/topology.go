package simcloud

// Topology is what a cloud should have, for Seed. Resources are known by their
// names, which are unique for each kind and project here; where one refers to
// another it gives the name. A kind that is nil is left as it is, one that is
// empty ends up empty.
type Topology struct {
	// Project is the one that all the resources belong to; empty means default.
	// It is made when it is not there.
	Project         ID                     `json:"project,omitempty"`
	Regions         *[]TopologyRegion      `json:"regions,omitempty"`
	InstanceTypes   *[]InstanceTypeSpec    `json:"instanceTypes,omitempty"`
	FloatingIPPools *[]FloatingIPPoolSpec  `json:"floatingIPPools,omitempty"`
	Networks        *[]TopologyNetwork     `json:"networks,omitempty"`
	RouteTables     *[]TopologyRouteTable  `json:"routeTables,omitempty"`
	SSHKeys         *[]SSHKeySpec          `json:"sshKeys,omitempty"`
	SecurityGroups  *[]SecurityGroupSpec   `json:"securityGroups,omitempty"`
	TargetGroups    *[]TargetGroupSpec     `json:"targetGroups,omitempty"`
	Instances       *[]TopologyInstance    `json:"instances,omitempty"`
	Volumes         *[]TopologyVolume      `json:"volumes,omitempty"`
	LoadBalancers   *[]LoadBalancerSpec    `json:"loadBalancers,omitempty"`
	FloatingIPs     *[]FloatingIPSpec      `json:"floatingIPs,omitempty"`
	Clusters        *[]ClusterSpec         `json:"clusters,omitempty"`
	Quotas          *map[QuotaResource]int `json:"quotas,omitempty"`
}

// TopologyRegion is a region with its zones.
type TopologyRegion struct {
	RegionSpec
	Zones []TopologyZone `json:"zones,omitempty"`
}

// TopologyZone is a zone of the region that it stands in.
type TopologyZone struct {
	Name     string            `json:"name"`
	State    ZoneState         `json:"state,omitempty"` // empty means available
	Capacity map[ID]int        `json:"capacity,omitempty"`
	Labels   map[string]string `json:"labels,omitempty"`
}

// TopologyNetwork is a network with its subnets.
type TopologyNetwork struct {
	NetworkSpec
	Subnets []TopologySubnet `json:"subnets,omitempty"`
}

// TopologySubnet is a subnet of the network that it stands in.
type TopologySubnet struct {
	Name   string            `json:"name"`
	CIDR   string            `json:"cidr"`
	Zone   ID                `json:"zone,omitempty"`
	Labels map[string]string `json:"labels,omitempty"`
}

// TopologyRouteTable is a route table with its routes.
type TopologyRouteTable struct {
	RouteTableSpec
	Routes []RouteSpec `json:"routes,omitempty"`
}

// TopologyInstance is an instance, or Count of them.
type TopologyInstance struct {
	InstanceSpec
	// Count makes so many: "NAME-1" and so on. 0 means one, with the name as it is.
	Count int `json:"count,omitempty"`
	// State is running, stopped or suspended; empty means running.
	State InstanceState `json:"state,omitempty"`
}

// TopologyVolume is a volume and where it is attached.
type TopologyVolume struct {
	VolumeSpec
	AttachedTo ID `json:"attachedTo,omitempty"`
}

// SeedReport is what Seed has changed, each as "kind/name", in the order in which it was done.
type SeedReport struct {
	Created []string `json:"created"`
	Updated []string `json:"updated"`
	Deleted []string `json:"deleted"`
	// Unchanged is how many resources were as they should be.
	Unchanged int `json:"unchanged"`
}
