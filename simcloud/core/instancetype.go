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
func (c *Cloud) CreateInstanceType(
	ctx context.Context, spec simcloud.InstanceTypeSpec, opts ...simcloud.CallOption,
) (simcloud.Result[simcloud.InstanceType], error) {
	call := call{verb: "CreateInstanceType", admin: true, spec: spec, opts: simcloud.Options(opts)}
	return mutate(ctx, c, call, func(w *work) (r simcloud.Result[simcloud.InstanceType], err error) {
		kind := simcloud.InstanceType{VCPUs: spec.VCPUs, MemoryMiB: spec.MemoryMiB}
		if kind.Meta, err = share(w, store.InstanceTypes, spec.Name, spec.Labels); err != nil {
			return r, err
		}
		return insert(w, store.InstanceTypes, kind)
	})
}

// DeleteInstanceType removes an instance type that no instance has.
func (c *Cloud) DeleteInstanceType(ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (simcloud.Operation, error) {
	call := call{verb: "DeleteInstanceType", admin: true, ids: []simcloud.ID{id}, opts: simcloud.Options(opts)}
	return remove(ctx, c, call, func(w *work) (simcloud.Operation, error) {
		op, err := removeUnused(w, store.InstanceTypes, id)
		if err != nil {
			return op, err
		}
		return op, w.forgetType(id)
	})
}
