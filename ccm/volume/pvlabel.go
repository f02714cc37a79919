package volume

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
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
