package client

import (
	"context"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// ListVolumes returns one page of volumes.
func (c *Client) ListVolumes(ctx context.Context, opts simcloud.ListOptions) (simcloud.Page[simcloud.Volume], error) {
	return list[simcloud.Volume](ctx, c, "ListVolumes", opts)
}

// GetVolume returns a volume.
func (c *Client) GetVolume(ctx context.Context, id simcloud.ID) (simcloud.Volume, error) {
	return get[simcloud.Volume](ctx, c, "GetVolume", id)
}

// CreateVolume makes a volume.
func (c *Client) CreateVolume(ctx context.Context, spec simcloud.VolumeSpec, opts ...simcloud.CallOption) (simcloud.Result[simcloud.Volume], error) {
	return mutate[simcloud.Volume](ctx, c, "CreateVolume", spec, opts)
}

// UpdateVolume changes the name and labels of a volume.
func (c *Client) UpdateVolume(ctx context.Context, id simcloud.ID, update simcloud.VolumeUpdate, opts ...simcloud.CallOption) (simcloud.Result[simcloud.Volume], error) {
	return mutate[simcloud.Volume](ctx, c, "UpdateVolume", update, opts, id)
}

// DeleteVolume deletes a volume that is not attached.
func (c *Client) DeleteVolume(ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (simcloud.Operation, error) {
	return remove(ctx, c, "DeleteVolume", id, opts)
}

// AttachVolume attaches a volume to an instance.
func (c *Client) AttachVolume(ctx context.Context, id simcloud.ID, to simcloud.VolumeAttachment, opts ...simcloud.CallOption) (simcloud.Result[simcloud.Volume], error) {
	return mutate[simcloud.Volume](ctx, c, "AttachVolume", to, opts, id)
}

// DetachVolume detaches a volume.
func (c *Client) DetachVolume(ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (simcloud.Result[simcloud.Volume], error) {
	return mutate[simcloud.Volume](ctx, c, "DetachVolume", nil, opts, id)
}

// ResizeVolume lets a volume grow.
func (c *Client) ResizeVolume(ctx context.Context, id simcloud.ID, resize simcloud.VolumeResize, opts ...simcloud.CallOption) (simcloud.Result[simcloud.Volume], error) {
	return mutate[simcloud.Volume](ctx, c, "ResizeVolume", resize, opts, id)
}
