package service

import (
	"maps"
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// ClusterID is the id of the cluster that owns what has no tag of a cluster, as the
// configuration of a CCM has it.
const ClusterID = "simcloud"

// clusterPrefix is how the keys of the tags begin that name a cluster.
const clusterPrefix = "kubernetes.io/cluster/"

// Reserved is the prefix of labels that the dialect keeps for itself: no client of it sees or sets one.
const Reserved = "aws.simcloud.dev/"

// Tag is a tag, of a request and of an answer of EC2.
type Tag struct {
	Key   string `aws:"key"`
	Value string `aws:"value"`
}

// Tags returns the tags of a resource, by their keys: its labels, its name, and the cluster that
// owns it unless a label names one. Without the cluster's tag the CCM finds nothing.
func Tags(meta simcloud.Meta) map[string]string {
	tags := map[string]string{}
	owned := false
	for key, value := range meta.Labels {
		if strings.HasPrefix(key, Reserved) {
			continue
		}
		tags[key] = value
		owned = owned || strings.HasPrefix(key, clusterPrefix)
	}
	if _, named := tags["Name"]; !named && meta.Name != "" {
		tags["Name"] = meta.Name
	}
	if !owned {
		tags[clusterPrefix+ClusterID] = "owned"
	}
	return tags
}

// TagList returns tags in the order of their keys.
func TagList(tags map[string]string) []Tag {
	list := make([]Tag, 0, len(tags))
	for _, key := range slices.Sorted(maps.Keys(tags)) {
		list = append(list, Tag{key, tags[key]})
	}
	return list
}

// LabelGroups has the security groups of a load balancer, with spaces between them.
const LabelGroups = Reserved + "security-groups"
