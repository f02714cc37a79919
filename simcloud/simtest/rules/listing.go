package rules

import (
	"encoding/json"
	"fmt"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest/suite"
)

var projectListing = listing[simcloud.Project]{
	name: "ListProjects",
	list: func(f *suite.Fixture) simcloud.ListFunc[simcloud.Project] { return f.ListProjects },
	make: func(f *suite.Fixture, name string, labels map[string]string) simcloud.ID {
		spec := simcloud.ProjectSpec{Name: name, Labels: labels}
		return suite.Must[simcloud.Result[simcloud.Project]](f)(f.CreateProject(f.Ctx, spec)).Resource.ID
	},
	remove: func(f *suite.Fixture, id simcloud.ID) { suite.Drop(f)(f.DeleteProject(f.Ctx, id)) },
}

var tokenListing = listing[simcloud.Token]{
	name: "ListTokens", state: string(simcloud.TokenActive),
	list: func(f *suite.Fixture) simcloud.ListFunc[simcloud.Token] { return f.ListTokens },
	make: func(f *suite.Fixture, name string, labels map[string]string) simcloud.ID {
		return f.Token(simcloud.TokenSpec{Name: name, Role: simcloud.RoleReader, Labels: labels}).ID
	},
	remove: func(f *suite.Fixture, id simcloud.ID) { suite.Drop(f)(f.DeleteToken(f.Ctx, id)) },
}

var regionListing = listing[simcloud.Region]{
	name: "ListRegions", state: string(simcloud.ZoneAvailable),
	list: func(f *suite.Fixture) simcloud.ListFunc[simcloud.Region] { return f.ListRegions },
	make: func(f *suite.Fixture, name string, labels map[string]string) simcloud.ID {
		spec := simcloud.RegionSpec{Name: name, Labels: labels}
		return suite.Must[simcloud.Result[simcloud.Region]](f)(f.CreateRegion(f.Ctx, spec)).Resource.ID
	},
	remove: func(f *suite.Fixture, id simcloud.ID) { suite.Drop(f)(f.DeleteRegion(f.Ctx, id)) },
}

var zoneListing = listing[simcloud.Zone]{
	name: "ListZones", state: string(simcloud.ZoneAvailable),
	list: func(f *suite.Fixture) simcloud.ListFunc[simcloud.Zone] { return f.ListZones },
	make: func(f *suite.Fixture, name string, labels map[string]string) simcloud.ID {
		spec := simcloud.ZoneSpec{Name: name, Region: "region-1", Labels: labels}
		return suite.Must[simcloud.Result[simcloud.Zone]](f)(f.CreateZone(f.Ctx, spec)).Resource.ID
	},
	remove: func(f *suite.Fixture, id simcloud.ID) { suite.Drop(f)(f.DeleteZone(f.Ctx, id)) },
}

var typeListing = listing[simcloud.InstanceType]{
	name: "ListInstanceTypes",
	list: func(f *suite.Fixture) simcloud.ListFunc[simcloud.InstanceType] { return f.ListInstanceTypes },
	make: func(f *suite.Fixture, name string, labels map[string]string) simcloud.ID {
		spec := simcloud.InstanceTypeSpec{Name: name, VCPUs: 1, MemoryMiB: 1, Labels: labels}
		return suite.Must[simcloud.Result[simcloud.InstanceType]](f)(f.CreateInstanceType(f.Ctx, spec)).Resource.ID
	},
	remove: func(f *suite.Fixture, id simcloud.ID) { suite.Drop(f)(f.DeleteInstanceType(f.Ctx, id)) },
}

var networkListing = listing[simcloud.Network]{
	name: "ListNetworks", state: simcloud.NetworkAvailable,
	list: func(f *suite.Fixture) simcloud.ListFunc[simcloud.Network] { return f.ListNetworks },
	make: func(f *suite.Fixture, name string, labels map[string]string) simcloud.ID {
		spec := simcloud.NetworkSpec{Name: name, CIDRs: []string{"10.1.0.0/16"}, Labels: labels}
		return suite.Must[simcloud.Result[simcloud.Network]](f)(f.CreateNetwork(f.Ctx, spec)).Resource.ID
	},
	remove: func(f *suite.Fixture, id simcloud.ID) { suite.Drop(f)(f.DeleteNetwork(f.Ctx, id)) },
}

var subnetListing = listing[simcloud.Subnet]{
	name: "ListSubnets", state: simcloud.NetworkAvailable,
	list: func(f *suite.Fixture) simcloud.ListFunc[simcloud.Subnet] { return f.ListSubnets },
	make: func(f *suite.Fixture, name string, labels map[string]string) simcloud.ID {
		spec := simcloud.SubnetSpec{Name: name, Labels: labels, Network: f.Network("10.1.0.0/16").ID, CIDR: "10.1.1.0/24"}
		return suite.Must[simcloud.Result[simcloud.Subnet]](f)(f.CreateSubnet(f.Ctx, spec)).Resource.ID
	},
	remove: func(f *suite.Fixture, id simcloud.ID) { suite.Drop(f)(f.DeleteSubnet(f.Ctx, id)) },
}

var poolListing = listing[simcloud.FloatingIPPool]{
	name: "ListFloatingIPPools",
	list: func(f *suite.Fixture) simcloud.ListFunc[simcloud.FloatingIPPool] { return f.ListFloatingIPPools },
	make: func(f *suite.Fixture, name string, labels map[string]string) simcloud.ID {
		spec := simcloud.FloatingIPPoolSpec{Name: name, Labels: labels, CIDR: fmt.Sprintf("10.%d.0.0/16", f.Revision()%256)}
		return suite.Must[simcloud.Result[simcloud.FloatingIPPool]](f)(f.CreateFloatingIPPool(f.Ctx, spec)).Resource.ID
	},
	remove: func(f *suite.Fixture, id simcloud.ID) { suite.Drop(f)(f.DeleteFloatingIPPool(f.Ctx, id)) },
}

var clusterListing = listing[simcloud.Cluster]{
	name: "ListClusters",
	list: func(f *suite.Fixture) simcloud.ListFunc[simcloud.Cluster] { return f.ListClusters },
	make: func(f *suite.Fixture, name string, labels map[string]string) simcloud.ID {
		spec := simcloud.ClusterSpec{Name: name, Labels: labels, Endpoint: "https://a"}
		return suite.Must[simcloud.Result[simcloud.Cluster]](f)(f.CreateCluster(f.Ctx, spec)).Resource.ID
	},
	remove: func(f *suite.Fixture, id simcloud.ID) { suite.Drop(f)(f.DeleteCluster(f.Ctx, id)) },
}

var documentListing = listing[simcloud.Document]{
	name: "ListDocuments",
	list: func(f *suite.Fixture) simcloud.ListFunc[simcloud.Document] { return f.ListDocuments },
	make: func(f *suite.Fixture, name string, labels map[string]string) simcloud.ID {
		typ := fmt.Sprintf("type-%d", f.Revision()) // of another type a name is free
		spec := simcloud.DocumentSpec{Name: name, Labels: labels, Dialect: "acme", Type: typ, Body: json.RawMessage(`{}`)}
		return suite.Must[simcloud.Result[simcloud.Document]](f)(f.CreateDocument(f.Ctx, spec)).Resource.ID
	},
	remove: func(f *suite.Fixture, id simcloud.ID) { suite.Drop(f)(f.DeleteDocument(f.Ctx, id)) },
}

var securityGroupListing = listing[simcloud.SecurityGroup]{
	name: "ListSecurityGroups",
	list: func(f *suite.Fixture) simcloud.ListFunc[simcloud.SecurityGroup] { return f.ListSecurityGroups },
	make: func(f *suite.Fixture, name string, labels map[string]string) simcloud.ID {
		spec := simcloud.SecurityGroupSpec{Name: name, Labels: labels}
		return suite.Must[simcloud.Result[simcloud.SecurityGroup]](f)(f.CreateSecurityGroup(f.Ctx, spec)).Resource.ID
	},
	remove: func(f *suite.Fixture, id simcloud.ID) { suite.Drop(f)(f.DeleteSecurityGroup(f.Ctx, id)) },
}

var targetGroupListing = listing[simcloud.TargetGroup]{
	name: "ListTargetGroups",
	list: func(f *suite.Fixture) simcloud.ListFunc[simcloud.TargetGroup] { return f.ListTargetGroups },
	make: func(f *suite.Fixture, name string, labels map[string]string) simcloud.ID {
		spec := simcloud.TargetGroupSpec{Name: name, Labels: labels, Protocol: simcloud.ProtocolTCP, Port: 80}
		return suite.Must[simcloud.Result[simcloud.TargetGroup]](f)(f.CreateTargetGroup(f.Ctx, spec)).Resource.ID
	},
	remove: func(f *suite.Fixture, id simcloud.ID) { suite.Drop(f)(f.DeleteTargetGroup(f.Ctx, id)) },
}

var instanceListing = listing[simcloud.Instance]{
	name: "ListInstances", state: string(simcloud.InstanceRunning),
	list: func(f *suite.Fixture) simcloud.ListFunc[simcloud.Instance] { return f.ListInstances },
	make: func(f *suite.Fixture, name string, labels map[string]string) simcloud.ID {
		return f.InstanceOf(simcloud.InstanceSpec{Name: name, Labels: labels}).ID
	},
	remove: func(f *suite.Fixture, id simcloud.ID) { suite.Drop(f)(f.DeleteInstance(f.Ctx, id)) },
}

var volumeListing = listing[simcloud.Volume]{
	name: "ListVolumes", state: string(simcloud.VolumeAvailable),
	list: func(f *suite.Fixture) simcloud.ListFunc[simcloud.Volume] { return f.ListVolumes },
	make: func(f *suite.Fixture, name string, labels map[string]string) simcloud.ID {
		spec := simcloud.VolumeSpec{Name: name, Labels: labels, SizeGiB: 1}
		return suite.Must[simcloud.Result[simcloud.Volume]](f)(f.CreateVolume(f.Ctx, spec)).Resource.ID
	},
	remove: func(f *suite.Fixture, id simcloud.ID) { suite.Drop(f)(f.DeleteVolume(f.Ctx, id)) },
}

var sshKeyListing = listing[simcloud.SSHKey]{
	name: "ListSSHKeys",
	list: func(f *suite.Fixture) simcloud.ListFunc[simcloud.SSHKey] { return f.ListSSHKeys },
	make: func(f *suite.Fixture, name string, labels map[string]string) simcloud.ID {
		spec := simcloud.SSHKeySpec{Name: name, Labels: labels, PublicKey: suite.PublicKey(int(f.Revision()))}
		return suite.Must[simcloud.Result[simcloud.SSHKey]](f)(f.CreateSSHKey(f.Ctx, spec)).Resource.ID
	},
	remove: func(f *suite.Fixture, id simcloud.ID) { suite.Drop(f)(f.DeleteSSHKey(f.Ctx, id)) },
}

var loadBalancerListing = listing[simcloud.LoadBalancer]{
	name: "ListLoadBalancers", state: string(simcloud.LoadBalancerActive),
	list: func(f *suite.Fixture) simcloud.ListFunc[simcloud.LoadBalancer] { return f.ListLoadBalancers },
	make: func(f *suite.Fixture, name string, labels map[string]string) simcloud.ID {
		return f.LoadBalancer(simcloud.LoadBalancerSpec{Name: name, Labels: labels}).ID
	},
	remove: func(f *suite.Fixture, id simcloud.ID) { suite.Drop(f)(f.DeleteLoadBalancer(f.Ctx, id)) },
}

var floatingIPListing = listing[simcloud.FloatingIP]{
	name: "ListFloatingIPs", state: string(simcloud.FloatingIPAvailable),
	list: func(f *suite.Fixture) simcloud.ListFunc[simcloud.FloatingIP] { return f.ListFloatingIPs },
	make: func(f *suite.Fixture, name string, labels map[string]string) simcloud.ID {
		return f.FloatingIP(simcloud.FloatingIPSpec{Name: name, Labels: labels}).ID
	},
	remove: func(f *suite.Fixture, id simcloud.ID) { suite.Drop(f)(f.DeleteFloatingIP(f.Ctx, id)) },
}

var routeTableListing = listing[simcloud.RouteTable]{
	name: "ListRouteTables",
	list: func(f *suite.Fixture) simcloud.ListFunc[simcloud.RouteTable] { return f.ListRouteTables },
	make: func(f *suite.Fixture, name string, labels map[string]string) simcloud.ID {
		spec := simcloud.RouteTableSpec{Name: name, Labels: labels}
		return suite.Must[simcloud.Result[simcloud.RouteTable]](f)(f.CreateRouteTable(f.Ctx, spec)).Resource.ID
	},
	remove: func(f *suite.Fixture, id simcloud.ID) { suite.Drop(f)(f.DeleteRouteTable(f.Ctx, id)) },
}
