package core_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/core"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// TestSubnetsByChance makes and deletes subnets and what is in them in a small
// network of both families: no address is ever handed out twice, lost, or out of its place.
func TestSubnetsByChance(t *testing.T) {
	t.Parallel()
	for seed := range uint64(2) {
		cloud := open(t, core.Config{Seed: seed})
		must[simcloud.Result[simcloud.Network]](t)(cloud.CreateNetwork(t.Context(), simcloud.NetworkSpec{
			Name: "n", CIDRs: []string{"10.9.0.0/26", "fd09::/122"},
		}))
		dice := rand.New(rand.NewPCG(seed, 1))
		codes := map[simcloud.Code]int{}
		for n := range 300 {
			code := simcloud.CodeOf(crowd(t, cloud, dice))
			codes[code]++
			if n%50 != 0 && n < 299 {
				continue
			}
			if err := cloud.Check(t.Context()); err != nil {
				t.Fatalf("seed %d, step %d: %v", seed, n, err)
			}
		}
		if codes[""] < 80 || codes[simcloud.Capacity] == 0 || codes[simcloud.Conflict] == 0 || codes[simcloud.InUse] == 0 || codes[simcloud.Internal] > 0 {
			t.Errorf("seed %d: %v", seed, codes)
		}
	}
}

// crowd does one thing by chance to the network net-2.
func crowd(t *testing.T, cloud *core.Cloud, dice *rand.Rand) error {
	ctx := t.Context()
	state := must[simcloud.State](t)(cloud.GetState(ctx))
	var err error
	switch dice.IntN(8) {
	case 0, 1:
		_, err = cloud.CreateInstance(ctx, simcloud.InstanceSpec{Name: "a", Network: "net-2"})
	case 2, 3:
		_, err = cloud.CreateInstance(ctx, simcloud.InstanceSpec{Name: "a", Subnet: anyOf(dice, state.Subnets)})
	case 4, 5:
		_, err = cloud.DeleteInstance(ctx, anyOf(dice, state.Instances))
	case 6:
		cidr := fmt.Sprintf("10.9.0.%d/29", 8*dice.IntN(8))
		if dice.IntN(2) == 0 {
			cidr = fmt.Sprintf("fd09::%x/125", 8*dice.IntN(8))
		}
		_, err = cloud.CreateSubnet(ctx, simcloud.SubnetSpec{Name: "s", Network: "net-2", CIDR: cidr})
	default:
		_, err = cloud.DeleteSubnet(ctx, anyOf(dice, state.Subnets))
	}
	return err
}

// unknown is an id and a name that nothing has.
const unknown = "unknown"

// anyOf returns the id of one of the items, unknown when there are none.
func anyOf[T any, P store.Resource[T]](dice *rand.Rand, items []T) simcloud.ID {
	if len(items) == 0 {
		return unknown
	}
	return P(&items[dice.IntN(len(items))]).GetMeta().ID
}

// TestCheckFindsInNetworks: each broken rule of networks and pools is reported.
func TestCheckFindsInNetworks(t *testing.T) {
	t.Parallel()
	for want, spoil := range map[string]func(tx *store.Tx) error{
		"subnet-1 has 10.1.0.0/24, which is not in net-1": func(tx *store.Tx) error {
			return changeSubnet(tx, "subnet-1", func(s *simcloud.Subnet) { s.CIDR = "10.1.0.0/24" })
		},
		"subnet-2 has 10.0.1.128/25, which overlaps the subnet 10.0.1.0/24": func(tx *store.Tx) error {
			return changeSubnet(tx, "subnet-2", func(s *simcloud.Subnet) { s.CIDR = "10.0.1.128/25" })
		},
		`i-1 of net-1 and zone-a is in subnet-1 of net-1 and "zone-b"`: func(tx *store.Tx) error {
			return changeSubnet(tx, "subnet-1", func(s *simcloud.Subnet) { s.Zone = "zone-b" })
		},
		"of subnet-1, in which it is not": func(tx *store.Tx) error {
			return changeInstance(tx, "i-1", func(i *simcloud.Instance) { i.Subnet = "" })
		},
		"instance/i-1 refers to subnet/subnet-9": func(tx *store.Tx) error {
			return changeInstance(tx, "i-1", func(i *simcloud.Instance) { i.Subnet = "subnet-9" })
		},
		"is lost: instance/i-1 does not have it": func(tx *store.Tx) error {
			return changeInstance(tx, "i-1", func(i *simcloud.Instance) { i.Addresses = i.Addresses[:1] })
		},
		"instance/i-1 has 10.0.9.9, which no pool has handed out": func(tx *store.Tx) error {
			return changeInstance(tx, "i-1", func(i *simcloud.Instance) {
				i.Addresses = append(i.Addresses, simcloud.Address{Scope: simcloud.ScopePrivate, Address: "10.0.9.9"})
			})
		},
		"has no owner and is not free": func(tx *store.Tx) error {
			return store.Addresses.Put(tx, store.Key("public", "127.77.9.9"), store.AddressRecord{Freed: []byte("x")})
		},
		"floating_ip/fip-1 refers to floating_ip_pool/private": func(tx *store.Tx) error {
			fip, err := store.FloatingIPs.Get(tx, "fip-1")
			fip.Pool = "private"
			return errors.Join(err, store.FloatingIPs.Update(tx, time.Now(), &fip))
		},
		"cluster-1 and cluster-2 of one project": func(tx *store.Tx) error {
			second, err := store.Clusters.Get(tx, "cluster-1")
			second.ID = "cluster-2"
			return errors.Join(err, store.Clusters.Restore(tx, time.Now(), &second))
		},
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			wantProblem(t, inhabit, spoil, want)
		})
	}
}

// inhabit makes two subnets, an instance in the first, a floating IP and a cluster.
func inhabit(t *testing.T, cloud *core.Cloud) {
	t.Helper()
	ctx := t.Context()
	for _, cidr := range []string{"10.0.1.0/24", "10.0.2.0/24"} {
		must[simcloud.Result[simcloud.Subnet]](t)(cloud.CreateSubnet(ctx, simcloud.SubnetSpec{Name: "s", CIDR: cidr}))
	}
	must[instanceResult](t)(cloud.CreateInstance(ctx, simcloud.InstanceSpec{Name: "a", Subnet: "subnet-1"}))
	must[simcloud.Result[simcloud.FloatingIP]](t)(cloud.CreateFloatingIP(ctx, simcloud.FloatingIPSpec{Name: "f"}))
	must[simcloud.Result[simcloud.Cluster]](t)(cloud.CreateCluster(ctx, simcloud.ClusterSpec{Name: "c", Endpoint: "https://a"}))
}

func changeSubnet(tx *store.Tx, id simcloud.ID, edit func(*simcloud.Subnet)) error {
	subnet, err := store.Subnets.Get(tx, id)
	if err != nil {
		return err
	}
	edit(&subnet)
	return store.Subnets.Update(tx, time.Now(), &subnet)
}
