package topology

import (
	"fmt"
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// Capture returns the topology that makes a project of a cloud again, and with it what all projects share. What a
// topology cannot say is in lost, each in a line. That ids, addresses of pools and devices of volumes are chosen
// again, and that operations, tokens and the configuration are no part of a topology, is not repeated there.
func Capture(state simcloud.State, project simcloud.ID) (wanted simcloud.Topology, lost []string) {
	c := &capture{project: project, names: map[simcloud.Kind]map[simcloud.ID]string{}, others: map[simcloud.ID]int{}}
	c.choose(&state)
	wanted = simcloud.Topology{
		Project:         project,
		Regions:         c.regions(state),
		InstanceTypes:   list(state.InstanceTypes, instanceType),
		FloatingIPPools: list(state.FloatingIPPools, pool),
		Networks:        c.networks(state),
		RouteTables:     list(state.RouteTables, c.routeTable),
		SSHKeys:         list(state.SSHKeys, sshKey),
		SecurityGroups:  list(state.SecurityGroups, c.securityGroup),
		TargetGroups:    list(state.TargetGroups, c.targetGroup),
		Instances:       list(state.Instances, c.instance),
		Volumes:         list(state.Volumes, c.volume),
		LoadBalancers:   list(state.LoadBalancers, c.loadBalancer),
		FloatingIPs:     list(state.FloatingIPs, c.floatingIP),
		Clusters:        list(state.Clusters, cluster),
		Quotas:          c.quotas(state.Quotas),
	}
	if project == simcloud.DefaultProject {
		wanted.Project = ""
	}
	c.tellOthers(state)
	return wanted, c.lost
}

// capture is the making of a topology.
type capture struct {
	project simcloud.ID
	names   map[simcloud.Kind]map[simcloud.ID]string
	lost    []string
	others  map[simcloud.ID]int // how many resources other projects have
}

// lose tells what a topology cannot say of a resource.
func (c *capture) lose(kind simcloud.Kind, meta simcloud.Meta, format string, args ...any) {
	ref := simcloud.Ref(kind, meta.ID)
	if meta.Name != "" && meta.Name != string(meta.ID) {
		ref += " (" + meta.Name + ")"
	}
	c.lost = append(c.lost, ref+": "+fmt.Sprintf(format, args...))
}

// choose leaves in the state what the topology has, before anything refers to it.
func (c *capture) choose(s *simcloud.State) {
	s.Regions = chosen(c, simcloud.KindRegion, s.Regions)
	s.Zones = chosen(c, simcloud.KindZone, s.Zones)
	s.InstanceTypes = chosen(c, simcloud.KindInstanceType, s.InstanceTypes)
	s.FloatingIPPools = chosen(c, simcloud.KindFloatingIPPool, s.FloatingIPPools)
	s.Networks = chosen(c, simcloud.KindNetwork, s.Networks)
	s.Subnets = chosen(c, simcloud.KindSubnet, s.Subnets)
	s.RouteTables = chosen(c, simcloud.KindRouteTable, s.RouteTables)
	s.SSHKeys = chosen(c, simcloud.KindSSHKey, s.SSHKeys)
	s.SecurityGroups = chosen(c, simcloud.KindSecurityGroup, s.SecurityGroups)
	s.TargetGroups = chosen(c, simcloud.KindTargetGroup, s.TargetGroups)
	s.Instances = chosen(c, simcloud.KindInstance, s.Instances)
	s.Volumes = chosen(c, simcloud.KindVolume, s.Volumes)
	s.LoadBalancers = chosen(c, simcloud.KindLoadBalancer, s.LoadBalancers)
	s.FloatingIPs = chosen(c, simcloud.KindFloatingIP, s.FloatingIPs)
	s.Clusters = chosen(c, simcloud.KindCluster, s.Clusters)
}

// resource is a pointer to a type that has a Meta.
type resource[T any] interface {
	*T
	GetMeta() *simcloud.Meta
}

// chosen returns the resources of the project, or of all projects, that have names of their own: a topology knows
// resources by their names.
func chosen[T any, P resource[T]](c *capture, kind simcloud.Kind, all []T) []T {
	c.names[kind] = map[simcloud.ID]string{}
	first := map[string]simcloud.ID{}
	var mine []T
	for i := range all {
		meta := P(&all[i]).GetMeta()
		if meta.Project != "" && meta.Project != c.project {
			c.others[meta.Project]++
			continue
		}
		if of, taken := first[meta.Name]; taken {
			c.lose(kind, *meta, "left out: its name is that of %s, and a topology knows resources by their names", simcloud.Ref(kind, of))
			continue
		}
		first[meta.Name] = meta.ID
		c.names[kind][meta.ID] = meta.Name
		mine = append(mine, all[i])
	}
	return mine
}

// list makes the entries of a kind. There is a list for each kind: one that is missing would leave what a cloud has.
func list[T, S any](items []T, entry func(T) S) *[]S {
	entries := []S{}
	for _, item := range items {
		entries = append(entries, entry(item))
	}
	return &entries
}

// name is what the topology calls a resource; empty for no resource, and for one that is left out.
func (c *capture) name(kind simcloud.Kind, id simcloud.ID) simcloud.ID {
	return simcloud.ID(c.names[kind][id])
}

// namesOf are the names of resources that something has, without those that are left out.
func (c *capture) namesOf(kind simcloud.Kind, ids []simcloud.ID) (names []simcloud.ID) {
	for _, id := range ids {
		if name := c.name(kind, id); name != "" {
			names = append(names, name)
		}
	}
	return names
}

func (c *capture) quotas(all []simcloud.Quota) *map[simcloud.QuotaResource]int {
	limits := map[simcloud.QuotaResource]int{}
	for _, quota := range all {
		if quota.Project == c.project {
			limits[quota.Resource] = quota.Limit
		}
	}
	return &limits
}

// tellOthers tells of kinds and projects of which nothing is in the topology.
func (c *capture) tellOthers(s simcloud.State) {
	for _, document := range s.Documents {
		if document.Project == c.project || document.Project == "" {
			c.lose(simcloud.KindDocument, document.Meta, "left out: a topology has no documents of dialects")
		}
	}
	var projects []string
	for project, count := range c.others {
		projects = append(projects, fmt.Sprintf("%s (%d)", project, count))
	}
	if slices.Sort(projects); len(projects) > 0 {
		c.lost = append(c.lost, "resources of other projects are left out: "+strings.Join(projects, ", "))
	}
}
