package ec2

import (
	"maps"
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/query"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/service"
)

// tagSpecification is the tags of what a request creates.
type tagSpecification struct {
	Type string     `aws:"ResourceType,required"`
	Tags []tagAsked `aws:"Tag"`
}

// tagAsked is a tag of a request. One without a value is to be deleted whatever value it has.
type tagAsked struct {
	Key   string  `aws:"Key,required"`
	Value *string `aws:"Value"`
}

func (t tagAsked) value() string {
	if t.Value == nil {
		return ""
	}
	return *t.Value
}

// The bounds of tags, as EC2's documents have them.
const (
	maxTags     = 50
	maxTagKey   = 128
	maxTagValue = 255 // EC2 takes one character more, the cloud does not
)

// checkTags refuses tags that nothing can have.
func checkTags(tags []tagAsked) error {
	for _, t := range tags {
		switch {
		case strings.HasPrefix(strings.ToLower(t.Key), "aws:"):
			return service.Refuse(simcloud.Invalid, "InvalidParameterValue", "Tag keys starting with 'aws:' are reserved for internal use")
		case service.IsReserved(t.Key):
			return service.Refuse(simcloud.Invalid, "InvalidParameterValue", "The tag key '%s' has the prefix %s, which is reserved", query.Clip(t.Key), service.Reserved)
		case len(t.Key) > maxTagKey:
			return service.Refuse(simcloud.Invalid, "InvalidParameterValue", "Tag key exceeds the maximum length of %d characters: '%s'", maxTagKey, query.Clip(t.Key))
		case len(t.value()) > maxTagValue:
			return service.Refuse(simcloud.Invalid, "InvalidParameterValue", "Tag value exceeds the maximum length of %d characters: that of '%s'", maxTagValue, query.Clip(t.Key))
		}
	}
	return nil
}

// labelsOf are the labels of what a request creates.
func labelsOf(specs []tagSpecification, resourceType string) (map[string]string, error) {
	labels := map[string]string{}
	for _, s := range specs {
		if s.Type != resourceType {
			return nil, service.Refuse(simcloud.Invalid, "InvalidParameterValue", "'%s' is not a valid taggable resource type for this operation: must be %s", query.Clip(s.Type), resourceType)
		}
		if err := setTags(labels, s.Tags); err != nil {
			return nil, err
		}
	}
	return labels, nil
}

// setTags gives labels more tags.
func setTags(labels map[string]string, tags []tagAsked) error {
	if err := checkTags(tags); err != nil {
		return err
	}
	for _, t := range tags {
		labels[t.Key] = t.value()
	}
	if count := len(service.OwnTags(simcloud.Meta{Labels: labels})); count > maxTags {
		return service.Refuse(simcloud.QuotaExceeded, "TagLimitExceeded", "The maximum number of Tags for a resource has been reached: %d, with these it would have %d", maxTags, count)
	}
	return nil
}

type createTagsRequest struct {
	Resources []string   `aws:"ResourceId,required"`
	Tags      []tagAsked `aws:"Tag,required"`
}

// createTags gives resources tags. Those that they have already are replaced.
func createTags(c service.Call, in createTagsRequest) (returned, *simcloud.Meta, error) {
	return retag(c, in.Resources, func(labels, _ map[string]string) error { return setTags(labels, in.Tags) })
}

type deleteTagsRequest struct {
	Resources []string   `aws:"ResourceId,required"`
	Tags      []tagAsked `aws:"Tag"`
}

// deleteTags takes tags from resources: those with the keys, and the values where there are some; without any tag, all.
func deleteTags(c service.Call, in deleteTagsRequest) (returned, *simcloud.Meta, error) {
	return retag(c, in.Resources, func(labels, shown map[string]string) error {
		if len(in.Tags) == 0 {
			maps.DeleteFunc(labels, func(key, _ string) bool { return !service.IsReserved(key) })
			return nil
		}
		if err := checkTags(in.Tags); err != nil {
			return err
		}
		for _, t := range in.Tags {
			value, has := shown[t.Key]
			if !has || t.Value != nil && *t.Value != value {
				continue
			}
			if _, kept := labels[t.Key]; !kept {
				return service.Refuse(simcloud.Invalid, "InvalidParameterValue", "The tag '%s' is derived by simcloud and cannot be deleted", query.Clip(t.Key))
			}
			delete(labels, t.Key)
		}
		return nil
	})
}

// maxTagged is how many resources a request can be for.
const maxTagged = 1000

// retag changes the tags of resources: of all of them, or of none.
func retag(c service.Call, ids []string, change func(labels, shown map[string]string) error) (out returned, first *simcloud.Meta, err error) {
	if len(ids) > maxTagged {
		return out, nil, service.Refuse(simcloud.Invalid, "InvalidParameterValue", "The request has %d resources: at most %d are allowed", len(ids), maxTagged)
	}
	for _, id := range ids {
		what, known := taggable(id)
		if !known {
			return out, nil, service.Refuse(simcloud.Invalid, "InvalidID", "The ID '%s' is not valid", query.Clip(id))
		}
		meta, err := what.retag(c, id, change)
		if err != nil {
			return out, nil, err
		}
		if first == nil {
			first = meta
		}
	}
	return returned{true}, first, nil
}

// aboutTags: the actions of tags are about the first resource that they name.
func aboutTags(f query.Form) (core string, id simcloud.ID) {
	named := f.Text("ResourceId.1")
	if what, known := taggable(named); known && what.core(named) != "" {
		return what.operation, what.core(named)
	}
	return "UpdateInstance", ""
}

// namedWithTags are the resources of the kind of the first that a request names.
func namedWithTags(c service.Call) (ids []simcloud.ID) {
	first, known := taggable(c.Form.Text("ResourceId.1"))
	for _, id := range service.Texts(c.Form, "ResourceId.") {
		if what, _ := taggable(id); known && what.prefix == first.prefix && what.core(id) != "" {
			ids = append(ids, what.core(id))
		}
	}
	return ids
}

// tagged is a kind of resources that have tags.
type tagged struct {
	prefix string
	// core is the id in the cloud; empty for what is no id of the kind.
	core      func(id string) simcloud.ID
	operation string
	retag     func(c service.Call, id string, change func(labels, shown map[string]string) error) (*simcloud.Meta, error)
}

// taggable returns the kind of an id; false when no id looks like that.
func taggable(id string) (tagged, bool) {
	i := slices.IndexFunc(taggedKinds, func(t tagged) bool { return strings.HasPrefix(id, t.prefix) })
	if i < 0 {
		return tagged{}, false
	}
	t := taggedKinds[i]
	return t, t.core(id) != ""
}

// relabelled returns labels after a change.
func relabelled(meta simcloud.Meta, shown map[string]string, change func(labels, shown map[string]string) error) (*map[string]string, error) {
	labels := map[string]string{}
	maps.Copy(labels, meta.Labels)
	return &labels, change(labels, shown)
}

var taggedKinds = []tagged{
	{"i-", instanceNamed, "UpdateInstance", retagInstance},
	{"sg-", groupNamed, "UpdateSecurityGroup", retagGroup},
	{vpcPrefix, networkNamed, "UpdateNetwork", retagNetwork},
	{tablePrefix, tableNamed, "UpdateRouteTable", retagTable},
	{"subnet-", func(id string) simcloud.ID { return simcloud.ID(id) }, "UpdateSubnet", retagSubnet},
}

// instanceNamed is the instance that an id stands for; empty for one that is not an id of an instance.
func instanceNamed(id string) simcloud.ID {
	if instanceIDs.MatchString(id) {
		return simcloud.ID(id)
	}
	return ""
}

// networkNamed is the network that the id of a VPC stands for.
func networkNamed(id string) simcloud.ID { return service.FromNumber(vpcPrefix, id, networkPrefix) }

func retagInstance(c service.Call, id string, change func(labels, shown map[string]string) error) (*simcloud.Meta, error) {
	found, err := instances(c, []string{id})
	if err != nil {
		return nil, err
	}
	labels, err := relabelled(found[0].Meta, service.Tags(found[0].Meta), change)
	if err != nil {
		return nil, err
	}
	changed, err := c.Cloud.UpdateInstance(c.Ctx(), found[0].ID, simcloud.InstanceUpdate{Labels: labels})
	return &changed.Resource.Meta, err
}

func retagGroup(c service.Call, id string, change func(labels, shown map[string]string) error) (*simcloud.Meta, error) {
	g, err := groupByID(c, id)
	if err != nil {
		return nil, err
	}
	labels, err := relabelled(g.Meta, groupTags(g.Meta), change)
	if err != nil {
		return nil, err
	}
	changed, err := c.Cloud.UpdateSecurityGroup(c.Ctx(), g.ID, simcloud.SecurityGroupUpdate{Labels: labels})
	return &changed.Resource.Meta, err
}

func retagNetwork(c service.Call, id string, change func(labels, shown map[string]string) error) (*simcloud.Meta, error) {
	n, err := c.Cloud.GetNetwork(c.Ctx(), networkNamed(id))
	if simcloud.CodeOf(err) == simcloud.NotFound {
		err = service.Refuse(simcloud.NotFound, "InvalidVpcID.NotFound", "The vpc ID '%s' does not exist", query.Clip(id))
	}
	if err != nil {
		return nil, err
	}
	labels, err := relabelled(n.Meta, service.Tags(n.Meta), change)
	if err != nil {
		return nil, err
	}
	changed, err := c.Cloud.UpdateNetwork(c.Ctx(), n.ID, simcloud.NetworkUpdate{Labels: labels})
	return &changed.Resource.Meta, err
}

func retagTable(c service.Call, id string, change func(labels, shown map[string]string) error) (*simcloud.Meta, error) {
	t, _, err := table(c, id)
	if err != nil {
		return nil, err
	}
	labels, err := relabelled(t.Meta, service.Tags(t.Meta), change)
	if err != nil {
		return nil, err
	}
	changed, err := c.Cloud.UpdateRouteTable(c.Ctx(), t.ID, simcloud.RouteTableUpdate{Labels: labels})
	return &changed.Resource.Meta, err
}

// retagSubnet refuses a subnet that is derived of its network: its labels are the network's.
func retagSubnet(c service.Call, id string, change func(labels, shown map[string]string) error) (*simcloud.Meta, error) {
	all, err := allSubnets(c)
	if err != nil {
		return nil, err
	}
	found, err := service.WithIDs(all, []string{id}, func(s subnet) string { return s.ID }, "InvalidSubnetID.NotFound", "subnet")
	if err != nil {
		return nil, err
	}
	if found[0].derived {
		return nil, service.Refuse(simcloud.Unimplemented, "UnsupportedOperation",
			"The subnet '%s' is simcloud's own, of a network that has none: its tags are the labels of the network", query.Clip(id))
	}
	own, err := c.Cloud.GetSubnet(c.Ctx(), simcloud.ID(id))
	if err != nil {
		return nil, err
	}
	labels, err := relabelled(own.Meta, service.Tags(own.Meta), change)
	if err != nil {
		return nil, err
	}
	changed, err := c.Cloud.UpdateSubnet(c.Ctx(), own.ID, simcloud.SubnetUpdate{Labels: labels})
	return &changed.Resource.Meta, err
}
