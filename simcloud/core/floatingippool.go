package core

import (
	"context"
	"net/netip"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// The pools that a new cloud has. The addresses of the first can be bound on
// Linux without any set-up.
const (
	FloatingPool       = "public"
	FloatingPoolCIDR   = "127.77.0.0/16"
	FloatingPoolV6     = "public-v6"
	FloatingPoolV6CIDR = "fd77::/64"
)

// ListFloatingIPPools lists pools.
func (c *Cloud) ListFloatingIPPools(ctx context.Context, opts simcloud.ListOptions) (simcloud.Page[simcloud.FloatingIPPool], error) {
	return list(ctx, c, store.FloatingIPPools, opts, ofAll, noStates)
}

// GetFloatingIPPool returns one pool.
func (c *Cloud) GetFloatingIPPool(ctx context.Context, id simcloud.ID) (simcloud.FloatingIPPool, error) {
	return get(ctx, c, store.FloatingIPPools, id)
}

// CreateFloatingIPPool makes a pool.
func (m mutations) CreateFloatingIPPool(
	ctx context.Context, spec simcloud.FloatingIPPoolSpec, opts ...simcloud.CallOption,
) (simcloud.Result[simcloud.FloatingIPPool], error) {
	req := request{verb: "CreateFloatingIPPool", admin: true, spec: spec, opts: simcloud.Options(opts)}
	return mutate(ctx, m, req, func(t *txn) (r simcloud.Result[simcloud.FloatingIPPool], err error) {
		prefix, err := netip.ParsePrefix(spec.CIDR)
		if err != nil {
			return r, err
		}
		if err := t.fitsPools(simcloud.ID(spec.Name), prefix); err != nil {
			return r, err
		}
		pool := simcloud.FloatingIPPool{CIDR: spec.CIDR}
		if pool.Meta, err = newSharedMeta(t, store.FloatingIPPools, spec.Name, spec.Labels); err != nil {
			return r, err
		}
		return insert(t, store.FloatingIPPools, pool)
	})
}

// fitsPools reports why there can be no pool of this name and range beside the
// others, of which those of the instances' public addresses are two.
func (t *txn) fitsPools(name simcloud.ID, prefix netip.Prefix) error {
	pools, err := t.floatingPools()
	if err != nil {
		return err
	}
	ref := simcloud.Ref(simcloud.KindFloatingIPPool, name)
	pools = append(pools, publicPools()...)
	if slices.ContainsFunc(pools, func(p pool) bool { return p.name == string(name) }) {
		return simcloud.Errorf(simcloud.AlreadyExists, ref, "the name is taken by a pool")
	}
	for _, p := range pools {
		if p.prefix.Overlaps(prefix) {
			return simcloud.Errorf(simcloud.Conflict, ref, "%s overlaps the pool %s (%s)", prefix, p.name, p.prefix)
		}
	}
	return nil
}

// DeleteFloatingIPPool removes a pool that no address in use is from.
func (m mutations) DeleteFloatingIPPool(ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (simcloud.Operation, error) {
	req := request{verb: "DeleteFloatingIPPool", admin: true, ids: []simcloud.ID{id}, opts: simcloud.Options(opts)}
	return remove(ctx, m, req, func(t *txn) (simcloud.Operation, error) {
		found, err := getForUpdate(t, store.FloatingIPPools, id)
		if err != nil {
			return simcloud.Operation{}, err
		}
		op, err := removeUnused(t, store.FloatingIPPools, id)
		if err != nil {
			return op, err
		}
		p, err := poolOf(found)
		if err != nil {
			return op, err
		}
		return op, t.forget(p)
	})
}

func poolOf(p simcloud.FloatingIPPool) (pool, error) {
	prefix, err := netip.ParsePrefix(p.CIDR)
	return newPool(string(p.ID), prefix), err
}

// floatingPools returns all pools, oldest first.
func (t *txn) floatingPools() ([]pool, error) {
	all, err := store.FloatingIPPools.All(t.tx)
	if err != nil {
		return nil, err
	}
	pools := make([]pool, len(all))
	for i, found := range all {
		if pools[i], err = poolOf(found); err != nil {
			return nil, err
		}
	}
	return pools, nil
}

// floatingPool returns the pool that a spec asks for: the one that it names, or
// else the first that has its address, or else the first of its family.
func (t *txn) floatingPool(spec simcloud.FloatingIPSpec) (pool, error) {
	pools, err := t.floatingPools()
	if err != nil {
		return pool{}, err
	}
	kind := string(simcloud.KindFloatingIP)
	if spec.Pool != "" {
		i := slices.IndexFunc(pools, func(p pool) bool { return p.name == spec.Pool })
		if i < 0 {
			return pool{}, invalid(kind, "pool", "floating IP pool %q not found", spec.Pool)
		}
		if spec.Family != 0 && familyOf(pools[i]) != spec.Family {
			return pool{}, invalid(kind, "family", "the pool %s (%s) is of family %d", spec.Pool, pools[i].prefix, familyOf(pools[i]))
		}
		return pools[i], nil
	}
	if addr, err := netip.ParseAddr(spec.Address); err == nil {
		pools = slices.DeleteFunc(pools, func(p pool) bool { return !p.prefix.Contains(addr) })
		if len(pools) == 0 {
			return pool{}, invalid(kind, "address", "%s is in no pool", addr)
		}
		return pools[0], nil
	}
	family := orDefault(spec.Family, 4)
	i := firstOf(pools, family)
	if i < 0 {
		return pool{}, invalid(kind, "family", "there is no pool of family %d: create one first", family)
	}
	return pools[i], nil
}

// familyOf is 4 or 6.
func familyOf(p pool) int {
	if p.prefix.Addr().Is4() {
		return 4
	}
	return 6
}

// releaseFloating gives an address back to its pool.
func (t *txn) releaseFloating(name, address string) error {
	found, err := store.FloatingIPPools.Get(t.tx, simcloud.ID(name))
	if err != nil {
		return err
	}
	p, err := poolOf(found)
	if err != nil {
		return err
	}
	return t.release(p, address)
}
