package simtest

import (
	"fmt"

	"github.com/simcloud-dev/simcloud/simcloud"
)

var projectListing = listing[simcloud.Project]{
	name: "ListProjects",
	list: func(f *fixture) simcloud.ListFunc[simcloud.Project] { return f.ListProjects },
	make: func(f *fixture, name string, labels map[string]string) simcloud.ID {
		spec := simcloud.ProjectSpec{Name: name, Labels: labels}
		return must[simcloud.Result[simcloud.Project]](f)(f.CreateProject(f.ctx, spec)).Resource.ID
	},
	remove: func(f *fixture, id simcloud.ID) { drop(f)(f.DeleteProject(f.ctx, id)) },
}

var tokenListing = listing[simcloud.Token]{
	name: "ListTokens", state: string(simcloud.TokenActive),
	list: func(f *fixture) simcloud.ListFunc[simcloud.Token] { return f.ListTokens },
	make: func(f *fixture, name string, labels map[string]string) simcloud.ID {
		return f.token(simcloud.TokenSpec{Name: name, Role: simcloud.RoleReader, Labels: labels}).ID
	},
	remove: func(f *fixture, id simcloud.ID) { drop(f)(f.DeleteToken(f.ctx, id)) },
}

var regionListing = listing[simcloud.Region]{
	name: "ListRegions", state: string(simcloud.ZoneAvailable),
	list: func(f *fixture) simcloud.ListFunc[simcloud.Region] { return f.ListRegions },
	make: func(f *fixture, name string, labels map[string]string) simcloud.ID {
		spec := simcloud.RegionSpec{Name: name, Labels: labels}
		return must[simcloud.Result[simcloud.Region]](f)(f.CreateRegion(f.ctx, spec)).Resource.ID
	},
	remove: func(f *fixture, id simcloud.ID) { drop(f)(f.DeleteRegion(f.ctx, id)) },
}

var zoneListing = listing[simcloud.Zone]{
	name: "ListZones", state: string(simcloud.ZoneAvailable),
	list: func(f *fixture) simcloud.ListFunc[simcloud.Zone] { return f.ListZones },
	make: func(f *fixture, name string, labels map[string]string) simcloud.ID {
		spec := simcloud.ZoneSpec{Name: name, Region: "region-1", Labels: labels}
		return must[simcloud.Result[simcloud.Zone]](f)(f.CreateZone(f.ctx, spec)).Resource.ID
	},
	remove: func(f *fixture, id simcloud.ID) { drop(f)(f.DeleteZone(f.ctx, id)) },
}

var typeListing = listing[simcloud.InstanceType]{
	name: "ListInstanceTypes",
	list: func(f *fixture) simcloud.ListFunc[simcloud.InstanceType] { return f.ListInstanceTypes },
	make: func(f *fixture, name string, labels map[string]string) simcloud.ID {
		spec := simcloud.InstanceTypeSpec{Name: name, VCPUs: 1, MemoryMiB: 1, Labels: labels}
		return must[simcloud.Result[simcloud.InstanceType]](f)(f.CreateInstanceType(f.ctx, spec)).Resource.ID
	},
	remove: func(f *fixture, id simcloud.ID) { drop(f)(f.DeleteInstanceType(f.ctx, id)) },
}

var networkListing = listing[simcloud.Network]{
	name: "ListNetworks", state: simcloud.NetworkAvailable,
	list: func(f *fixture) simcloud.ListFunc[simcloud.Network] { return f.ListNetworks },
	make: func(f *fixture, name string, labels map[string]string) simcloud.ID {
		spec := simcloud.NetworkSpec{Name: name, CIDRs: []string{"10.1.0.0/16"}, Labels: labels}
		return must[simcloud.Result[simcloud.Network]](f)(f.CreateNetwork(f.ctx, spec)).Resource.ID
	},
	remove: func(f *fixture, id simcloud.ID) { drop(f)(f.DeleteNetwork(f.ctx, id)) },
}

var subnetListing = listing[simcloud.Subnet]{
	name: "ListSubnets", state: simcloud.NetworkAvailable,
	list: func(f *fixture) simcloud.ListFunc[simcloud.Subnet] { return f.ListSubnets },
	make: func(f *fixture, name string, labels map[string]string) simcloud.ID {
		spec := simcloud.SubnetSpec{Name: name, Labels: labels, Network: f.network("10.1.0.0/16").ID, CIDR: "10.1.1.0/24"}
		return must[simcloud.Result[simcloud.Subnet]](f)(f.CreateSubnet(f.ctx, spec)).Resource.ID
	},
	remove: func(f *fixture, id simcloud.ID) { drop(f)(f.DeleteSubnet(f.ctx, id)) },
}

var poolListing = listing[simcloud.FloatingIPPool]{
	name: "ListFloatingIPPools",
	list: func(f *fixture) simcloud.ListFunc[simcloud.FloatingIPPool] { return f.ListFloatingIPPools },
	make: func(f *fixture, name string, labels map[string]string) simcloud.ID {
		spec := simcloud.FloatingIPPoolSpec{Name: name, Labels: labels, CIDR: fmt.Sprintf("10.%d.0.0/16", f.revision()%256)}
		return must[simcloud.Result[simcloud.FloatingIPPool]](f)(f.CreateFloatingIPPool(f.ctx, spec)).Resource.ID
	},
	remove: func(f *fixture, id simcloud.ID) { drop(f)(f.DeleteFloatingIPPool(f.ctx, id)) },
}

var clusterListing = listing[simcloud.Cluster]{
	name: "ListClusters",
	list: func(f *fixture) simcloud.ListFunc[simcloud.Cluster] { return f.ListClusters },
	make: func(f *fixture, name string, labels map[string]string) simcloud.ID {
		spec := simcloud.ClusterSpec{Name: name, Labels: labels, Endpoint: "https://a"}
		return must[simcloud.Result[simcloud.Cluster]](f)(f.CreateCluster(f.ctx, spec)).Resource.ID
	},
	remove: func(f *fixture, id simcloud.ID) { drop(f)(f.DeleteCluster(f.ctx, id)) },
}

var instanceListing = listing[simcloud.Instance]{
	name: "ListInstances", state: string(simcloud.InstanceRunning),
	list: func(f *fixture) simcloud.ListFunc[simcloud.Instance] { return f.ListInstances },
	make: func(f *fixture, name string, labels map[string]string) simcloud.ID {
		return f.instanceOf(simcloud.InstanceSpec{Name: name, Labels: labels}).ID
	},
	remove: func(f *fixture, id simcloud.ID) { drop(f)(f.DeleteInstance(f.ctx, id)) },
}

var volumeListing = listing[simcloud.Volume]{
	name: "ListVolumes", state: string(simcloud.VolumeAvailable),
	list: func(f *fixture) simcloud.ListFunc[simcloud.Volume] { return f.ListVolumes },
	make: func(f *fixture, name string, labels map[string]string) simcloud.ID {
		spec := simcloud.VolumeSpec{Name: name, Labels: labels, SizeGiB: 1}
		return must[simcloud.Result[simcloud.Volume]](f)(f.CreateVolume(f.ctx, spec)).Resource.ID
	},
	remove: func(f *fixture, id simcloud.ID) { drop(f)(f.DeleteVolume(f.ctx, id)) },
}

var sshKeyListing = listing[simcloud.SSHKey]{
	name: "ListSSHKeys",
	list: func(f *fixture) simcloud.ListFunc[simcloud.SSHKey] { return f.ListSSHKeys },
	make: func(f *fixture, name string, labels map[string]string) simcloud.ID {
		spec := simcloud.SSHKeySpec{Name: name, Labels: labels, PublicKey: madeKey(int(f.revision()))}
		return must[simcloud.Result[simcloud.SSHKey]](f)(f.CreateSSHKey(f.ctx, spec)).Resource.ID
	},
	remove: func(f *fixture, id simcloud.ID) { drop(f)(f.DeleteSSHKey(f.ctx, id)) },
}

var loadBalancerListing = listing[simcloud.LoadBalancer]{
	name: "ListLoadBalancers", state: string(simcloud.LoadBalancerActive),
	list: func(f *fixture) simcloud.ListFunc[simcloud.LoadBalancer] { return f.ListLoadBalancers },
	make: func(f *fixture, name string, labels map[string]string) simcloud.ID {
		return f.loadBalancer(simcloud.LoadBalancerSpec{Name: name, Labels: labels}).ID
	},
	remove: func(f *fixture, id simcloud.ID) { drop(f)(f.DeleteLoadBalancer(f.ctx, id)) },
}

var floatingIPListing = listing[simcloud.FloatingIP]{
	name: "ListFloatingIPs", state: string(simcloud.FloatingIPAvailable),
	list: func(f *fixture) simcloud.ListFunc[simcloud.FloatingIP] { return f.ListFloatingIPs },
	make: func(f *fixture, name string, labels map[string]string) simcloud.ID {
		return f.floatingIP(simcloud.FloatingIPSpec{Name: name, Labels: labels}).ID
	},
	remove: func(f *fixture, id simcloud.ID) { drop(f)(f.DeleteFloatingIP(f.ctx, id)) },
}

var routeTableListing = listing[simcloud.RouteTable]{
	name: "ListRouteTables",
	list: func(f *fixture) simcloud.ListFunc[simcloud.RouteTable] { return f.ListRouteTables },
	make: func(f *fixture, name string, labels map[string]string) simcloud.ID {
		spec := simcloud.RouteTableSpec{Name: name, Labels: labels}
		return must[simcloud.Result[simcloud.RouteTable]](f)(f.CreateRouteTable(f.ctx, spec)).Resource.ID
	},
	remove: func(f *fixture, id simcloud.ID) { drop(f)(f.DeleteRouteTable(f.ctx, id)) },
}
