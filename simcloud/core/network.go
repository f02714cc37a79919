package core

import (
	"context"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// ListNetworks lists networks.
func (c *Cloud) ListNetworks(ctx context.Context, opts simcloud.ListOptions) (simcloud.Page[simcloud.Network], error) {
	return list(ctx, c, store.Networks, opts, ofProject, []string{simcloud.NetworkAvailable})
}

// GetNetwork returns one network.
func (c *Cloud) GetNetwork(ctx context.Context, id simcloud.ID) (simcloud.Network, error) {
	return get(ctx, c, store.Networks, id)
}

// CreateNetwork makes a network. Its ranges may be those of another one:
// nothing joins two networks.
func (m mutations) CreateNetwork(ctx context.Context, spec simcloud.NetworkSpec, opts ...simcloud.CallOption) (simcloud.Result[simcloud.Network], error) {
	req := request{verb: "CreateNetwork", spec: spec, opts: simcloud.Options(opts)}
	return mutate(ctx, m, req, func(t *txn) (r simcloud.Result[simcloud.Network], err error) {
		network := simcloud.Network{CIDRs: slices.Clone(spec.CIDRs), State: simcloud.NetworkAvailable}
		if network.Meta, err = newMeta(t, store.Networks, spec.Name, spec.Labels); err != nil {
			return r, err
		}
		network.Protected = spec.Protected
		return insert(t, store.Networks, network)
	})
}

// UpdateNetwork changes the name, the labels and the protection.
func (m mutations) UpdateNetwork(
	ctx context.Context, id simcloud.ID, update simcloud.NetworkUpdate, opts ...simcloud.CallOption,
) (simcloud.Result[simcloud.Network], error) {
	req := request{verb: "UpdateNetwork", ids: []simcloud.ID{id}, spec: update, opts: simcloud.Options(opts)}
	return mutate(ctx, m, req, func(t *txn) (r simcloud.Result[simcloud.Network], err error) {
		before, err := getForUpdate(t, store.Networks, id)
		if err != nil {
			return r, err
		}
		after := before
		if err := rename(t, store.Networks, &after.Meta, update.Name, update.Labels); err != nil {
			return r, err
		}
		protect(&after.Meta, update.Protected)
		return replace(t, store.Networks, before, after)
	})
}

// DeleteNetwork removes a network that nothing is in.
func (m mutations) DeleteNetwork(ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (simcloud.Operation, error) {
	req := request{verb: "DeleteNetwork", ids: []simcloud.ID{id}, opts: simcloud.Options(opts)}
	return remove(ctx, m, req, func(t *txn) (simcloud.Operation, error) {
		network, err := getForDeletion(t, store.Networks, id)
		if err != nil {
			return simcloud.Operation{}, err
		}
		if err := t.dropDefaultGroup(id); err != nil {
			return simcloud.Operation{}, err
		}
		op, err := removeUnused(t, store.Networks, id)
		if err != nil {
			return op, err
		}
		ranges, _, err := t.networkPools(network)
		if err != nil {
			return op, err
		}
		for _, p := range ranges {
			if err := t.forget(p); err != nil {
				return op, err
			}
		}
		return op, nil
	})
}

// networkFor returns the network that a spec names, or else the project's first.
func (t *txn) networkFor(kind simcloud.Kind, id simcloud.ID) (simcloud.Network, error) {
	if id != "" {
		network, err := find(t.tx, store.Networks, t.caller.Project, id)
		if simcloud.CodeOf(err) == simcloud.NotFound {
			err = invalid(string(kind), "network", "network %q not found", id)
		}
		return network, err
	}
	first, ok, err := store.Networks.First(t.tx, store.Query{Project: t.caller.Project})
	if err == nil && !ok {
		err = invalid(string(kind), "network", "the project has no network: create one first")
	}
	return first, err
}
