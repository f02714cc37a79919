package ccm

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	cloudprovider "k8s.io/cloud-provider"

	"github.com/simcloud-dev/simcloud/ccm/internal/ccmtest"
	"github.com/simcloud-dev/simcloud/ccm/volume"
	"github.com/simcloud-dev/simcloud/simcloud"
)

func TestGetLabelsForVolume(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0)
	if _, err := w.api.CreateVolume(w.ctx(), simcloud.VolumeSpec{Name: "data", SizeGiB: 1, Zone: "zone-b"}); err != nil {
		t.Fatal(err)
	}
	got, err := w.cloud.GetLabelsForVolume(w.ctx(), ccmtest.VolumeOf(volume.Driver, "vol-1"))
	if diff := cmp.Diff(map[string]string{v1.LabelTopologyZone: "zone-b", v1.LabelTopologyRegion: "region-1"}, got); err != nil || diff != "" {
		t.Errorf("error %v, labels (-want +got):\n%s", err, diff)
	}
	if _, err := w.cloud.GetLabelsForVolume(w.ctx(), ccmtest.VolumeOf(volume.Driver, "vol-9")); !errors.Is(err, cloudprovider.DiskNotFound) {
		t.Errorf("one that is gone: %v, want DiskNotFound", err)
	}
	w.took()
	for _, pv := range []*v1.PersistentVolume{ccmtest.VolumeOf("other.example.org", "vol-1"), {}} {
		if got, err := w.cloud.GetLabelsForVolume(w.ctx(), pv); len(got) > 0 || err != nil || len(w.took()) > 0 {
			t.Errorf("another driver's: %v, %v; want nothing, without a call", got, err)
		}
	}
	w.cloud.volumes = volume.New(w.cloud.api, "region-2")
	if _, err := w.cloud.GetLabelsForVolume(w.ctx(), ccmtest.VolumeOf(volume.Driver, "vol-1")); err == nil {
		t.Error("one of another region: no error")
	}
}
