package network

import (
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest/suite"
)

// attach attaches a load balancer to a network.
func attach(f *suite.Fixture, lb simcloud.ID, to simcloud.NetworkAttachment) simcloud.LoadBalancer {
	f.Helper()
	return suite.Must[lbResult](f)(f.AttachLoadBalancerNetwork(f.Ctx, lb, to)).Resource
}

// inSubnet makes a network with a subnet, 10.7.1.0/24 of 10.7.0.0/16.
func inSubnet(f *suite.Fixture) (simcloud.Network, simcloud.Subnet) {
	f.Helper()
	network := f.Network("10.7.0.0/16", "fd07::/64")
	return network, f.Subnet(network.ID, "10.7.1.0/24")
}

func testLoadBalancerNetworks(s suite.Runner) {
	s.Test("AttachLoadBalancerNetwork/OK", func(f *suite.Fixture) {
		network, _ := inSubnet(f)
		lb := f.LoadBalancer(simcloud.LoadBalancerSpec{PublicFamilies: []int{4}})
		r := suite.Must[lbResult](f)(f.AttachLoadBalancerNetwork(f.Ctx, lb.ID, simcloud.NetworkAttachment{Network: network.ID}))
		f.Done(r.Operation, "AttachLoadBalancerNetwork", simcloud.KindLoadBalancer, lb.ID)
		f.Equal("as read", f.MustGetLoadBalancer(lb.ID), r.Resource)
		vips := r.Resource.VIPs
		if len(vips) != 3 {
			f.Fatalf("the load balancer has the VIPs %+v, want its public one and one of each family of the network", vips)
		}
		f.Equal("the public VIP", vips[:1], lb.VIPs)
		for i, cidr := range network.CIDRs {
			vip := vips[1+i]
			f.InRange(simcloud.Address{Scope: simcloud.ScopePrivate, Address: vip.Address}, simcloud.ScopePrivate, cidr)
			f.Equal("the VIP of the network", vip, simcloud.VIP{Address: vip.Address, Network: network.ID})
		}
	})
	s.Test("AttachLoadBalancerNetwork/Subnet", func(f *suite.Fixture) {
		network, subnet := inSubnet(f)
		for name, to := range map[string]simcloud.NetworkAttachment{
			"a": {Network: network.ID, Subnet: subnet.ID},
			"b": {Network: network.ID, Address: "10.7.1.77"},
			"c": {Network: network.ID, Address: "10.7.1.78", Subnet: subnet.ID},
		} {
			lb := attach(f, f.LoadBalancer(simcloud.LoadBalancerSpec{Name: name}).ID, to)
			got := lb.VIPs[0]
			f.InRange(simcloud.Address{Scope: simcloud.ScopePrivate, Address: got.Address}, simcloud.ScopePrivate, subnet.CIDR)
			if to.Address != "" {
				f.Equal("the address", got.Address, to.Address)
			}
			f.Equal("subnets", []simcloud.ID{got.Subnet, lb.VIPs[1].Subnet}, []simcloud.ID{subnet.ID, ""})
		}
		_, err := f.DeleteSubnet(f.Ctx, subnet.ID)
		f.Want(err, simcloud.InUse)
		other := f.Subnet(network.ID, "10.7.2.0/24")
		lb := f.LoadBalancer(simcloud.LoadBalancerSpec{Name: "d"})
		_, err = f.AttachLoadBalancerNetwork(f.Ctx, lb.ID, simcloud.NetworkAttachment{Network: network.ID, Subnet: other.ID, Address: "10.7.1.79"})
		f.WantField(err, "address")
	})
	s.Test("AttachLoadBalancerNetwork/Address", func(f *suite.Fixture) {
		network, _ := inSubnet(f)
		lb := f.LoadBalancer(simcloud.LoadBalancerSpec{})
		got := attach(f, lb.ID, simcloud.NetworkAttachment{Network: network.ID, Address: "FD07:0::9"})
		f.Equal("the IPv6 address", got.VIPs[1].Address, "fd07::9")
		other := f.LoadBalancer(simcloud.LoadBalancerSpec{Name: "other"})
		_, err := f.AttachLoadBalancerNetwork(f.Ctx, other.ID, simcloud.NetworkAttachment{Network: network.ID, Address: "fd07::9"})
		f.Want(err, simcloud.AlreadyExists)
		f.Equal("the other", f.MustGetLoadBalancer(other.ID), other)
	})
	testLoadBalancerNetworkRefusals(s)
	testLoadBalancerDetachment(s)
}

func testLoadBalancerNetworkRefusals(s suite.Runner) {
	s.Test("AttachLoadBalancerNetwork/Refused", func(f *suite.Fixture) {
		network, subnet := inSubnet(f)
		elsewhere := f.Subnet("", "10.0.1.0/24")
		lb := f.LoadBalancer(simcloud.LoadBalancerSpec{})
		for _, wrong := range []struct {
			field string
			to    simcloud.NetworkAttachment
		}{
			{"network", simcloud.NetworkAttachment{}},
			{"network", simcloud.NetworkAttachment{Network: "net-9"}},
			{"subnet", simcloud.NetworkAttachment{Network: network.ID, Subnet: "subnet-9"}},
			{"subnet", simcloud.NetworkAttachment{Network: network.ID, Subnet: elsewhere.ID}},
			{"address", simcloud.NetworkAttachment{Network: network.ID, Address: "ten"}},
			{"address", simcloud.NetworkAttachment{Network: network.ID, Address: "10.8.0.9"}},
			{"address", simcloud.NetworkAttachment{Network: network.ID, Address: "10.7.0.1"}}, // the gateway
			{"address", simcloud.NetworkAttachment{Network: network.ID, Address: "10.7.2.9", Subnet: subnet.ID}},
		} {
			_, err := f.AttachLoadBalancerNetwork(f.Ctx, lb.ID, wrong.to)
			f.WantField(err, wrong.field)
		}
		_, err := f.AttachLoadBalancerNetwork(f.Ctx, "lb-9", simcloud.NetworkAttachment{Network: network.ID})
		f.Want(err, simcloud.NotFound)
		f.Equal("load balancer", f.MustGetLoadBalancer(lb.ID), lb)
	})
	s.Test("AttachLoadBalancerNetwork/Twice", func(f *suite.Fixture) {
		network, subnet := inSubnet(f)
		lb := attach(f, f.LoadBalancer(simcloud.LoadBalancerSpec{}).ID, simcloud.NetworkAttachment{Network: network.ID})
		_, err := f.AttachLoadBalancerNetwork(f.Ctx, lb.ID, simcloud.NetworkAttachment{Network: network.ID, Subnet: subnet.ID})
		f.Want(err, simcloud.AlreadyExists)
		f.Equal("networks", len(attach(f, lb.ID, simcloud.NetworkAttachment{Network: "net-1"}).VIPs), 3)
	})
	s.Test("AttachLoadBalancerNetwork/Full", func(f *suite.Fixture) {
		network := f.Network("10.9.0.0/30") // one address
		attach(f, f.LoadBalancer(simcloud.LoadBalancerSpec{Name: "a"}).ID, simcloud.NetworkAttachment{Network: network.ID})
		lb := f.LoadBalancer(simcloud.LoadBalancerSpec{Name: "b"})
		_, err := f.AttachLoadBalancerNetwork(f.Ctx, lb.ID, simcloud.NetworkAttachment{Network: network.ID})
		f.Want(err, simcloud.Capacity)
		f.Equal("load balancer", f.MustGetLoadBalancer(lb.ID), lb)
	})
	s.Test("AttachLoadBalancerNetwork/Internal", func(f *suite.Fixture) {
		network, _ := inSubnet(f)
		lb := f.LoadBalancer(simcloud.LoadBalancerSpec{Scheme: simcloud.SchemeInternal})
		_, err := f.AttachLoadBalancerNetwork(f.Ctx, lb.ID, simcloud.NetworkAttachment{Network: lb.Network})
		f.Want(err, simcloud.AlreadyExists)
		attach(f, lb.ID, simcloud.NetworkAttachment{Network: network.ID})
		_, err = f.DetachLoadBalancerNetwork(f.Ctx, lb.ID, lb.Network)
		f.Want(err, simcloud.Conflict)
		after := suite.Must[lbResult](f)(f.DetachLoadBalancerNetwork(f.Ctx, lb.ID, network.ID)).Resource
		f.Equal("VIPs", after.VIPs, lb.VIPs)
	})
}

func testLoadBalancerDetachment(s suite.Runner) {
	s.Test("DetachLoadBalancerNetwork/OK", func(f *suite.Fixture) {
		network := f.Network("10.9.0.0/30") // one address
		lb := f.LoadBalancer(simcloud.LoadBalancerSpec{PublicFamilies: []int{4}})
		attached := attach(f, lb.ID, simcloud.NetworkAttachment{Network: network.ID})
		_, err := f.DeleteNetwork(f.Ctx, network.ID)
		f.Want(err, simcloud.InUse)
		r := suite.Must[lbResult](f)(f.DetachLoadBalancerNetwork(f.Ctx, lb.ID, network.ID))
		f.Done(r.Operation, "DetachLoadBalancerNetwork", simcloud.KindLoadBalancer, lb.ID)
		f.Equal("VIPs", r.Resource.VIPs, lb.VIPs)
		f.Equal("the address is free", attach(f, lb.ID, simcloud.NetworkAttachment{Network: network.ID}).VIPs, attached.VIPs)
		suite.Drop(f)(f.DeleteLoadBalancer(f.Ctx, lb.ID))
		suite.Drop(f)(f.DeleteNetwork(f.Ctx, network.ID))
	})
	s.Test("DetachLoadBalancerNetwork/NotAttached", func(f *suite.Fixture) {
		lb := f.LoadBalancer(simcloud.LoadBalancerSpec{})
		for _, network := range []simcloud.ID{lb.Network, "net-9"} {
			_, err := f.DetachLoadBalancerNetwork(f.Ctx, lb.ID, network)
			f.Want(err, simcloud.NotFound)
			f.WantResource(err, "load_balancer/lb-1")
		}
	})
	s.TestSlow("AttachLoadBalancerNetwork/Slow", func(f *suite.Fixture) {
		lb := f.LoadBalancer(simcloud.LoadBalancerSpec{})
		f.Advance(suite.OpDuration)
		got := attach(f, lb.ID, simcloud.NetworkAttachment{Network: "net-1"})
		f.Equal("state at first", got.State, simcloud.LoadBalancerUpdating)
		_, err := f.DetachLoadBalancerNetwork(f.Ctx, lb.ID, "net-1")
		f.Want(err, simcloud.Locked)
		f.Advance(suite.OpDuration)
		f.Equal("state in the end", f.MustGetLoadBalancer(lb.ID).State, simcloud.LoadBalancerActive)
	})
	s.Test("CreateLoadBalancer/Networks", func(f *suite.Fixture) {
		network, subnet := inSubnet(f)
		lb := f.LoadBalancer(simcloud.LoadBalancerSpec{
			PublicFamilies: []int{4},
			Networks:       []simcloud.NetworkAttachment{{Network: network.ID, Subnet: subnet.ID}, {Network: "net-1", Address: "10.0.0.9"}},
		})
		f.Equal("VIPs", len(lb.VIPs), 4)
		f.Equal("the VIP of the second", lb.VIPs[3], simcloud.VIP{Address: "10.0.0.9", Network: "net-1"})
		_, err := f.CreateLoadBalancer(f.Ctx, simcloud.LoadBalancerSpec{
			Name: "b", Networks: []simcloud.NetworkAttachment{{Network: "net-1"}, {Network: "net-1"}},
		})
		f.WantField(err, "networks[1].network")
		_, err = f.CreateLoadBalancer(f.Ctx, simcloud.LoadBalancerSpec{
			Name: "b", Networks: []simcloud.NetworkAttachment{{Network: "net-1", Address: "10.1.0.9"}},
		})
		f.WantField(err, "networks[0].address")
	})
}
