package topology

import "github.com/simcloud-dev/simcloud/simcloud"

func (c *capture) regions(s simcloud.State) *[]simcloud.TopologyRegion {
	return list(s.Regions, func(r simcloud.Region) simcloud.TopologyRegion {
		region := simcloud.TopologyRegion{RegionSpec: simcloud.RegionSpec{Name: r.Name, Labels: r.Labels}}
		for _, z := range s.Zones {
			if z.Region != r.ID {
				continue
			}
			zone := simcloud.TopologyZone{Name: z.Name, Capacity: z.Capacity, Labels: z.Labels}
			if z.State != simcloud.ZoneAvailable {
				zone.State = z.State
			}
			region.Zones = append(region.Zones, zone)
		}
		return region
	})
}

func instanceType(t simcloud.InstanceType) simcloud.InstanceTypeSpec {
	return simcloud.InstanceTypeSpec{Name: t.Name, VCPUs: t.VCPUs, MemoryMiB: t.MemoryMiB, Labels: t.Labels}
}

func pool(p simcloud.FloatingIPPool) simcloud.FloatingIPPoolSpec {
	return simcloud.FloatingIPPoolSpec{Name: p.Name, CIDR: p.CIDR, Labels: p.Labels}
}

func sshKey(k simcloud.SSHKey) simcloud.SSHKeySpec {
	return simcloud.SSHKeySpec{Name: k.Name, PublicKey: k.PublicKey, Labels: k.Labels}
}

func cluster(c simcloud.Cluster) simcloud.ClusterSpec {
	return simcloud.ClusterSpec{Name: c.Name, Endpoint: c.Endpoint, Labels: c.Labels}
}

func (c *capture) networks(s simcloud.State) *[]simcloud.TopologyNetwork {
	return list(s.Networks, func(n simcloud.Network) simcloud.TopologyNetwork {
		network := simcloud.TopologyNetwork{NetworkSpec: simcloud.NetworkSpec{Name: n.Name, CIDRs: n.CIDRs, Labels: n.Labels, Protected: n.Protected}}
		for _, sub := range s.Subnets {
			if sub.Network == n.ID {
				network.Subnets = append(network.Subnets, simcloud.TopologySubnet{Name: sub.Name, CIDR: sub.CIDR, Zone: sub.Zone, Labels: sub.Labels})
			}
		}
		return network
	})
}

func (c *capture) routeTable(t simcloud.RouteTable) simcloud.TopologyRouteTable {
	table := simcloud.TopologyRouteTable{RouteTableSpec: simcloud.RouteTableSpec{
		Name: t.Name, Labels: t.Labels, Network: c.name(simcloud.KindNetwork, t.Network), Limit: t.Limit,
	}}
	for _, r := range t.Routes {
		hop := simcloud.NextHop{Instance: c.name(simcloud.KindInstance, r.NextHop.Instance), Address: r.NextHop.Address}
		if hop == (simcloud.NextHop{}) {
			c.lose(simcloud.KindRouteTable, t.Meta, "the route to %s is left out: its next hop %s is not in the topology", r.Destination, r.NextHop.Instance)
			continue
		}
		table.Routes = append(table.Routes, simcloud.RouteSpec{Name: r.Name, Destination: r.Destination, NextHop: hop, Labels: r.Labels})
	}
	return table
}

func (c *capture) securityGroup(g simcloud.SecurityGroup) simcloud.SecurityGroupSpec {
	group := simcloud.SecurityGroupSpec{
		Name: g.Name, Description: g.Description, Labels: g.Labels, Network: c.name(simcloud.KindNetwork, g.Network),
	}
	for _, r := range g.Rules {
		rule := r.SecurityGroupRuleSpec
		if rule.Group = c.name(simcloud.KindSecurityGroup, rule.Group); rule.Group == "" && r.Group != "" {
			c.lose(simcloud.KindSecurityGroup, g.Meta, "the rule %s is left out: its group %s is not in the topology", r.ID, r.Group)
			continue
		}
		group.Rules = append(group.Rules, rule)
	}
	return group
}
