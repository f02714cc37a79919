package simcloud

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// maxCount is how many instances one entry of a topology makes at most.
const maxCount = 10000

// Validate checks the topology as far as it stands for itself: every part,
// that no name is there twice, and that the names it refers to are those of
// what it lists. Kinds that it does not list are in the cloud, which Seed asks.
func (t Topology) Validate() error {
	c := topologyCheck{t: t, names: map[Kind]map[string]string{}, forwarding: map[ID]string{}}
	if t.Project != "" {
		c.name("project", string(t.Project))
	}
	c.places()
	c.networks()
	c.machines()
	c.fronts()
	c.quotas()
	c.references()
	return InvalidFields("topology", c.fieldErrors)
}

// topologyCheck is one look at a topology.
type topologyCheck struct {
	fieldErrors
	t Topology
	// names are where each name of a kind stands. A kind that is not listed is not here.
	names map[Kind]map[string]string
	// wanted are the references that are looked up once all names are known.
	wanted []reference
	// forwarding are the load balancers that have a target group, by the group's name.
	forwarding map[ID]string
}

type reference struct {
	path string
	kind Kind
	name ID
}

// part adds what is wrong with a part, whose fields begin with path.
func (c *topologyCheck) part(path string, err error) {
	var e *Error
	if errors.As(err, &e) {
		for _, f := range e.Fields {
			c.add(path+f.Field, "%s", f.Detail)
		}
	}
}

// lists notes that a kind is listed, also when nothing of it is.
func (c *topologyCheck) lists(kind Kind) {
	if c.names[kind] == nil {
		c.names[kind] = map[string]string{}
	}
}

// named notes a name, which no other of the kind may have.
func (c *topologyCheck) named(kind Kind, path, name string) {
	c.lists(kind)
	if first, taken := c.names[kind][name]; taken && name != "" {
		c.add(path, "%q is the name of %s already", name, first)
		return
	}
	c.names[kind][name] = path
}

// refers notes a reference, unless the name is empty.
func (c *topologyCheck) refers(path string, kind Kind, name ID) {
	if name != "" {
		c.wanted = append(c.wanted, reference{path, kind, name})
	}
}

func (c *topologyCheck) references() {
	for _, ref := range c.wanted {
		names, listed := c.names[ref.kind]
		if _, there := names[string(ref.name)]; listed && !there {
			c.add(ref.path, "%s %q not found in the topology", ref.kind, ref.name)
		}
	}
}

func at(kind string, i int) string { return kind + "[" + strconv.Itoa(i) + "]." }

// each calls fn with the entries of a list and the paths that their fields begin with.
func each[T any](list *[]T, field string, fn func(path string, v T)) {
	if list == nil {
		return
	}
	for i, v := range *list {
		fn(at(field, i), v)
	}
}

func (c *topologyCheck) places() {
	if c.t.Regions != nil {
		c.lists(KindRegion)
		c.lists(KindZone)
	}
	each(c.t.Regions, "regions", func(path string, r TopologyRegion) {
		c.part(path, r.Validate())
		c.named(KindRegion, path+"name", r.Name)
		for i, zone := range r.Zones {
			c.zone(path+at("zones", i), zone)
		}
	})
	if c.t.InstanceTypes != nil {
		c.lists(KindInstanceType)
	}
	each(c.t.InstanceTypes, "instanceTypes", func(path string, s InstanceTypeSpec) {
		c.part(path, s.Validate())
		c.named(KindInstanceType, path+"name", s.Name)
	})
	if c.t.FloatingIPPools != nil {
		c.lists(KindFloatingIPPool)
	}
	each(c.t.FloatingIPPools, "floatingIPPools", func(path string, s FloatingIPPoolSpec) {
		c.part(path, s.Validate())
		c.named(KindFloatingIPPool, path+"name", s.Name)
	})
}

func (c *topologyCheck) zone(path string, zone TopologyZone) {
	c.part(path, ZoneSpec{Name: zone.Name, Region: "r", Capacity: zone.Capacity, Labels: zone.Labels}.Validate())
	c.named(KindZone, path+"name", zone.Name)
	if zone.State != "" {
		c.part(path, ZoneStateSpec{State: zone.State}.Validate())
	}
	for _, id := range slices.Sorted(maps.Keys(zone.Capacity)) {
		c.refers(path+"capacity["+string(id)+"]", KindInstanceType, id)
	}
}

func (c *topologyCheck) networks() {
	if c.t.Networks != nil {
		c.lists(KindNetwork)
		c.lists(KindSubnet)
	}
	each(c.t.Networks, "networks", func(path string, n TopologyNetwork) {
		c.part(path, n.Validate())
		c.named(KindNetwork, path+"name", n.Name)
		for i, s := range n.Subnets {
			path := path + at("subnets", i)
			c.part(path, SubnetSpec{Name: s.Name, CIDR: s.CIDR, Zone: s.Zone, Labels: s.Labels}.Validate())
			c.named(KindSubnet, path+"name", s.Name)
			c.refers(path+"zone", KindZone, s.Zone)
		}
	})
	if c.t.RouteTables != nil {
		c.lists(KindRouteTable)
	}
	each(c.t.RouteTables, "routeTables", func(path string, table TopologyRouteTable) {
		c.part(path, table.Validate())
		c.named(KindRouteTable, path+"name", table.Name)
		c.refers(path+"network", KindNetwork, table.Network)
		c.routes(path, table.Routes)
	})
}

func (c *topologyCheck) routes(path string, routes []RouteSpec) {
	destinations := map[string]string{}
	for i, route := range routes {
		path := path + at("routes", i)
		c.part(path, route.Validate())
		if first, taken := destinations[route.Destination]; taken {
			c.add(path+"destination", "%s is that of %s already", route.Destination, first)
		}
		destinations[route.Destination] = path + "destination"
		c.refers(path+"nextHop.instance", KindInstance, route.NextHop.Instance)
	}
}

func (c *topologyCheck) machines() {
	if c.t.SSHKeys != nil {
		c.lists(KindSSHKey)
	}
	each(c.t.SSHKeys, "sshKeys", func(path string, s SSHKeySpec) {
		c.part(path, s.Validate())
		c.named(KindSSHKey, path+"name", s.Name)
	})
	if c.t.SecurityGroups != nil {
		c.lists(KindSecurityGroup)
	}
	each(c.t.SecurityGroups, "securityGroups", c.securityGroup)
	if c.t.Instances != nil {
		c.lists(KindInstance)
	}
	each(c.t.Instances, "instances", c.instance)
	if c.t.Volumes != nil {
		c.lists(KindVolume)
	}
	each(c.t.Volumes, "volumes", func(path string, v TopologyVolume) {
		c.part(path, v.Validate())
		c.named(KindVolume, path+"name", v.Name)
		c.refers(path+"zone", KindZone, v.Zone)
		c.refers(path+"attachedTo", KindInstance, v.AttachedTo)
	})
}

func (c *topologyCheck) securityGroup(path string, s SecurityGroupSpec) {
	c.part(path, s.Validate())
	c.named(KindSecurityGroup, path+"name", s.Name)
	c.refers(path+"network", KindNetwork, s.Network)
	seen := map[SecurityGroupRuleSpec]int{}
	for i, rule := range s.Rules {
		if first, twice := seen[rule.Traffic()]; twice {
			c.add(path+fmt.Sprintf("rules[%d]", i), "is rules[%d] already", first)
		}
		seen[rule.Traffic()] = i
		c.refers(path+at("rules", i)+"group", KindSecurityGroup, rule.Group)
	}
}

// groups notes which security groups something has.
func (c *topologyCheck) groups(path string, names []ID) {
	for i, name := range names {
		c.refers(fmt.Sprintf("%ssecurityGroups[%d]", path, i), KindSecurityGroup, name)
	}
}

func (c *topologyCheck) instance(path string, i TopologyInstance) {
	c.part(path, i.Validate())
	if i.Count < 0 || i.Count > maxCount {
		c.add(path+"count", "%d is not in 0 to %d", i.Count, maxCount)
		i.Count = 0
	}
	for _, one := range i.Each() {
		c.named(KindInstance, path+"name", one.Name)
	}
	if i.State != "" {
		oneOf(&c.fieldErrors, path+"state", i.State, InstanceRunning, InstanceStopped, InstanceSuspended)
	}
	c.refers(path+"type", KindInstanceType, i.Type)
	c.refers(path+"zone", KindZone, i.Zone)
	c.refers(path+"network", KindNetwork, i.Network)
	c.refers(path+"subnet", KindSubnet, i.Subnet)
	c.attachments(path, i.Networks)
	c.groups(path, i.SecurityGroups)
	if i.Count > 1 && i.PrivateAddress != "" {
		c.add(path+"privateAddress", "may only be set for one instance: the entry stands for %d", i.Count)
	}
	for n, a := range i.Networks {
		if i.Count > 1 && a.Address != "" {
			c.add(path+at("networks", n)+"address", "may only be set for one instance: the entry stands for %d", i.Count)
		}
	}
	for n, key := range i.SSHKeys {
		c.refers(fmt.Sprintf("%ssshKeys[%d]", path, n), KindSSHKey, key)
	}
}

// attachments notes which networks and subnets something is attached to.
func (c *topologyCheck) attachments(path string, all []NetworkAttachment) {
	for i, a := range all {
		c.refers(path+at("networks", i)+"network", KindNetwork, a.Network)
		c.refers(path+at("networks", i)+"subnet", KindSubnet, a.Subnet)
	}
}

// placements checks the placements of a load balancer: floating IPs are made after it, and say themselves where they are.
func (c *topologyCheck) placements(path string, all []LoadBalancerPlacement) {
	for i, p := range all {
		here := path + at("placements", i)
		c.refers(here+"subnet", KindSubnet, p.Subnet)
		c.refers(here+"zone", KindZone, p.Zone)
		if p.FloatingIP != "" {
			c.add(here+"floatingIP", "may not be set in a topology: attach the floating IP by its attachedTo")
		}
	}
}

// Each returns the instances that the entry stands for, one by one.
func (i TopologyInstance) Each() []TopologyInstance {
	if i.Count == 0 {
		return []TopologyInstance{i}
	}
	all := make([]TopologyInstance, i.Count)
	for n := range all {
		one := i
		one.Count = 0
		one.Name += "-" + strconv.Itoa(n+1)
		if i.Hostname != "" {
			one.Hostname += "-" + strconv.Itoa(n+1)
		}
		all[n] = one
	}
	return all
}

// fronts checks what leads to instances.
func (c *topologyCheck) fronts() {
	if c.t.TargetGroups != nil {
		c.lists(KindTargetGroup)
	}
	each(c.t.TargetGroups, "targetGroups", func(path string, g TargetGroupSpec) {
		c.part(path, g.Validate())
		c.named(KindTargetGroup, path+"name", g.Name)
		c.refers(path+"network", KindNetwork, g.Network)
		c.partOf(path+"partOf", g)
		for i, target := range g.Targets {
			c.refers(path+at("targets", i)+"instance", KindInstance, target.Instance)
		}
	})
	if c.t.LoadBalancers != nil {
		c.lists(KindLoadBalancer)
	}
	each(c.t.LoadBalancers, "loadBalancers", func(path string, lb LoadBalancerSpec) {
		c.part(path, lb.Validate())
		c.named(KindLoadBalancer, path+"name", lb.Name)
		c.refers(path+"network", KindNetwork, lb.Network)
		c.attachments(path, lb.Networks)
		c.placements(path, lb.Placements)
		c.groups(path, lb.SecurityGroups)
		for i, target := range lb.Targets {
			c.refers(path+at("targets", i)+"instance", KindInstance, target.Instance)
		}
		for i, listener := range lb.Listeners {
			c.forwards(path+at("listeners", i)+"targetGroup", lb.Name, listener.TargetGroup)
		}
	})
	if c.t.FloatingIPs != nil {
		c.lists(KindFloatingIP)
	}
	each(c.t.FloatingIPs, "floatingIPs", func(path string, fip FloatingIPSpec) {
		c.part(path, fip.Validate())
		c.named(KindFloatingIP, path+"name", fip.Name)
		c.refers(path+"pool", KindFloatingIPPool, ID(fip.Pool))
		c.refers(path+"attachedTo.id", fip.AttachedTo.Kind, fip.AttachedTo.ID)
	})
	if c.t.Clusters != nil {
		c.lists(KindCluster)
	}
	each(c.t.Clusters, "clusters", func(path string, s ClusterSpec) {
		c.part(path, s.Validate())
		c.named(KindCluster, path+"name", s.Name)
	})
}

// partOf notes which load balancer a target group is deleted with: only listeners of that one can name it.
func (c *topologyCheck) partOf(path string, g TargetGroupSpec) {
	if g.PartOf != "" {
		c.forwarding[ID(g.Name)] = string(g.PartOf)
		c.refers(path, KindLoadBalancer, g.PartOf)
	}
}

// forwards notes which target group a listener names: a group is of one load balancer.
func (c *topologyCheck) forwards(path, lb string, group ID) {
	if group == "" {
		return
	}
	if first, taken := c.forwarding[group]; taken && first != lb {
		c.add(path, "%s is of the load balancer %q already", group, first)
		return
	}
	c.forwarding[group] = lb
	c.refers(path, KindTargetGroup, group)
}

func (c *topologyCheck) quotas() {
	if c.t.Quotas == nil {
		return
	}
	for _, resource := range slices.Sorted(maps.Keys(*c.t.Quotas)) {
		path := "quotas[" + string(resource) + "]"
		oneOf(&c.fieldErrors, path, resource, QuotaResources()...)
		if limit := (*c.t.Quotas)[resource]; limit < Unlimited {
			c.add(path, "%d must not be below 0, except %d: no limit", limit, Unlimited)
		}
	}
}
