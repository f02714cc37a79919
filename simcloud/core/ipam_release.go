package core

import (
	"net/netip"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// release lets an address be handed out again, after all others.
func (t *txn) release(p pool, address string) error {
	n, err := store.FreedCounter.Next(t.tx)
	if err != nil {
		return err
	}
	key := store.Key(p.name) + store.Ordered(n)
	if err := store.Freed.Put(t.tx, key, address); err != nil {
		return err
	}
	return store.Addresses.Put(t.tx, store.Key(p.name, address), store.AddressRecord{Freed: []byte(key)})
}

// releaseFrom releases an address into that of the pools from which the owner has it.
func (t *txn) releaseFrom(pools []pool, address string, owner store.Ref) error {
	for _, p := range pools {
		record, _, err := store.Addresses.Get(t.tx, store.Key(p.name, address))
		if err != nil {
			return err
		}
		if record.Owner != nil && *record.Owner == owner {
			return t.release(p, address)
		}
	}
	return nil
}

// forget removes a pool of which no address is in use. One of the same name starts again.
func (t *txn) forget(p pool) error {
	for {
		key, address, ok, err := store.Freed.First(t.tx, store.Key(p.name))
		if err != nil {
			return err
		}
		if !ok {
			return t.rewind(p)
		}
		if err := store.Freed.Delete(t.tx, key); err != nil {
			return err
		}
		if err := store.Addresses.Delete(t.tx, store.Key(p.name, address)); err != nil {
			return err
		}
	}
}

// rewind lets a pool find again what it has passed over and may hand out now.
func (t *txn) rewind(p pool) error {
	cursor := store.PoolCursor(p.name)
	if cursor.Last(t.tx) == 0 {
		return nil
	}
	return cursor.Set(t.tx, 0)
}

// cede takes a part out of a pool, for a pool of its own. It answers Conflict,
// in the name of the kind that wants the part, while an address of it is in use.
func (t *txn) cede(p pool, part netip.Prefix, kind simcloud.Kind) error {
	var freed []string
	var failure error
	for key, record := range store.Addresses.Under(t.tx, store.Key(p.name), &failure) {
		address := store.PartAfter(key, p.name)
		addr, err := netip.ParseAddr(address)
		switch {
		case err != nil:
			return err
		case !part.Contains(addr):
		case record.Owner != nil:
			return simcloud.Errorf(simcloud.Conflict, string(kind), "%s has %s of the range %s",
				simcloud.Ref(record.Owner.Kind, record.Owner.ID), address, part)
		default:
			freed = append(freed, key)
		}
	}
	if failure != nil {
		return failure
	}
	return t.unlearn(freed)
}

// unlearn forgets free addresses, by their keys.
func (t *txn) unlearn(keys []string) error {
	for _, key := range keys {
		record, _, err := store.Addresses.Get(t.tx, key)
		if err != nil {
			return err
		}
		if err := store.Freed.Delete(t.tx, string(record.Freed)); err != nil {
			return err
		}
		if err := store.Addresses.Delete(t.tx, key); err != nil {
			return err
		}
	}
	return nil
}
