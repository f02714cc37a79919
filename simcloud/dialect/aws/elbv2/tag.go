package elbv2

import (
	"maps"
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/elb"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/query"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/service"
)

// newTags are the labels that tags of a request are.
func newTags(tags []elb.Tag) (map[string]string, error) {
	labels, err := elb.TagLabels(tags)
	switch {
	case err != nil:
		return nil, err
	case len(labels) < len(tags):
		return nil, service.Refuse(simcloud.Invalid, "DuplicateTagKeys", "A tag key is specified more than once")
	default:
		return labels, few(labels)
	}
}

// few checks how many tags labels are.
func few(labels map[string]string) error {
	if n := len(elb.Tags(labels)); n > elb.MaxTags {
		return service.Refuse(simcloud.Capacity, "TooManyTags", "The resource would have %d tags: can have at most %d", n, elb.MaxTags)
	}
	return nil
}

type describeTagsRequest struct {
	ARNs []string `aws:"ResourceArns,required"`
}

type tagDescriptions struct {
	Tags []tagDescription `aws:"TagDescriptions"`
}

type tagDescription struct {
	ARN  string    `aws:"ResourceArn"`
	Tags []elb.Tag `aws:"Tags"`
}

func describeTags(c service.Call, in describeTagsRequest) (out tagDescriptions, err error) {
	n := namerOf(c)
	for _, arn := range unique(in.ARNs) {
		t, err := n.tagged(c, arn)
		if err != nil {
			return out, err
		}
		out.Tags = append(out.Tags, tagDescription{arn, elb.Tags(t.labels)})
	}
	return out, nil
}

// tagged is a resource that has tags.
type tagged struct {
	labels map[string]string
	// relabel replaces the labels.
	relabel func(map[string]string) (simcloud.Meta, error)
}

// tagged finds the resource of an ARN.
func (n namer) tagged(c service.Call, arn string) (tagged, error) {
	of, ok := read(arn)
	switch {
	case !ok:
		return tagged{}, service.Refuse(simcloud.Invalid, "ValidationError", "'%s' is not a valid ARN of a load balancer, a listener or a target group", query.Clip(arn))
	case of.kind == kindBalancer:
		lb, err := n.findBalancer(c, arn)
		return tagged{lb.Labels, func(labels map[string]string) (simcloud.Meta, error) {
			changed, err := c.Cloud.UpdateLoadBalancer(c.Ctx(), lb.ID, simcloud.LoadBalancerUpdate{Labels: &labels})
			return changed.Resource.Meta, err
		}}, err
	case of.kind == kindListener:
		lb, l, err := n.findListener(c, arn)
		return tagged{l.Labels, func(labels map[string]string) (simcloud.Meta, error) {
			config := l.ListenerConfig
			config.Labels = labels
			changed, err := c.Cloud.UpdateListener(c.Ctx(), lb.ID, l.ID, config)
			return changed.Resource.Meta, err
		}}, err
	default:
		g, err := n.findGroup(c, arn)
		return tagged{g.Labels, func(labels map[string]string) (simcloud.Meta, error) {
			changed, err := c.Cloud.UpdateTargetGroup(c.Ctx(), g.ID, simcloud.TargetGroupUpdate{Labels: &labels})
			return changed.Resource.Meta, err
		}}, err
	}
}

type addTagsRequest struct {
	ARNs []string  `aws:"ResourceArns,required"`
	Tags []elb.Tag `aws:"Tags,required"`
}

// addTags adds tags to resources, or changes their values.
func addTags(c service.Call, in addTagsRequest) (out done, _ *simcloud.Meta, err error) {
	more, err := newTags(in.Tags)
	if err != nil {
		return out, nil, err
	}
	meta, err := eachTagged(c, in.ARNs, func(labels map[string]string) { maps.Copy(labels, more) })
	return out, meta, err
}

type removeTagsRequest struct {
	ARNs []string `aws:"ResourceArns,required"`
	Keys []string `aws:"TagKeys,required"`
}

// removeTags removes tags from resources. One that is not there is removed already.
func removeTags(c service.Call, in removeTagsRequest) (out done, _ *simcloud.Meta, err error) {
	meta, err := eachTagged(c, in.ARNs, func(labels map[string]string) {
		maps.DeleteFunc(labels, func(key, _ string) bool {
			return slices.Contains(in.Keys, key) && !strings.HasPrefix(key, service.Reserved)
		})
	})
	return out, meta, err
}

// eachTagged changes the labels of resources, and returns the last of them.
func eachTagged(c service.Call, arns []string, change func(map[string]string)) (*simcloud.Meta, error) {
	n := namerOf(c)
	var last simcloud.Meta
	for _, arn := range unique(arns) {
		t, err := n.tagged(c, arn)
		if err != nil {
			return nil, err
		}
		labels := map[string]string{}
		maps.Copy(labels, t.labels)
		change(labels)
		if err := few(labels); err != nil {
			return nil, err
		}
		if last, err = t.relabel(labels); err != nil {
			return nil, err
		}
	}
	return &last, nil
}

// aboutTags is what a request for tags stands for: the operation on the first of its resources.
func aboutTags(balancer, listener, group string) func(query.Form) (string, simcloud.ID) {
	return func(f query.Form) (string, simcloud.ID) {
		of, _ := read(f.Text("ResourceArns.member.1"))
		switch of.kind {
		case kindListener:
			return listener, of.id
		case kindGroup:
			return group, of.id
		default:
			return balancer, of.id
		}
	}
}
