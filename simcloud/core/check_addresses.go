package core

import (
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// handedOut compares the addresses that the pools know with those that
// resources have: none is lost, and none is free and in use.
func (i *inspection) handedOut(tx *store.Tx) error {
	has := i.owners()
	var err error
	for key, record := range store.Addresses.All(tx, &err) {
		address := store.PartAfter(key, store.PartAfter(key))
		if record.Owner == nil {
			if freed, ok, err := store.Freed.Get(tx, string(record.Freed)); err != nil || !ok || freed != address {
				i.fail("the address %s has no owner and is not free: %v", address, err)
			}
			continue
		}
		owned := ownership{*record.Owner, address}
		if !has[owned] {
			i.fail("the address %s is lost: %s does not have it", address, simcloud.Ref(record.Owner.Kind, record.Owner.ID))
		}
		delete(has, owned)
	}
	for owned := range has {
		i.fail("%s has %s, which no pool has handed out", simcloud.Ref(owned.owner.Kind, owned.owner.ID), owned.address)
	}
	return err
}

// ownership is that of one address.
type ownership struct {
	owner   store.Ref
	address string
}

// owners returns who has which address.
func (i *inspection) owners() map[ownership]bool {
	has := map[ownership]bool{}
	add := func(kind simcloud.Kind, id simcloud.ID, address string) {
		has[ownership{store.Ref{Kind: kind, ID: id}, address}] = true
	}
	for _, instance := range i.state.Instances {
		for _, address := range instance.Addresses {
			add(simcloud.KindInstance, instance.ID, address.Address)
		}
	}
	for _, lb := range i.state.LoadBalancers {
		for _, vip := range lb.VIPs {
			if vip.FloatingIP == "" && vip.Document == "" {
				add(simcloud.KindLoadBalancer, lb.ID, vip.Address)
			}
		}
	}
	for _, document := range i.state.Documents {
		for _, r := range document.Reserved {
			add(simcloud.KindDocument, document.ID, r.Address)
		}
	}
	for _, fip := range i.state.FloatingIPs {
		add(simcloud.KindFloatingIP, fip.ID, fip.Address)
	}
	return has
}
