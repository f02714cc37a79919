// Package volume tells PersistentVolumes the zone and the region of their volumes.
package volume

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	cloudprovider "k8s.io/cloud-provider"

	"github.com/simcloud-dev/simcloud/ccm/internal/call"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// placeLabels are the labels that say where a volume is.
func placeLabels() []string { return []string{v1.LabelTopologyRegion, v1.LabelTopologyZone} }

// placed reports whether a PersistentVolume says all that there is to say of its place.
func placed(pv *v1.PersistentVolume) bool {
	for _, key := range placeLabels() {
		if pv.Labels[key] == "" {
			return false
		}
	}
	return hasAffinity(pv)
}

func hasAffinity(pv *v1.PersistentVolume) bool {
	return pv.Spec.NodeAffinity != nil && pv.Spec.NodeAffinity.Required != nil
}

// withPlace returns the volume with labels, and with the affinity to nodes that
// have them. What is there already stays; a label that says otherwise is an
// error, and then nothing is to be changed.
func withPlace(pv *v1.PersistentVolume, labels map[string]string) (*v1.PersistentVolume, error) {
	var contrary []string
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		if have, ok := pv.Labels[key]; ok && have != labels[key] {
			contrary = append(contrary, fmt.Sprintf("%s is %s, and the volume's is %s", key, have, labels[key]))
		}
	}
	if len(contrary) > 0 {
		return nil, fmt.Errorf("labels contradict the cloud, and stay: %s", strings.Join(contrary, "; "))
	}
	changed := pv.DeepCopy()
	if changed.Labels == nil {
		changed.Labels = map[string]string{}
	}
	maps.Copy(changed.Labels, labels)
	if !hasAffinity(pv) {
		changed.Spec.NodeAffinity = &v1.VolumeNodeAffinity{Required: affinityTo(labels)}
	}
	return changed, nil
}

// affinityTo selects the nodes that have all of the labels.
func affinityTo(labels map[string]string) *v1.NodeSelector {
	var term v1.NodeSelectorTerm
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		term.MatchExpressions = append(term.MatchExpressions, v1.NodeSelectorRequirement{
			Key: key, Operator: v1.NodeSelectorOpIn, Values: []string{labels[key]},
		})
	}
	return &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{term}}
}

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
