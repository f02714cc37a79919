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

// IsReserved reports whether a label is one that the dialect keeps for itself.
func IsReserved(key string) bool { return strings.HasPrefix(key, Reserved) }

// Tags returns the tags of a resource, by their keys: its labels, its name, and the cluster that
// owns it unless a label names one. Without the cluster's tag the CCM finds nothing.
func Tags(meta simcloud.Meta) map[string]string {
	tags := OwnTags(meta)
	if _, named := tags["Name"]; !named && meta.Name != "" {
		tags["Name"] = meta.Name
	}
	AddCluster(tags)
	return tags
}

// OwnTags returns the tags that a resource has by its labels alone.
func OwnTags(meta simcloud.Meta) map[string]string {
	tags := map[string]string{}
	for key, value := range meta.Labels {
		if !IsReserved(key) {
			tags[key] = value
		}
	}
	return tags
}

// AddCluster adds the tag of the cluster that owns a resource, unless there is one of a cluster.
func AddCluster(tags map[string]string) {
	for key := range tags {
		if strings.HasPrefix(key, clusterPrefix) {
			return
		}
	}
	tags[clusterPrefix+ClusterID] = "owned"
}

// TagList returns tags in the order of their keys.
func TagList(tags map[string]string) []Tag {
	list := make([]Tag, 0, len(tags))
	for _, key := range slices.Sorted(maps.Keys(tags)) {
		list = append(list, Tag{key, tags[key]})
	}
	return list
}
