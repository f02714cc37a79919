package sdktest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// tagsOf are tags: keys and values in turn.
func tagsOf(pairs ...string) (tags []types.Tag) {
	for i := 0; i+1 < len(pairs); i += 2 {
		tags = append(tags, types.Tag{Key: &pairs[i], Value: &pairs[i+1]})
	}
	return tags
}

func (w world) createTags(ids []string, tags ...types.Tag) error {
	return last(w.ec2.CreateTags(w.Context(), &ec2.CreateTagsInput{Resources: ids, Tags: tags}))
}

func (w world) deleteTags(ids []string, tags ...types.Tag) error {
	return last(w.ec2.DeleteTags(w.Context(), &ec2.DeleteTagsInput{Resources: ids, Tags: tags}))
}

// tag gives resources tags: keys and values in turn.
func tag(w world, ids []string, pairs ...string) {
	w.Helper()
	if err := w.createTags(ids, tagsOf(pairs...)...); err != nil {
		w.Fatal(err)
	}
}

// tourOfTags has the actions of tags, as the tagging controller calls them for two instances at once.
func tourOfTags() []stop {
	both := []string{"i-1", "i-2"}
	return []stop{
		{"tags", func(w world) error { return w.createTags(both, tagsOf("team", "x")...) }, ""},
		{"tags-unknown", func(w world) error { return w.createTags([]string{"i-1", "i-9"}, tagsOf("team", "y")...) }, "InvalidInstanceID.NotFound"},
		{"tags-removed", func(w world) error { return w.deleteTags(both, tagsOf("team", "x")...) }, ""},
	}
}

// TestTags: tags are labels of what they are given to, and can be changed and taken away.
func TestTags(t *testing.T) {
	t.Parallel()
	w := open(t)
	table, tableID := w.table()
	w.instance(simcloud.InstanceSpec{Name: "node-1", Labels: map[string]string{"aws.simcloud.dev/source-dest-check": "false", "a": "1"}})
	group := w.group("a")
	all := []string{"i-1", group, "vpc-1", *tableID}
	tag(w, all, "team", "x", "empty", "", "Name", "mine")
	tag(w, all[:1], "team", "y")
	labels := map[string]map[string]string{
		"i-1":    must[simcloud.Instance](t)(w.native.GetInstance(t.Context(), "i-1")).Labels,
		group:    must[simcloud.SecurityGroup](t)(w.native.GetSecurityGroup(t.Context(), simcloud.ID(group))).Labels,
		"vpc-1":  must[simcloud.Network](t)(w.native.GetNetwork(t.Context(), "net-1")).Labels,
		*tableID: must[simcloud.RouteTable](t)(w.native.GetRouteTable(t.Context(), table)).Labels,
	}
	for _, id := range all {
		team := "x"
		if id == "i-1" {
			team = "y"
		}
		if l := labels[id]; l["team"] != team || l["Name"] != "mine" {
			t.Errorf("%s has the labels %v", id, l)
		}
	}
	if shown := w.shown("i-1"); shown["Name"] != "mine" || shown["a"] != "1" || shown["team"] != "y" {
		t.Errorf("i-1 has the tags %v", shown)
	}
	for i, c := range []struct {
		tags []types.Tag
		want map[string]string
	}{
		{tagsOf("team", "other"), map[string]string{"a": "1", "team": "y", "empty": "", "Name": "mine"}}, // not with this value
		{tagsOf("absent", ""), map[string]string{"a": "1", "team": "y", "empty": "", "Name": "mine"}},
		{tagsOf("team", "y"), map[string]string{"a": "1", "empty": "", "Name": "mine"}},
		{tagsOf("a", "", "empty", ""), map[string]string{"a": "1", "Name": "mine"}},
		{[]types.Tag{{Key: aws.String("a")}}, map[string]string{"Name": "mine"}},
		{nil, map[string]string{"Name": "node-1"}},
	} {
		if err := w.deleteTags(all[:1], c.tags...); err != nil {
			t.Fatal(err)
		}
		shown := w.shown("i-1")
		delete(shown, "kubernetes.io/cluster/simcloud")
		if !maps.Equal(shown, c.want) {
			t.Errorf("%d: the tags are %v, want %v", i, shown, c.want)
		}
	}
	if l := must[simcloud.Instance](t)(w.native.GetInstance(t.Context(), "i-1")).Labels; l["aws.simcloud.dev/source-dest-check"] != "false" {
		t.Errorf("what the dialect keeps for itself has gone: %v", l)
	}
}

// shown are the tags of an instance.
func (w world) shown(id string) map[string]string {
	w.Helper()
	tags := map[string]string{}
	for _, tag := range must[*ec2.DescribeInstancesOutput](w)(w.ec2.DescribeInstances(w.Context(), &ec2.DescribeInstancesInput{InstanceIds: []string{id}})).Reservations[0].Instances[0].Tags {
		tags[aws.ToString(tag.Key)] = aws.ToString(tag.Value)
	}
	return tags
}

// TestTagsRefused: what cannot be a tag, and what cannot have one; nothing is changed.
func TestTagsRefused(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.instance(simcloud.InstanceSpec{Name: "node-1"})
	before := must[simcloud.Instance](t)(w.native.GetInstance(t.Context(), "i-1"))
	long := func(n int) string { return fmt.Sprintf("%0*d", n, 1) }
	x := tagsOf("team", "x")
	for _, c := range []struct {
		code string
		id   string
		tags []types.Tag
	}{
		{"InvalidInstanceID.NotFound", "i-9", x},
		{"InvalidGroup.NotFound", "sg-9", x},
		{"InvalidVpcID.NotFound", "vpc-9", x},
		{"InvalidRouteTableID.NotFound", "rtb-9", x},
		{"InvalidSubnetID.NotFound", "subnet-z", x},
		{"UnsupportedOperation", "subnet-zone-a", x},
		{"InvalidID", "node-1", x},
		{"InvalidID", "i-UPPER", x},
		{"InvalidID", "vpc-x", x},
		{"InvalidParameterValue", "i-1", tagsOf("aws:x", "1")},
		{"InvalidParameterValue", "i-1", tagsOf("aws.simcloud.dev/x", "1")},
		{"InvalidParameterValue", "i-1", tagsOf(long(129), "1")},
		{"InvalidParameterValue", "i-1", tagsOf("a", long(256))},
	} {
		refused(t, w.createTags([]string{"i-1", c.id}, c.tags...), c.code)
		refused(t, w.deleteTags([]string{"i-1", c.id}, c.tags...), c.code)
	}
	refused(t, w.createTags([]string{}, x...), "MissingParameter")
	refused(t, w.createTags([]string{"i-1"}, []types.Tag{}...), "MissingParameter")
	refused(t, w.createTags(make([]string, 1001), x...), "InvalidParameterValue")
	refused(t, w.deleteTags([]string{"i-1"}, tagsOf("Name", "node-1")...), "InvalidParameterValue")
	if now := must[simcloud.Instance](t)(w.native.GetInstance(t.Context(), "i-1")); now.Version != before.Version {
		t.Errorf("it has changed to %+v", now)
	}
}

// TestTagsOfGroup: a group has no tag that is derived, but for the default group of a network.
func TestTagsOfGroup(t *testing.T) {
	t.Parallel()
	w := open(t)
	id := w.group("a")
	derived := tagsOf("Name", "a")
	if err := w.deleteTags([]string{id}, derived...); err != nil {
		t.Errorf("a tag that is not there: %v", err)
	}
	must[simcloud.Result[simcloud.SecurityGroup]](t)(w.native.CreateSecurityGroup(t.Context(), simcloud.SecurityGroupSpec{Name: simcloud.DefaultSecurityGroup, Network: "net-1"}))
	refused(t, w.deleteTags([]string{"sg-2"}, tagsOf("kubernetes.io/cluster/simcloud", "owned")...), "InvalidParameterValue")
}

// TestTagsOfSubnet: they are the labels of the cloud's subnet, and filters find it by them.
func TestTagsOfSubnet(t *testing.T) {
	t.Parallel()
	w := open(t)
	own := must[simcloud.Result[simcloud.Subnet]](t)(w.native.CreateSubnet(t.Context(), simcloud.SubnetSpec{Name: "front", CIDR: "10.0.8.0/24", Zone: "zone-a"})).Resource
	tag(w, []string{string(own.ID)}, "kubernetes.io/role/elb", "1")
	if got := must[simcloud.Subnet](t)(w.native.GetSubnet(t.Context(), own.ID)); got.Labels["kubernetes.io/role/elb"] != "1" || got.CIDR != own.CIDR {
		t.Errorf("the subnet is %+v", got)
	}
	found := must[*ec2.DescribeSubnetsOutput](t)(w.ec2.DescribeSubnets(t.Context(), &ec2.DescribeSubnetsInput{
		Filters: []types.Filter{{Name: aws.String("tag:kubernetes.io/role/elb"), Values: []string{"1"}}},
	}))
	if len(found.Subnets) != 1 || aws.ToString(found.Subnets[0].SubnetId) != string(own.ID) {
		t.Errorf("with the tag are %+v", found.Subnets)
	}
	if err := w.deleteTags([]string{string(own.ID)}, tagsOf("kubernetes.io/role/elb", "1")...); err != nil {
		t.Error(err)
	}
	if got := must[simcloud.Subnet](t)(w.native.GetSubnet(t.Context(), own.ID)); len(got.Labels) != 0 {
		t.Errorf("the labels are %v", got.Labels)
	}
}

// TestTagBounds: the longest key and value, and the most resources of a request.
func TestTagBounds(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.instance(simcloud.InstanceSpec{Name: "node-1"})
	key, value := strings.Repeat("k", 128), strings.Repeat("v", 255)
	tag(w, slices.Repeat([]string{"i-1"}, 1000), key, value)
	if shown := w.shown("i-1"); shown[key] != value {
		t.Errorf("the tags are %v", shown)
	}
	if err := w.deleteTags(slices.Repeat([]string{"i-1"}, 1000), tagsOf(key, value)...); err != nil {
		t.Error(err)
	}
}

// TestTagLimit: a resource has at most 50 tags, without those that are derived.
func TestTagLimit(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.instance(simcloud.InstanceSpec{Name: "node-1", Labels: map[string]string{"aws.simcloud.dev/source-dest-check": "false"}})
	var pairs []string
	for i := range 50 {
		pairs = append(pairs, fmt.Sprintf("key-%d", i), "v")
	}
	tag(w, []string{"i-1"}, pairs...)
	tag(w, []string{"i-1"}, "key-1", "other")
	refused(t, w.createTags([]string{"i-1"}, tagsOf("key-50", "v")...), "TagLimitExceeded")
}
