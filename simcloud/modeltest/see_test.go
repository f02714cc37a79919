package modeltest

import (
	"context"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

// see returns what a cloud shows of one client's resources, found by their label.
func see(ctx context.Context, c *client.Client, owner string) (*model, error) {
	m, opts := newModel(), simcloud.ListOptions{Selector: "owner=" + owner, PageSize: 37}
	for _, err := range []error{
		seeAll(ctx, m, c.ListInstances, opts, seenInstance),
		seeAll(ctx, m, c.ListVolumes, opts, seenVolume),
		seeAll(ctx, m, c.ListFloatingIPs, opts, seenFloatingIP),
		seeAll(ctx, m, c.ListLoadBalancers, opts, seenLoadBalancer),
		seeAll(ctx, m, c.ListNetworks, opts, seenNetwork),
		seeAll(ctx, m, c.ListSubnets, opts, seenSubnet),
	} {
		if err != nil {
			return nil, err
		}
	}
	return m, nil
}

func seeAll[T any](ctx context.Context, m *model, list simcloud.ListFunc[T], opts simcloud.ListOptions, seen func(T) (simcloud.Meta, thing)) error {
	items, err := simcloud.ListAll(ctx, list, opts)
	for _, item := range items {
		meta, t := seen(item)
		t.Name, t.Note = meta.Name, meta.Labels["note"]
		m.things[meta.ID] = t
	}
	return err
}

func seenInstance(i simcloud.Instance) (simcloud.Meta, thing) {
	return i.Meta, thing{Kind: simcloud.KindInstance, State: string(i.State)}
}

func seenVolume(v simcloud.Volume) (simcloud.Meta, thing) {
	return v.Meta, thing{Kind: simcloud.KindVolume, State: string(v.State), Of: string(v.AttachedTo)}
}

func seenFloatingIP(f simcloud.FloatingIP) (simcloud.Meta, thing) {
	return f.Meta, thing{Kind: simcloud.KindFloatingIP, State: string(f.State), Of: string(f.AttachedTo.ID)}
}

func seenLoadBalancer(lb simcloud.LoadBalancer) (simcloud.Meta, thing) {
	targets := map[simcloud.ID]bool{}
	for _, target := range lb.Targets {
		targets[target.Instance] = target.Health == simcloud.TargetHealthy
	}
	return lb.Meta, thing{Kind: simcloud.KindLoadBalancer, State: string(lb.State), Of: targetText(targets)}
}

func seenNetwork(n simcloud.Network) (simcloud.Meta, thing) {
	return n.Meta, thing{Kind: simcloud.KindNetwork, State: n.State}
}

func seenSubnet(s simcloud.Subnet) (simcloud.Meta, thing) {
	return s.Meta, thing{Kind: simcloud.KindSubnet, State: s.State, Of: string(s.Network)}
}
