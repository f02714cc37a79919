package ccm

import (
	"context"

	"github.com/simcloud-dev/simcloud/simcloud"
)

type keyResult = simcloud.Result[simcloud.SSHKey]

func (i intercepted) GetVolume(ctx context.Context, id simcloud.ID) (simcloud.Volume, error) {
	return intercept(i, "GetVolume", func() (simcloud.Volume, error) { return i.api.GetVolume(ctx, id) })
}

func (i intercepted) ListClusters(ctx context.Context, o simcloud.ListOptions) (simcloud.Page[simcloud.Cluster], error) {
	return intercept(i, "ListClusters", func() (simcloud.Page[simcloud.Cluster], error) { return i.api.ListClusters(ctx, o) })
}

func (i intercepted) ListSSHKeys(ctx context.Context, o simcloud.ListOptions) (simcloud.Page[simcloud.SSHKey], error) {
	return intercept(i, "ListSSHKeys", func() (simcloud.Page[simcloud.SSHKey], error) { return i.api.ListSSHKeys(ctx, o) })
}

func (i intercepted) CreateSSHKey(ctx context.Context, s simcloud.SSHKeySpec, o ...simcloud.CallOption) (keyResult, error) {
	return intercept(i, "CreateSSHKey", func() (keyResult, error) { return i.api.CreateSSHKey(ctx, s, o...) })
}

func (i intercepted) AttachSSHKey(ctx context.Context, id simcloud.ID, to simcloud.SSHKeyTargets, o ...simcloud.CallOption) (keyResult, error) {
	return intercept(i, "AttachSSHKey", func() (keyResult, error) { return i.api.AttachSSHKey(ctx, id, to, o...) })
}
