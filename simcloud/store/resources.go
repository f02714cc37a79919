package store

import "github.com/simcloud-dev/simcloud/simcloud"

// The resources of a cloud. Those without a prefix have their name as id.
var (
	Projects = Bucket[simcloud.Project, *simcloud.Project]{kind: simcloud.KindProject, forAdmins: true}
	// Tokens have no secrets: those are in Secrets.
	Tokens = Bucket[simcloud.Token, *simcloud.Token]{
		kind: simcloud.KindToken, prefix: "tok-", forAdmins: true,
		state: func(t *simcloud.Token) string { return string(t.State) },
	}
	Regions = Bucket[simcloud.Region, *simcloud.Region]{
		kind:  simcloud.KindRegion,
		state: func(r *simcloud.Region) string { return string(r.State) },
	}
	Zones = Bucket[simcloud.Zone, *simcloud.Zone]{
		kind:  simcloud.KindZone,
		state: func(z *simcloud.Zone) string { return string(z.State) },
		refs:  func(z *simcloud.Zone) []Ref { return []Ref{{simcloud.KindRegion, z.Region}} },
	}
	InstanceTypes = Bucket[simcloud.InstanceType, *simcloud.InstanceType]{kind: simcloud.KindInstanceType}
	Networks      = Bucket[simcloud.Network, *simcloud.Network]{
		kind: simcloud.KindNetwork, prefix: "net-", quota: simcloud.QuotaNetworks,
		state: func(n *simcloud.Network) string { return n.State },
	}
	Subnets = Bucket[simcloud.Subnet, *simcloud.Subnet]{
		kind: simcloud.KindSubnet, prefix: "subnet-", quota: simcloud.QuotaSubnets,
		state: func(s *simcloud.Subnet) string { return s.State },
		refs: func(s *simcloud.Subnet) []Ref {
			return ref(ref(nil, simcloud.KindNetwork, s.Network), simcloud.KindZone, s.Zone)
		},
	}
	Instances = Bucket[simcloud.Instance, *simcloud.Instance]{
		kind: simcloud.KindInstance, prefix: "i-", quota: simcloud.QuotaInstances,
		state: func(i *simcloud.Instance) string { return string(i.State) },
		refs:  instanceRefs,
	}
	Volumes = Bucket[simcloud.Volume, *simcloud.Volume]{
		kind: simcloud.KindVolume, prefix: "vol-", quota: simcloud.QuotaVolumes,
		state: func(v *simcloud.Volume) string { return string(v.State) },
		refs: func(v *simcloud.Volume) []Ref {
			return ref(ref(nil, simcloud.KindZone, v.Zone), simcloud.KindInstance, v.AttachedTo)
		},
	}
	SSHKeys = Bucket[simcloud.SSHKey, *simcloud.SSHKey]{
		kind: simcloud.KindSSHKey, prefix: "key-", quota: simcloud.QuotaSSHKeys,
		refs: func(k *simcloud.SSHKey) []Ref { return []Ref{FingerprintRef(k.Fingerprint)} },
	}
	LoadBalancers = Bucket[simcloud.LoadBalancer, *simcloud.LoadBalancer]{
		kind: simcloud.KindLoadBalancer, prefix: "lb-", quota: simcloud.QuotaLoadBalancers,
		state: func(lb *simcloud.LoadBalancer) string { return string(lb.State) },
		refs:  loadBalancerRefs,
	}
	FloatingIPs = Bucket[simcloud.FloatingIP, *simcloud.FloatingIP]{
		kind: simcloud.KindFloatingIP, prefix: "fip-", quota: simcloud.QuotaFloatingIPs,
		state: func(f *simcloud.FloatingIP) string { return string(f.State) },
		refs: func(f *simcloud.FloatingIP) []Ref {
			return ref(ref(nil, f.AttachedTo.Kind, f.AttachedTo.ID), simcloud.KindFloatingIPPool, simcloud.ID(f.Pool))
		},
	}
	FloatingIPPools = Bucket[simcloud.FloatingIPPool, *simcloud.FloatingIPPool]{kind: simcloud.KindFloatingIPPool}
	RouteTables     = Bucket[simcloud.RouteTable, *simcloud.RouteTable]{
		kind: simcloud.KindRouteTable, prefix: "rt-", quota: simcloud.QuotaRouteTables,
		refs: routeTableRefs,
	}
	Clusters  = Bucket[simcloud.Cluster, *simcloud.Cluster]{kind: simcloud.KindCluster, prefix: "cluster-"}
	Documents = Bucket[simcloud.Document, *simcloud.Document]{
		kind: simcloud.KindDocument, prefix: "doc-",
		refs: documentRefs,
	}
	SecurityGroups = Bucket[simcloud.SecurityGroup, *simcloud.SecurityGroup]{
		kind: simcloud.KindSecurityGroup, prefix: "sg-", quota: simcloud.QuotaSecurityGroups,
		refs: securityGroupRefs,
	}
	TargetGroups = Bucket[simcloud.TargetGroup, *simcloud.TargetGroup]{
		kind: simcloud.KindTargetGroup, prefix: "tg-", quota: simcloud.QuotaTargetGroups,
		refs: targetGroupRefs,
	}
	// Quotas are those whose limit was ever set; the others have none.
	Quotas     = Bucket[simcloud.Quota, *simcloud.Quota]{kind: simcloud.KindQuota}
	Operations = Bucket[simcloud.Operation, *simcloud.Operation]{
		kind: simcloud.KindOperation, prefix: "op-",
		state: func(o *simcloud.Operation) string { return string(o.State) },
	}
)

// FingerprintRef is what the keys with a fingerprint have in common.
func FingerprintRef(fingerprint string) Ref { return Ref{"fingerprint", simcloud.ID(fingerprint)} }

// DocumentRef is what the documents of a dialect and type with a name have in common.
func DocumentRef(dialect, typ, name string) Ref {
	return Ref{"document_name", simcloud.ID(dialect + "/" + typ + "/" + name)}
}

func documentRefs(d *simcloud.Document) []Ref {
	refs := []Ref{DocumentRef(d.Dialect, d.Type, d.Name)}
	for _, r := range d.Reserved {
		refs = ref(ref(refs, simcloud.KindNetwork, r.Network), simcloud.KindSubnet, r.Subnet)
	}
	return refs
}

func instanceRefs(i *simcloud.Instance) []Ref {
	refs := ref(nil, simcloud.KindInstanceType, i.Type)
	refs = ref(refs, simcloud.KindZone, i.Zone)
	refs = ref(refs, simcloud.KindNetwork, i.Network)
	refs = ref(refs, simcloud.KindSubnet, i.Subnet)
	for _, address := range i.Addresses {
		refs = ref(ref(refs, simcloud.KindNetwork, address.Network), simcloud.KindSubnet, address.Subnet)
	}
	for _, key := range i.SSHKeys {
		refs = ref(refs, simcloud.KindSSHKey, key)
	}
	for _, volume := range i.Volumes {
		refs = ref(refs, simcloud.KindVolume, volume)
	}
	for _, group := range i.SecurityGroups {
		refs = ref(refs, simcloud.KindSecurityGroup, group)
	}
	return refs
}

func loadBalancerRefs(lb *simcloud.LoadBalancer) []Ref {
	refs := ref(nil, simcloud.KindNetwork, lb.Network)
	for _, target := range lb.Targets {
		refs = ref(refs, simcloud.KindInstance, target.Instance)
	}
	for _, listener := range lb.Listeners {
		for _, document := range listener.Documents {
			refs = ref(refs, simcloud.KindDocument, document)
		}
		refs = ref(refs, simcloud.KindTargetGroup, listener.TargetGroup)
	}
	for _, group := range lb.SecurityGroups {
		refs = ref(refs, simcloud.KindSecurityGroup, group)
	}
	for _, vip := range lb.VIPs {
		refs = ref(refs, simcloud.KindFloatingIPPool, simcloud.ID(vip.Pool))
		refs = ref(ref(ref(refs, simcloud.KindNetwork, vip.Network), simcloud.KindSubnet, vip.Subnet), simcloud.KindZone, vip.Zone)
		refs = ref(refs, simcloud.KindDocument, vip.Document)
	}
	return refs
}

func routeTableRefs(table *simcloud.RouteTable) []Ref {
	refs := ref(nil, simcloud.KindNetwork, table.Network)
	for _, route := range table.Routes {
		refs = ref(refs, simcloud.KindInstance, route.NextHop.Instance)
	}
	return refs
}

// securityGroupRefs are what a group refers to; its rules may name the group itself, which keeps nothing there.
func securityGroupRefs(group *simcloud.SecurityGroup) []Ref {
	refs := ref(nil, simcloud.KindNetwork, group.Network)
	for _, rule := range group.Rules {
		if rule.Group != group.ID {
			refs = ref(refs, simcloud.KindSecurityGroup, rule.Group)
		}
	}
	return refs
}

func targetGroupRefs(group *simcloud.TargetGroup) []Ref {
	refs := ref(nil, simcloud.KindNetwork, group.Network)
	refs = ref(ref(refs, simcloud.KindLoadBalancer, group.LoadBalancer), simcloud.KindLoadBalancer, group.PartOf)
	for _, target := range group.Targets {
		refs = ref(refs, simcloud.KindInstance, target.Instance)
	}
	return refs
}

// kind is a Bucket without its types.
type kind interface {
	bucketNames() []string
	check(tx *Tx) []error
	wipe(tx *Tx, w wiping) error
	count(tx *Tx, into counts) error
	Kind() simcloud.Kind
	load(tx, from *Tx, l Loading) (keep func() error, err error)
	objects(tx *Tx) ([]Object, error)
	rebuild(tx *Tx) error
	verify(tx *Tx, v *verification)
}

func kinds() []kind {
	return []kind{
		Projects, Tokens, Regions, Zones, InstanceTypes, Networks, Subnets, Instances, Volumes, SSHKeys,
		LoadBalancers, FloatingIPs, FloatingIPPools, RouteTables, Clusters, Documents, SecurityGroups, TargetGroups, Quotas, Operations,
	}
}

func (b Bucket[T, P]) bucketNames() []string {
	names := []string{string(b.kind), string(b.kind) + indexSuffix}
	if b.prefix == "" {
		names = append(names, string(b.kind)+namesSuffix)
	}
	return names
}

// bucketNames returns the names of all buckets of the file.
func bucketNames() []string {
	names := []string{metaBucket, counterBucket, eventBucket}
	for _, k := range kinds() {
		names = append(names, k.bucketNames()...)
	}
	for _, table := range tables() {
		names = append(names, table.bucketName())
	}
	return names
}
