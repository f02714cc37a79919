package core

import (
	"encoding/binary"
	"math/rand/v2"
	"net/netip"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// pool is a range of addresses, handed out one after the other from a place
// that the seed decides. An address that was freed comes again when no other is left.
type pool struct {
	name   string
	prefix netip.Prefix
	// base is the address at place 0.
	base netip.Addr
	// except are the parts of the range that other pools hand out, by their addresses.
	except []netip.Prefix
	subnet simcloud.ID // that the range is of, if any
	// networks lets each place be a network of networkBits, of which the first address is handed out.
	networks bool
}

// networkBits is the size of the IPv6 network that a machine has for itself.
const networkBits = 64

// newPool returns the pool of a range. A range that is too large to use whole
// begins after the exceptions that it would begin with.
func newPool(name string, prefix netip.Prefix, except ...netip.Prefix) pool {
	p := pool{name: name, prefix: prefix, base: prefix.Addr(), except: except}
	if hostBits(prefix) <= placeBits {
		return p
	}
	for _, part := range except {
		next := lastOf(part).Next()
		if part.Contains(p.base) && hostBits(part) >= placeBits && prefix.Contains(next) {
			p.base = next
		}
	}
	return p
}

// placeBits is how much of an address counts the places of a pool.
const placeBits = 32

func hostBits(prefix netip.Prefix) int { return prefix.Addr().BitLen() - prefix.Bits() }

// lastOf returns the last address of a range.
func lastOf(prefix netip.Prefix) netip.Addr {
	raw := prefix.Addr().AsSlice()
	for i := range raw {
		host := min(8, max(0, 8*(i+1)-prefix.Bits()))
		raw[i] |= byte(1<<host - 1)
	}
	addr, _ := netip.AddrFromSlice(raw)
	return addr
}

// size is the number of addresses that the pool uses; of a large IPv6 range that is the beginning.
func (p pool) size() uint64 {
	if p.networks {
		return 1 << min(placeBits, networkBits-p.prefix.Bits())
	}
	return 1 << min(placeBits, hostBits(p.prefix))
}

// at returns the address at a place of the pool.
func (p pool) at(place uint64) netip.Addr {
	raw := p.base.AsSlice()
	end := len(raw)
	if p.networks {
		raw[end-1] = 1
		end = networkBits / 8
	}
	last := raw[end-placeBits/8 : end]
	binary.BigEndian.PutUint32(last, binary.BigEndian.Uint32(last)|uint32(place))
	addr, _ := netip.AddrFromSlice(raw)
	return addr
}

// skip returns how many places from this one on, without a turn, are those of an exception.
func (p pool) skip(place uint64) uint64 {
	addr := p.at(place)
	for _, part := range p.except {
		if !part.Contains(addr) {
			continue
		}
		left := p.size() - place
		if hostBits(part) >= placeBits {
			return left
		}
		size := uint64(1) << hostBits(part)
		raw := addr.AsSlice()
		within := uint64(binary.BigEndian.Uint32(raw[len(raw)-4:])) % size
		return min(left, size-within)
	}
	return 0
}

// usable reports whether an address can be handed out: those of the network,
// the gateway (the first) and the broadcast cannot.
func (p pool) usable(addr netip.Addr) bool {
	if !p.prefix.Contains(addr) {
		return false
	}
	for _, part := range p.except {
		if part.Contains(addr) {
			return false
		}
	}
	first := p.prefix.Addr()
	return addr != first && addr != first.Next() && (addr.Is6() || addr != lastOf(p.prefix))
}

// allocate hands out the next address of the pool.
func (t *txn) allocate(p pool, owner store.Ref) (string, error) {
	size := p.size()
	begin := rand.New(rand.NewPCG(t.seed, hash(p.name))).Uint64N(size)
	cursor := store.PoolCursor(p.name)
	for used := cursor.Last(t.tx); used < size; used++ {
		place := (begin + used) % size
		if n := p.skip(place); n > 0 {
			used += n - 1
			continue
		}
		addr := p.at(place)
		if free, err := t.untouched(p, addr); err != nil {
			return "", err
		} else if !free {
			continue
		}
		if err := cursor.Set(t.tx, used+1); err != nil {
			return "", err
		}
		return addr.String(), t.own(p, addr.String(), owner)
	}
	return t.reuse(p, owner)
}

// untouched reports whether an address was never handed out and may be.
func (t *txn) untouched(p pool, addr netip.Addr) (bool, error) {
	if !p.usable(addr) {
		return false, nil
	}
	_, known, err := store.Addresses.Get(t.tx, store.Key(p.name, addr.String()))
	return !known, err
}

// reuse hands out the address that has been free for the longest time.
func (t *txn) reuse(p pool, owner store.Ref) (string, error) {
	key, address, ok, err := store.Freed.First(t.tx, store.Key(p.name))
	if err != nil {
		return "", err
	}
	if !ok {
		return "", simcloud.Errorf(simcloud.Capacity, simcloud.Ref(owner.Kind, ""), "the pool %s (%s) has no free address", p.name, p.prefix)
	}
	if err := store.Freed.Delete(t.tx, key); err != nil {
		return "", err
	}
	return address, t.own(p, address, owner)
}

// claim hands out a certain address.
func (t *txn) claim(p pool, addr netip.Addr, owner store.Ref) error {
	record, known, err := store.Addresses.Get(t.tx, store.Key(p.name, addr.String()))
	if err != nil {
		return err
	}
	if known && record.Owner != nil {
		return simcloud.Errorf(simcloud.AlreadyExists, simcloud.Ref(owner.Kind, ""), "the address %s is taken", addr)
	}
	if known {
		if err := store.Freed.Delete(t.tx, string(record.Freed)); err != nil {
			return err
		}
	}
	return t.own(p, addr.String(), owner)
}

func (t *txn) own(p pool, address string, owner store.Ref) error {
	return store.Addresses.Put(t.tx, store.Key(p.name, address), store.AddressRecord{Owner: &owner})
}
