package simcloud

import (
	"slices"
	"time"
)

// Kind names a kind of resource, as it stands in events, errors and the journal.
type Kind string

// The kinds of resources.
const (
	KindProject        Kind = "project"
	KindToken          Kind = "token"
	KindQuota          Kind = "quota"
	KindRegion         Kind = "region"
	KindZone           Kind = "zone"
	KindInstanceType   Kind = "instance_type"
	KindNetwork        Kind = "network"
	KindSubnet         Kind = "subnet"
	KindInstance       Kind = "instance"
	KindVolume         Kind = "volume"
	KindSSHKey         Kind = "ssh_key"
	KindLoadBalancer   Kind = "load_balancer"
	KindFloatingIP     Kind = "floating_ip"
	KindFloatingIPPool Kind = "floating_ip_pool"
	KindRouteTable     Kind = "route_table"
	KindCluster        Kind = "cluster"
	KindDocument       Kind = "document"
	KindSecurityGroup  Kind = "security_group"
	KindTargetGroup    Kind = "target_group"
	KindOperation      Kind = "operation"
)

// kindRow is a kind, the first element of its paths, and how many resources of it a state has.
type kindRow struct {
	kind  Kind
	path  string
	count func(*State) int
}

// kinds has the kinds in the order in which states list them.
var kinds = []kindRow{
	{KindProject, "projects", func(s *State) int { return len(s.Projects) }},
	{KindToken, "tokens", func(s *State) int { return len(s.Tokens) }},
	{KindQuota, "quotas", func(s *State) int { return len(s.Quotas) }},
	{KindRegion, "regions", func(s *State) int { return len(s.Regions) }},
	{KindZone, "zones", func(s *State) int { return len(s.Zones) }},
	{KindInstanceType, "instance-types", func(s *State) int { return len(s.InstanceTypes) }},
	{KindNetwork, "networks", func(s *State) int { return len(s.Networks) }},
	{KindSubnet, "subnets", func(s *State) int { return len(s.Subnets) }},
	{KindInstance, "instances", func(s *State) int { return len(s.Instances) }},
	{KindVolume, "volumes", func(s *State) int { return len(s.Volumes) }},
	{KindSSHKey, "ssh-keys", func(s *State) int { return len(s.SSHKeys) }},
	{KindLoadBalancer, "load-balancers", func(s *State) int { return len(s.LoadBalancers) }},
	{KindFloatingIP, "floating-ips", func(s *State) int { return len(s.FloatingIPs) }},
	{KindFloatingIPPool, "floating-ip-pools", func(s *State) int { return len(s.FloatingIPPools) }},
	{KindRouteTable, "route-tables", func(s *State) int { return len(s.RouteTables) }},
	{KindCluster, "clusters", func(s *State) int { return len(s.Clusters) }},
	{KindDocument, "documents", func(s *State) int { return len(s.Documents) }},
	{KindSecurityGroup, "security-groups", func(s *State) int { return len(s.SecurityGroups) }},
	{KindTargetGroup, "target-groups", func(s *State) int { return len(s.TargetGroups) }},
	{KindOperation, "operations", func(s *State) int { return len(s.Operations) }},
}

// Known reports whether there are resources of the kind.
func (k Kind) Known() bool {
	return slices.ContainsFunc(kinds, func(known kindRow) bool { return known.kind == k })
}

// State is everything that a cloud holds.
type State struct {
	Revision        uint64           `json:"revision"`
	Time            time.Time        `json:"time"`
	Seed            uint64           `json:"seed"`
	Projects        []Project        `json:"projects"`
	Tokens          []Token          `json:"tokens"`
	Quotas          []Quota          `json:"quotas"` // those that limit something
	Regions         []Region         `json:"regions"`
	Zones           []Zone           `json:"zones"`
	InstanceTypes   []InstanceType   `json:"instanceTypes"`
	Networks        []Network        `json:"networks"`
	Subnets         []Subnet         `json:"subnets"`
	Instances       []Instance       `json:"instances"`
	Volumes         []Volume         `json:"volumes"`
	SSHKeys         []SSHKey         `json:"sshKeys"`
	LoadBalancers   []LoadBalancer   `json:"loadBalancers"`
	FloatingIPs     []FloatingIP     `json:"floatingIPs"`
	FloatingIPPools []FloatingIPPool `json:"floatingIPPools"`
	RouteTables     []RouteTable     `json:"routeTables"`
	Clusters        []Cluster        `json:"clusters"`
	Documents       []Document       `json:"documents"`
	SecurityGroups  []SecurityGroup  `json:"securityGroups"`
	TargetGroups    []TargetGroup    `json:"targetGroups"`
	Operations      []Operation      `json:"operations"`
}

// KindCount is how many resources of a kind there are.
type KindCount struct {
	Kind  Kind
	Count int
}

// Counts returns how many resources of each kind the state has.
func (s State) Counts() []KindCount {
	counts := make([]KindCount, len(kinds))
	for i, k := range kinds {
		counts[i] = KindCount{k.kind, k.count(&s)}
	}
	return counts
}
