package hcloud

import (
	"maps"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// reserved is the prefix of labels that Hetzner keeps for itself. The dialect has what the
// cloud does not know in labels with it.
const reserved = "hetzner.cloud/"

// labelLocation is the name of the zone that a load balancer is in.
const labelLocation = reserved + "location"

// labelSubnetType is the type of a subnet that is not of the type cloud: the old name server, which Hetzner still takes.
const labelSubnetType = reserved + "subnet-type"

// typeCloud is the type of a subnet of servers and load balancers.
const typeCloud = "cloud"

// shown returns the labels of a resource that clients see; never nil.
func shown(labels map[string]string) map[string]string {
	seen := map[string]string{}
	for key, value := range labels {
		if !strings.HasPrefix(key, reserved) {
			seen[key] = value
		}
	}
	return seen
}

// relabelled returns the labels that a resource gets: those of a request, and those of the
// dialect that the resource has.
func relabelled(labels, have map[string]string) map[string]string {
	all := maps.Clone(have)
	maps.DeleteFunc(all, func(key, _ string) bool { return !strings.HasPrefix(key, reserved) })
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, labels)
	return all
}

// checkLabels judges the labels of a request as Hetzner does.
func checkLabels(labels map[string]string) error {
	var fields []simcloud.FieldError
	add := func(detail string) { fields = append(fields, simcloud.FieldError{Field: "labels", Detail: detail}) }
	for _, key := range sortedKeys(labels) {
		if strings.HasPrefix(key, reserved) {
			add("the key " + key + " has the reserved prefix " + reserved)
		}
		for _, detail := range validation.IsQualifiedName(key) {
			add("the key " + key + ": " + detail)
		}
		for _, detail := range validation.IsValidLabelValue(labels[key]) {
			add("the value of " + key + ": " + detail)
		}
	}
	return simcloud.InvalidFields("", fields)
}
