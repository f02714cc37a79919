package core

import (
	"context"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// resourceKind is what the rules do with resources of any kind, without its type.
type resourceKind struct {
	bucket
	// describe reads a resource for Describe.
	describe func(tx *store.Tx, project, id simcloud.ID) (Description, error)
	// read puts all resources of the kind into a state.
	read func(tx *store.Tx, into *simcloud.State) error
	// metas returns what the resources of a state have in common.
	metas func(*simcloud.State) []*simcloud.Meta
	// shared is whether the resources belong to no project: all see them.
	shared bool
}

// bucket is a store.Bucket without its type.
type bucket interface {
	Kind() simcloud.Kind
	Noun() string
	Has(tx *store.Tx, id simcloud.ID) bool
	GetEncoded(tx *store.Tx, id simcloud.ID) (simcloud.EncodedResource, error)
	NotFound(id simcloud.ID) error
	Raw(tx *store.Tx, id simcloud.ID) []byte
	IDs(tx *store.Tx, q store.Query) []simcloud.ID
	Referred(tx *store.Tx, ref store.Ref) bool
	Owned(tx *store.Tx, project simcloud.ID) bool
	States(tx *store.Tx) map[string]int
}

// kinds are those whose resources users make, and are answered as they are
// stored. Nothing else has to know of a kind for its resources to be described,
// encoded, checked and part of the state.
var kinds = []resourceKind{
	sharedKind(store.Regions, func(s *simcloud.State) *[]simcloud.Region { return &s.Regions }, nowhere),
	sharedKind(store.Zones, func(s *simcloud.State) *[]simcloud.Zone { return &s.Zones }, func(z *simcloud.Zone) simcloud.ID { return z.ID }),
	sharedKind(store.InstanceTypes, func(s *simcloud.State) *[]simcloud.InstanceType { return &s.InstanceTypes }, nowhere),
	kindOf(store.Networks, func(s *simcloud.State) *[]simcloud.Network { return &s.Networks }, nowhere),
	kindOf(store.Subnets, func(s *simcloud.State) *[]simcloud.Subnet { return &s.Subnets }, func(s *simcloud.Subnet) simcloud.ID { return s.Zone }),
	kindOf(store.Instances, func(s *simcloud.State) *[]simcloud.Instance { return &s.Instances }, func(i *simcloud.Instance) simcloud.ID { return i.Zone }),
	kindOf(store.Volumes, func(s *simcloud.State) *[]simcloud.Volume { return &s.Volumes }, func(v *simcloud.Volume) simcloud.ID { return v.Zone }),
	kindOf(store.SSHKeys, func(s *simcloud.State) *[]simcloud.SSHKey { return &s.SSHKeys }, nowhere),
	kindOf(store.LoadBalancers, func(s *simcloud.State) *[]simcloud.LoadBalancer { return &s.LoadBalancers }, nowhere),
	kindOf(store.FloatingIPs, func(s *simcloud.State) *[]simcloud.FloatingIP { return &s.FloatingIPs }, nowhere),
	sharedKind(store.FloatingIPPools, func(s *simcloud.State) *[]simcloud.FloatingIPPool { return &s.FloatingIPPools }, nowhere),
	kindOf(store.RouteTables, func(s *simcloud.State) *[]simcloud.RouteTable { return &s.RouteTables }, nowhere),
	kindOf(store.Clusters, func(s *simcloud.State) *[]simcloud.Cluster { return &s.Clusters }, nowhere),
	kindOf(store.Documents, func(s *simcloud.State) *[]simcloud.Document { return &s.Documents }, nowhere),
	kindOf(store.SecurityGroups, func(s *simcloud.State) *[]simcloud.SecurityGroup { return &s.SecurityGroups }, nowhere),
	kindOf(store.TargetGroups, func(s *simcloud.State) *[]simcloud.TargetGroup { return &s.TargetGroups }, nowhere),
}

// The kinds with rules of their own: an admin gets any project, and users make no operations.
var (
	projectKind   = kindOf(store.Projects, func(s *simcloud.State) *[]simcloud.Project { return &s.Projects }, nowhere)
	operationKind = kindOf(store.Operations, func(s *simcloud.State) *[]simcloud.Operation { return &s.Operations }, nowhere)
)

// resourceKinds are the kinds that users make.
func resourceKinds() []bucket {
	made := []bucket{store.Projects, store.Tokens}
	for _, k := range kinds {
		made = append(made, k.bucket)
	}
	return made
}

// describedKinds are those of which one may ask without knowing the kind.
func describedKinds() []resourceKind { return append([]resourceKind{projectKind}, kinds...) }

// stateKinds are those that a state has as they are stored. It has tokens and
// quotas too: their state and their use are those of the moment.
func stateKinds() []resourceKind { return append(describedKinds(), operationKind) }

// kindOf is a kind whose resources belong to projects. items is where a state has
// them, zone the zone that a resource is in.
func kindOf[T any, P store.Resource[T]](
	b store.Bucket[T, P], items func(*simcloud.State) *[]T, zone func(*T) simcloud.ID,
) resourceKind {
	return resourceKind{
		bucket:   b,
		describe: describe(b, zone),
		read: func(tx *store.Tx, into *simcloud.State) (err error) {
			*items(into), err = b.All(tx)
			return err
		},
		metas: func(of *simcloud.State) []*simcloud.Meta {
			all := *items(of)
			metas := make([]*simcloud.Meta, len(all))
			for i := range all {
				metas[i] = P(&all[i]).GetMeta()
			}
			return metas
		},
	}
}

// sharedKind is kindOf for what all projects share.
func sharedKind[T any, P store.Resource[T]](
	b store.Bucket[T, P], items func(*simcloud.State) *[]T, zone func(*T) simcloud.ID,
) resourceKind {
	k := kindOf(b, items, zone)
	k.shared = true
	return k
}

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
	described := describedKinds()
	i := slices.IndexFunc(described, func(k resourceKind) bool { return k.Kind() == kind })
	if i < 0 {
		return d, simcloud.Errorf(simcloud.NotFound, simcloud.Ref(kind, id), "it cannot be described")
	}
	project := simcloud.CallerFrom(ctx).Project
	read := func(tx *store.Tx) error {
		d, err = described[i].describe(tx, project, id)
		return err
	}
	if w, err := c.wholeOf(ctx); err != nil {
		return d, err
	} else if w != nil {
		return d, read(w.tx)
	}
	return d, c.db.View(read)
}

// nowhere is the zone of kinds that are in none.
func nowhere[T any](*T) simcloud.ID { return "" }

func describe[T any, P store.Resource[T]](b store.Bucket[T, P], zone func(*T) simcloud.ID) func(*store.Tx, simcloud.ID, simcloud.ID) (Description, error) {
	return func(tx *store.Tx, project, id simcloud.ID) (Description, error) {
		v, err := find(tx, b, project, id)
		if err != nil {
			return Description{}, err
		}
		meta := P(&v).GetMeta()
		return Description{Name: meta.Name, Zone: zone(&v), Labels: meta.Labels}, nil
	}
}
