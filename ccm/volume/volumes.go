// Package volume tells PersistentVolumes the zone and the region of their volumes.
package volume

import (
	"context"
	"fmt"

	v1 "k8s.io/api/core/v1"
	cloudprovider "k8s.io/cloud-provider"

	"github.com/simcloud-dev/simcloud/ccm/internal/call"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// Driver is the CSI driver of PersistentVolumes that are volumes of the
// cloud. Their volumeHandle is the volume's id.
const Driver = "volume.simcloud.dev"

// API is what is called of the cloud for volumes.
type API interface {
	GetVolume(ctx context.Context, id simcloud.ID) (simcloud.Volume, error)
}

// Labeler implements cloudprovider.PVLabeler.
type Labeler struct {
	api    API
	region simcloud.ID // of the config; empty for any of the cloud
}

var _ cloudprovider.PVLabeler = (*Labeler)(nil)

// New returns what tells volumes' places. The region is that of the config, empty for any of the cloud.
func New(api API, region simcloud.ID) *Labeler {
	return &Labeler{api: api, region: region}
}

// GetLabelsForVolume returns the zone and region of the volume that a
// PersistentVolume is, as labels. Of another driver's it says nothing.
func (v *Labeler) GetLabelsForVolume(ctx context.Context, pv *v1.PersistentVolume) (map[string]string, error) {
	if pv.Spec.CSI == nil || pv.Spec.CSI.Driver != Driver {
		return map[string]string{}, nil
	}
	id := simcloud.ID(pv.Spec.CSI.VolumeHandle)
	volume, err := v.api.GetVolume(ctx, id)
	switch {
	case call.IsGone(err):
		return nil, fmt.Errorf("volume %s: %w", id, call.DiskGone())
	case err != nil:
		return nil, fmt.Errorf("get volume %s: %w", id, err)
	case volume.ID != id:
		return nil, fmt.Errorf("get volume %s: the cloud answered with %q", id, volume.ID)
	case volume.Zone == "" || volume.Region == "":
		return nil, fmt.Errorf("volume %s has the zone %q and the region %q: both are needed", id, volume.Zone, volume.Region)
	case v.region != "" && volume.Region != v.region:
		return nil, fmt.Errorf("volume %s is of region %s, and this provider is for region %s", id, volume.Region, v.region)
	}
	return map[string]string{v1.LabelTopologyZone: string(volume.Zone), v1.LabelTopologyRegion: string(volume.Region)}, nil
}
