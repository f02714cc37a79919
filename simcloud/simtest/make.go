package simtest

import "github.com/simcloud-dev/simcloud/simcloud"

// The makers return resources that a test needs and is not about.

func (f *fixture) instance(name string) simcloud.Instance {
	f.Helper()
	return f.instanceOf(simcloud.InstanceSpec{Name: name})
}

func (f *fixture) instanceOf(spec simcloud.InstanceSpec) simcloud.Instance {
	f.Helper()
	return must[simcloud.Result[simcloud.Instance]](f)(f.CreateInstance(f.ctx, spec)).Resource
}

func (f *fixture) loadBalancer(spec simcloud.LoadBalancerSpec) simcloud.LoadBalancer {
	f.Helper()
	if spec.Name == "" {
		spec.Name = "lb"
	}
	return must[simcloud.Result[simcloud.LoadBalancer]](f)(f.CreateLoadBalancer(f.ctx, spec)).Resource
}

func (f *fixture) floatingIP(spec simcloud.FloatingIPSpec) simcloud.FloatingIP {
	f.Helper()
	if spec.Name == "" {
		spec.Name = "fip"
	}
	return must[simcloud.Result[simcloud.FloatingIP]](f)(f.CreateFloatingIP(f.ctx, spec)).Resource
}

func (f *fixture) routeTable(name string) simcloud.RouteTable {
	f.Helper()
	return must[simcloud.Result[simcloud.RouteTable]](f)(f.CreateRouteTable(f.ctx, simcloud.RouteTableSpec{Name: name})).Resource
}

func (f *fixture) network(cidrs ...string) simcloud.Network {
	f.Helper()
	spec := simcloud.NetworkSpec{Name: "net", CIDRs: cidrs}
	return must[simcloud.Result[simcloud.Network]](f)(f.CreateNetwork(f.ctx, spec)).Resource
}

func tcp(port, targetPort int) simcloud.ListenerSpec {
	return simcloud.ListenerSpec{
		Protocol: simcloud.ProtocolTCP, Port: port,
		ListenerConfig: simcloud.ListenerConfig{TargetPort: targetPort},
	}
}

func toInstance(id simcloud.ID) simcloud.Attachment {
	return simcloud.Attachment{Kind: simcloud.KindInstance, ID: id}
}

func toLoadBalancer(id simcloud.ID) simcloud.Attachment {
	return simcloud.Attachment{Kind: simcloud.KindLoadBalancer, ID: id}
}

// getInstance reads an instance that must be there.
func (f *fixture) getInstance(id simcloud.ID) simcloud.Instance {
	f.Helper()
	return must[simcloud.Instance](f)(f.GetInstance(f.ctx, id))
}

func (f *fixture) getLoadBalancer(id simcloud.ID) simcloud.LoadBalancer {
	f.Helper()
	return must[simcloud.LoadBalancer](f)(f.GetLoadBalancer(f.ctx, id))
}

func (f *fixture) getFloatingIP(id simcloud.ID) simcloud.FloatingIP {
	f.Helper()
	return must[simcloud.FloatingIP](f)(f.GetFloatingIP(f.ctx, id))
}

func (f *fixture) getRouteTable(id simcloud.ID) simcloud.RouteTable {
	f.Helper()
	return must[simcloud.RouteTable](f)(f.GetRouteTable(f.ctx, id))
}

// revision is the revision of the cloud.
func (f *fixture) revision() uint64 {
	f.Helper()
	return must[simcloud.Page[simcloud.Region]](f)(f.ListRegions(f.ctx, simcloud.ListOptions{})).Revision
}
