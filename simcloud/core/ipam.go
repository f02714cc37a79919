package core

import (
	"encoding/binary"
	"math/rand/v2"
	"net/netip"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// Where public addresses come from. The first can be bound on Linux without
// any set-up; the second is reserved for benchmarks (RFC 2544), so that no
// packet finds a real host.
const (
	FloatingPool     = "public"
	FloatingPoolCIDR = "127.77.0.0/16"
	publicPool       = "instances"
	PublicCIDR       = "198.18.0.0/15"
)

// pool is a range of addresses, handed out one after the other from a place
// that the seed decides. An address that was freed comes again when no other is left.
type pool struct {
	name   string
	prefix netip.Prefix
}

func floatingPool() pool { return pool{FloatingPool, netip.MustParsePrefix(FloatingPoolCIDR)} }
func publicPoolOf() pool { return pool{publicPool, netip.MustParsePrefix(PublicCIDR)} }

// networkPools returns the pools of a network's ranges.
func networkPools(n simcloud.Network) []pool {
	pools := make([]pool, 0, len(n.CIDRs))
	for _, cidr := range n.CIDRs {
		if prefix, err := netip.ParsePrefix(cidr); err == nil {
			pools = append(pools, pool{string(n.ID) + "/" + cidr, prefix})
		}
	}
	return pools
}

// size is the number of addresses that the pool uses; of a large IPv6 range that is the beginning.
func (p pool) size() uint64 {
	return 1 << min(32, p.prefix.Addr().BitLen()-p.prefix.Bits())
}

// at returns the address at a place of the pool.
func (p pool) at(place uint64) netip.Addr {
	raw := p.prefix.Addr().AsSlice()
	last := raw[len(raw)-4:]
	binary.BigEndian.PutUint32(last, binary.BigEndian.Uint32(last)|uint32(place))
	addr, _ := netip.AddrFromSlice(raw)
	return addr
}

// usable reports whether an address can be handed out: those of the network,
// the gateway (the first) and the broadcast cannot.
func (p pool) usable(addr netip.Addr) bool {
	if !p.prefix.Contains(addr) {
		return false
	}
	reserved := addr == p.at(0) || addr == p.at(1)
	if addr.Is4() {
		reserved = reserved || addr == p.at(p.size()-1)
	}
	return !reserved
}

// allocate hands out the next address of the pool.
func (w *work) allocate(p pool, owner store.Ref) (string, error) {
	size := p.size()
	begin := rand.New(rand.NewPCG(w.seed, hash(p.name))).Uint64N(size)
	cursor := store.PoolCursor(p.name)
	for used := cursor.Last(w.tx); used < size; used++ {
		addr := p.at((begin + used) % size)
		if free, err := w.untouched(p, addr); err != nil {
			return "", err
		} else if !free {
			continue
		}
		if err := cursor.Set(w.tx, used+1); err != nil {
			return "", err
		}
		return addr.String(), w.own(p, addr.String(), owner)
	}
	return w.reuse(p, owner)
}

// untouched reports whether an address was never handed out and may be.
func (w *work) untouched(p pool, addr netip.Addr) (bool, error) {
	if !p.usable(addr) {
		return false, nil
	}
	_, known, err := store.Addresses.Get(w.tx, store.Key(p.name, addr.String()))
	return !known, err
}

// reuse hands out the address that has been free for the longest time.
func (w *work) reuse(p pool, owner store.Ref) (string, error) {
	key, address, ok, err := store.Freed.First(w.tx, store.Key(p.name))
	if err != nil {
		return "", err
	}
	if !ok {
		return "", simcloud.Errorf(simcloud.Capacity, simcloud.Ref(owner.Kind, ""), "the pool %s (%s) has no free address", p.name, p.prefix)
	}
	if err := store.Freed.Delete(w.tx, key); err != nil {
		return "", err
	}
	return address, w.own(p, address, owner)
}

// claim hands out a certain address.
func (w *work) claim(p pool, addr netip.Addr, owner store.Ref) error {
	record, known, err := store.Addresses.Get(w.tx, store.Key(p.name, addr.String()))
	if err != nil {
		return err
	}
	if known && record.Owner != nil {
		return simcloud.Errorf(simcloud.AlreadyExists, simcloud.Ref(owner.Kind, ""), "the address %s is taken", addr)
	}
	if known {
		if err := store.Freed.Delete(w.tx, string(record.Freed)); err != nil {
			return err
		}
	}
	return w.own(p, addr.String(), owner)
}

func (w *work) own(p pool, address string, owner store.Ref) error {
	return store.Addresses.Put(w.tx, store.Key(p.name, address), store.AddressRecord{Owner: &owner})
}

// release lets an address be handed out again, after all others.
func (w *work) release(p pool, address string) error {
	n, err := store.FreedCounter.Next(w.tx)
	if err != nil {
		return err
	}
	key := store.Key(p.name) + store.Ordered(n)
	if err := store.Freed.Put(w.tx, key, address); err != nil {
		return err
	}
	return store.Addresses.Put(w.tx, store.Key(p.name, address), store.AddressRecord{Freed: []byte(key)})
}

// forget removes a pool of which no address is in use.
func (w *work) forget(p pool) error {
	for {
		key, address, ok, err := store.Freed.First(w.tx, store.Key(p.name))
		if err != nil || !ok {
			return err
		}
		if err := store.Freed.Delete(w.tx, key); err != nil {
			return err
		}
		if err := store.Addresses.Delete(w.tx, store.Key(p.name, address)); err != nil {
			return err
		}
	}
}

// releaseFrom releases an address into that of the pools from which the owner has it.
func (w *work) releaseFrom(pools []pool, address string, owner store.Ref) error {
	for _, p := range pools {
		record, _, err := store.Addresses.Get(w.tx, store.Key(p.name, address))
		if err != nil {
			return err
		}
		if record.Owner != nil && *record.Owner == owner {
			return w.release(p, address)
		}
	}
	return nil
}
