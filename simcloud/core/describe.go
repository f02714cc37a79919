package core

import (
	"context"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// Description is what one may ask of a resource without knowing its kind.
type Description struct {
	Name   string
	Zone   simcloud.ID // empty for kinds that are in no zone
	Labels map[string]string
}

// Describe reads a resource of any kind that users make, as the caller of ctx
// sees it; NotFound for other kinds too. It is not a read of the API: it moves
// no progression on and shows the latest write.
func (c *Cloud) Describe(ctx context.Context, kind simcloud.Kind, id simcloud.ID) (d Description, err error) {
	read, ok := describers()[kind]
	if !ok {
		return d, simcloud.Errorf(simcloud.NotFound, simcloud.Ref(kind, id), "it cannot be described")
	}
	project := simcloud.CallerFrom(ctx).Project
	err = c.db.View(func(tx *store.Tx) error {
		d, err = read(tx, project, id)
		return err
	})
	return d, err
}

// describer reads a resource of one kind.
type describer func(tx *store.Tx, project, id simcloud.ID) (Description, error)

func describers() map[simcloud.Kind]describer {
	return map[simcloud.Kind]describer{
		simcloud.KindProject:        describe(store.Projects, nowhere),
		simcloud.KindRegion:         describe(store.Regions, nowhere),
		simcloud.KindZone:           describe(store.Zones, func(z *simcloud.Zone) simcloud.ID { return z.ID }),
		simcloud.KindInstanceType:   describe(store.InstanceTypes, nowhere),
		simcloud.KindNetwork:        describe(store.Networks, nowhere),
		simcloud.KindSubnet:         describe(store.Subnets, func(s *simcloud.Subnet) simcloud.ID { return s.Zone }),
		simcloud.KindInstance:       describe(store.Instances, func(i *simcloud.Instance) simcloud.ID { return i.Zone }),
		simcloud.KindVolume:         describe(store.Volumes, func(v *simcloud.Volume) simcloud.ID { return v.Zone }),
		simcloud.KindSSHKey:         describe(store.SSHKeys, nowhere),
		simcloud.KindLoadBalancer:   describe(store.LoadBalancers, nowhere),
		simcloud.KindFloatingIP:     describe(store.FloatingIPs, nowhere),
		simcloud.KindFloatingIPPool: describe(store.FloatingIPPools, nowhere),
		simcloud.KindRouteTable:     describe(store.RouteTables, nowhere),
		simcloud.KindCluster:        describe(store.Clusters, nowhere),
	}
}

// nowhere is the zone of kinds that are in none.
func nowhere[T any](*T) simcloud.ID { return "" }

func describe[T any, P store.Resource[T]](b store.Bucket[T, P], zone func(*T) simcloud.ID) describer {
	return func(tx *store.Tx, project, id simcloud.ID) (Description, error) {
		v, err := find(tx, b, project, id)
		if err != nil {
			return Description{}, err
		}
		meta := P(&v).GetMeta()
		return Description{Name: meta.Name, Zone: zone(&v), Labels: meta.Labels}, nil
	}
}
