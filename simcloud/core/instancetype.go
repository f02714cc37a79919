package core

import (
	"context"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// ListInstanceTypes lists instance types.
func (c *Cloud) ListInstanceTypes(ctx context.Context, opts simcloud.ListOptions) (simcloud.Page[simcloud.InstanceType], error) {
	return list(ctx, c, store.InstanceTypes, opts, ofAll, noStates)
}

// GetInstanceType returns one instance type.
func (c *Cloud) GetInstanceType(ctx context.Context, id simcloud.ID) (simcloud.InstanceType, error) {
	return get(ctx, c, store.InstanceTypes, id)
}

// CreateInstanceType makes an instance type.
func (m mutations) CreateInstanceType(
	ctx context.Context, spec simcloud.InstanceTypeSpec, opts ...simcloud.CallOption,
) (simcloud.Result[simcloud.InstanceType], error) {
	req := request{verb: "CreateInstanceType", admin: true, spec: spec, opts: simcloud.Options(opts)}
	return mutate(ctx, m, req, func(t *txn) (r simcloud.Result[simcloud.InstanceType], err error) {
		kind := simcloud.InstanceType{VCPUs: spec.VCPUs, MemoryMiB: spec.MemoryMiB}
		if kind.Meta, err = newSharedMeta(t, store.InstanceTypes, spec.Name, spec.Labels); err != nil {
			return r, err
		}
		return insert(t, store.InstanceTypes, kind)
	})
}

// DeleteInstanceType removes an instance type that no instance has.
func (m mutations) DeleteInstanceType(ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (simcloud.Operation, error) {
	req := request{verb: "DeleteInstanceType", admin: true, ids: []simcloud.ID{id}, opts: simcloud.Options(opts)}
	return remove(ctx, m, req, func(t *txn) (simcloud.Operation, error) {
		op, err := removeUnused(t, store.InstanceTypes, id)
		if err != nil {
			return op, err
		}
		return op, t.forgetType(id)
	})
}
