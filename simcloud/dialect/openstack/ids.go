package openstack

import (
	"sync"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/nova"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"
)

// ids is how OpenStack shows the ids of resources. What is only read stands for a part of the resource, such as a port.
var ids = sync.OnceValue(func() dialect.IDs {
	var all dialect.IDs
	for _, form := range []struct {
		kind  simcloud.Kind
		shown service.Kind
		parts []service.Kind
	}{
		{simcloud.KindInstance, service.Servers, []service.Kind{service.ServerPorts}},
		{simcloud.KindNetwork, service.Networks, []service.Kind{service.WholeSubnets}},
		{simcloud.KindSubnet, service.Subnets, nil},
		{simcloud.KindLoadBalancer, service.LoadBalancers, []service.Kind{service.VIPPorts, service.Listeners}},
		{simcloud.KindFloatingIP, service.FloatingIPs, nil},
		{simcloud.KindSecurityGroup, service.SecurityGroups, nil},
		{simcloud.KindRouteTable, service.Routers, []service.Kind{service.RouterPorts}},
		{simcloud.KindTargetGroup, service.Pools, []service.Kind{service.Monitors}},
	} {
		all = append(all, dialect.IDForm{Kind: form.kind, Show: form.shown.UUID, Read: form.shown.ID})
		for _, part := range form.parts {
			all = append(all, dialect.IDForm{Kind: form.kind, Read: part.ID})
		}
	}
	return append(all,
		// A document is a secret, a container or a port: its id alone does not tell.
		dialect.IDForm{Kind: simcloud.KindDocument, Read: service.Secrets.ID},
		dialect.IDForm{Kind: simcloud.KindDocument, Read: service.Containers.ID},
		dialect.IDForm{Kind: simcloud.KindDocument, Read: service.Ports.ID},
		// The cloud knows these by names, which a UUID does not tell.
		dialect.IDForm{Kind: simcloud.KindInstanceType, Show: nova.FlavorUUID},
		dialect.IDForm{Kind: simcloud.KindVolume, Show: nova.VolumeUUID},
	)
})

// ShownID implements edge.IDShower.
func (Codec) ShownID(kind simcloud.Kind, id simcloud.ID) string { return ids().Shown(kind, id) }
