package elb

import (
	"maps"
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/service"
)

// Tag is a tag of a load balancer.
type Tag struct {
	Key   string `aws:"Key,required"`
	Value string `aws:"Value"`
}

// MaxTags is how many tags a resource of either edition may have.
const MaxTags = 50

// Tags are the labels of a resource that are its tags, by their keys: those that it was given, and no others.
func Tags(labels map[string]string) []Tag {
	var all []Tag
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		if !strings.HasPrefix(key, service.Reserved) {
			all = append(all, Tag{key, labels[key]})
		}
	}
	return all
}

// checkTag checks the key of a tag.
func checkTag(key string) error {
	if strings.HasPrefix(key, service.Reserved) {
		return service.Refuse(simcloud.Invalid, "ValidationError", "The tag key %.100s has the prefix %s, which is reserved", key, service.Reserved)
	}
	return nil
}

type addTagsRequest struct {
	Names []string `aws:"LoadBalancerNames,required"`
	Tags  []Tag    `aws:"Tags,required"`
}

// addTags adds tags, or replaces those that have their keys.
func addTags(c service.Call, in addTagsRequest) (out done, _ *simcloud.Meta, err error) {
	lb, err := findOnly(c, in.Names)
	if err != nil {
		return out, nil, err
	}
	more := labels{}
	for _, t := range in.Tags {
		if err := checkTag(t.Key); err != nil {
			return out, nil, err
		}
		if _, twice := more[t.Key]; twice {
			return out, nil, service.Refuse(simcloud.Invalid, "DuplicateTagKeys", "The tag key %.100s is there twice", t.Key)
		}
		more[t.Key] = t.Value
	}
	if n := len(Tags(more.with(lb.Labels))); n > MaxTags {
		return out, nil, service.Refuse(simcloud.QuotaExceeded, "TooManyTags", "Load balancer %s would have %d tags: at most %d are allowed", lb.Name, n, MaxTags)
	}
	meta, err := relabel(c, lb, more)
	return out, meta, err
}

// findOnly is find for an action that takes a list of names, and exactly one in it.
func findOnly(c service.Call, names []string) (simcloud.LoadBalancer, error) {
	if len(names) != 1 {
		return simcloud.LoadBalancer{}, service.Refuse(simcloud.Invalid, "ValidationError", "LoadBalancerNames has %d names: must have one", len(names))
	}
	return find(c, names[0])
}

type tagKey struct {
	Key string `aws:"Key,required"`
}

type removeTagsRequest struct {
	Names []string `aws:"LoadBalancerNames,required"`
	Tags  []tagKey `aws:"Tags,required"`
}

// removeTags removes tags. One that is not there is removed already.
func removeTags(c service.Call, in removeTagsRequest) (out done, _ *simcloud.Meta, err error) {
	lb, err := findOnly(c, in.Names)
	if err != nil {
		return out, nil, err
	}
	left := map[string]string{}
	maps.Copy(left, lb.Labels)
	for _, t := range in.Tags {
		if err := checkTag(t.Key); err != nil {
			return out, nil, err
		}
		delete(left, t.Key)
	}
	changed, err := c.Cloud.UpdateLoadBalancer(c.Ctx(), lb.ID, simcloud.LoadBalancerUpdate{Labels: &left})
	return out, &changed.Resource.Meta, err
}

type describeTagsRequest struct {
	Names []string `aws:"LoadBalancerNames,required"`
}

type tagDescriptions struct {
	Tags []tagDescription `aws:"TagDescriptions"`
}

type tagDescription struct {
	Name string `aws:"LoadBalancerName"`
	Tags []Tag  `aws:"Tags"`
}

// maxNames is how many load balancers a request for tags may name.
const maxNames = 20

func describeTags(c service.Call, in describeTagsRequest) (out tagDescriptions, err error) {
	if len(in.Names) > maxNames {
		return out, service.Refuse(simcloud.Invalid, "ValidationError", "LoadBalancerNames has %d names: must have 1 to %d", len(in.Names), maxNames)
	}
	for _, name := range in.Names {
		lb, err := find(c, name)
		if err != nil {
			return out, err
		}
		out.Tags = append(out.Tags, tagDescription{lb.Name, Tags(lb.Labels)})
	}
	return out, nil
}
