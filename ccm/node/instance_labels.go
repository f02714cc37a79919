package node

import (
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/klog/v2"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// additionalLabels are the labels of an instance that its Node gets. What no
// label of Kubernetes can be is left out: with it the Node could not be
// initialised at all.
func additionalLabels(inst simcloud.Instance, prefix string) map[string]string {
	all := map[string]string{}
	for key, value := range inst.Labels {
		if !strings.HasPrefix(key, prefix) || prefix == "" {
			continue
		}
		if wrong := append(validation.IsQualifiedName(key), validation.IsValidLabelValue(value)...); len(wrong) > 0 {
			klog.InfoS("A label of the instance cannot be one of its Node", "instance", inst.ID, "label", key, "value", value, "reason", wrong)
			continue
		}
		all[key] = value
	}
	if len(all) == 0 {
		return nil
	}
	return all
}
