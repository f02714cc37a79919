package core

import (
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

func (s *seeding) networks() seedPart {
	p := &kindPart[simcloud.Network, *simcloud.Network, simcloud.TopologyNetwork]{s: s, bucket: store.Networks}
	p.wanted, p.listed = entries(s.want.Networks, "networks", func(n simcloud.TopologyNetwork) string { return n.Name })
	p.fits = func(have simcloud.Network, want simcloud.TopologyNetwork) bool {
		return sameRanges(have.CIDRs, want.CIDRs)
	}
	p.delete = func(have simcloud.Network) error {
		_, err := s.do.DeleteNetwork(s.ctx, have.ID)
		return err
	}
	p.create = func(want simcloud.TopologyNetwork) error {
		_, err := s.do.CreateNetwork(s.ctx, want.NetworkSpec)
		return err
	}
	p.update = func(have simcloud.Network, want simcloud.TopologyNetwork) error {
		update := simcloud.NetworkUpdate{Labels: newLabels(have.Labels, want.Labels), Protected: newProtection(have.Protected, want.Protected)}
		if update == (simcloud.NetworkUpdate{}) {
			return nil
		}
		_, err := s.do.UpdateNetwork(s.ctx, have.ID, update)
		return err
	}
	return p
}

// seedSubnet is a subnet of a topology with the name of its network.
type seedSubnet struct {
	simcloud.TopologySubnet
	network simcloud.ID
}

func (s *seeding) subnets() seedPart {
	p := &kindPart[simcloud.Subnet, *simcloud.Subnet, seedSubnet]{s: s, bucket: store.Subnets, listed: s.want.Networks != nil}
	if p.listed {
		for i, network := range *s.want.Networks {
			for n, subnet := range network.Subnets {
				path := seedPath("networks", i) + seedPath("subnets", n)
				p.wanted = append(p.wanted, entry[seedSubnet]{path, subnet.Name, seedSubnet{subnet, simcloud.ID(network.Name)}})
			}
		}
	}
	p.fits = func(have simcloud.Subnet, want seedSubnet) bool {
		return leads(s, store.Networks, have.Network, want.network) && have.Zone == want.Zone &&
			leads(s, store.Zones, have.Zone, want.Zone) && sameRanges([]string{have.CIDR}, []string{want.CIDR})
	}
	p.delete = func(have simcloud.Subnet) error {
		_, err := s.do.DeleteSubnet(s.ctx, have.ID)
		return err
	}
	p.create = func(want seedSubnet) error {
		network, err := named(s, store.Networks, "network", want.network)
		if err != nil {
			return err
		}
		_, err = s.do.CreateSubnet(s.ctx, simcloud.SubnetSpec{
			Name: want.Name, Network: network, CIDR: want.CIDR, Zone: want.Zone, Labels: want.Labels,
		})
		return err
	}
	p.update = func(have simcloud.Subnet, want seedSubnet) error { return relabel(s, store.Subnets, have, want.Labels) }
	return p
}
