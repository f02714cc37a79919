package sdktest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"
	elb "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// newGroup is a group as the CCM makes it for a load balancer.
func newGroup(name string) *ec2.CreateSecurityGroupInput {
	return &ec2.CreateSecurityGroupInput{
		GroupName: &name, Description: aws.String("Security group for Kubernetes ELB web (default/web)"), VpcId: aws.String("vpc-1"),
		TagSpecifications: []types.TagSpecification{{
			ResourceType: types.ResourceTypeSecurityGroup,
			Tags:         []types.Tag{{Key: aws.String("kubernetes.io/cluster/simcloud"), Value: aws.String("owned")}},
		}},
	}
}

// from is a permission for ranges: IPv6 where they have a colon.
func from(protocol string, first, last int32, cidrs ...string) types.IpPermission {
	p := types.IpPermission{IpProtocol: &protocol, FromPort: &first, ToPort: &last}
	for _, cidr := range cidrs {
		if strings.Contains(cidr, ":") {
			p.Ipv6Ranges = append(p.Ipv6Ranges, types.Ipv6Range{CidrIpv6: &cidr})
		} else {
			p.IpRanges = append(p.IpRanges, types.IpRange{CidrIp: &cidr})
		}
	}
	return p
}

// fromGroup is the permission that the CCM gives a load balancer at the group of the nodes.
func fromGroup(id string) types.IpPermission {
	return types.IpPermission{IpProtocol: aws.String("-1"), UserIdGroupPairs: []types.UserIdGroupPair{{GroupId: &id}}}
}

func (w world) authorize(id string, permissions ...types.IpPermission) error {
	return last(w.ec2.AuthorizeSecurityGroupIngress(w.Context(), &ec2.AuthorizeSecurityGroupIngressInput{GroupId: &id, IpPermissions: permissions}))
}

func (w world) revoke(id string, permissions ...types.IpPermission) error {
	return last(w.ec2.RevokeSecurityGroupIngress(w.Context(), &ec2.RevokeSecurityGroupIngressInput{GroupId: &id, IpPermissions: permissions}))
}

func (w world) deleteGroup(id string) error {
	return last(w.ec2.DeleteSecurityGroup(w.Context(), &ec2.DeleteSecurityGroupInput{GroupId: &id}))
}

// group makes a group and returns its id.
func (w world) group(name string) string {
	w.Helper()
	made := must[*ec2.CreateSecurityGroupOutput](w)(w.ec2.CreateSecurityGroup(w.Context(), newGroup(name)))
	return aws.ToString(made.GroupId)
}

// groups describes security groups.
func (w world) groups(in ec2.DescribeSecurityGroupsInput) []types.SecurityGroup {
	w.Helper()
	return must[*ec2.DescribeSecurityGroupsOutput](w)(w.ec2.DescribeSecurityGroups(w.Context(), &in)).SecurityGroups
}

// ingress is what a group lets in, a line for each permission.
func (w world) ingress(id string) []string {
	w.Helper()
	var lines []string
	for _, p := range w.groups(ec2.DescribeSecurityGroupsInput{GroupIds: []string{id}})[0].IpPermissions {
		line := aws.ToString(p.IpProtocol)
		if p.FromPort != nil {
			line += fmt.Sprintf(" %d-%d", *p.FromPort, *p.ToPort)
		}
		for _, r := range p.IpRanges {
			line += " " + aws.ToString(r.CidrIp) + said(r.Description)
		}
		for _, r := range p.Ipv6Ranges {
			line += " " + aws.ToString(r.CidrIpv6) + said(r.Description)
		}
		for _, g := range p.UserIdGroupPairs {
			line += " " + aws.ToString(g.GroupId) + said(g.Description)
		}
		lines = append(lines, line)
	}
	return lines
}

func said(description *string) string {
	if description == nil {
		return ""
	}
	return "(" + *description + ")"
}

// tourOfGroups has all actions of security groups, as the CCM calls them for a load balancer.
func tourOfGroups() []stop {
	describe := func(in ec2.DescribeSecurityGroupsInput) func(world) error {
		return func(w world) error { return last(w.ec2.DescribeSecurityGroups(w.Context(), &in)) }
	}
	create := func(name string) func(world) error {
		return func(w world) error { return last(w.ec2.CreateSecurityGroup(w.Context(), newGroup(name))) }
	}
	named := ec2.DescribeSecurityGroupsInput{Filters: []types.Filter{filter("group-name", "k8s-elb-web"), filter("vpc-id", "vpc-1")}}
	open := []types.IpPermission{from("tcp", 80, 80, "0.0.0.0/0", "10.1.0.0/16"), from("icmp", 3, 4, "0.0.0.0/0", "10.1.0.0/16")}
	return []stop{
		{"group-unknown", describe(named), ""},
		{"group", create("k8s-elb-web"), ""},
		{"group-again", create("k8s-elb-web"), "InvalidGroup.Duplicate"},
		{"rules", func(w world) error { return w.authorize("sg-1", open...) }, ""},
		{"rules-again", func(w world) error { return w.authorize("sg-1", open[0]) }, "InvalidPermission.Duplicate"},
		{"group-by-id", describe(ec2.DescribeSecurityGroupsInput{GroupIds: []string{"sg-1"}}), ""},
		{"group-of-nodes", create("nodes"), ""},
		{"rule-of-group", func(w world) error { return w.authorize("sg-2", fromGroup("sg-1")) }, ""},
		{"groups-referring", describe(ec2.DescribeSecurityGroupsInput{Filters: []types.Filter{filter("ip-permission.group-id", "sg-1")}}), ""},
		{"group-used", func(w world) error { return w.deleteGroup("sg-1") }, "DependencyViolation"},
		{"classic-of-group", func(w world) error {
			in := web()
			in.SecurityGroups = []string{"sg-1"}
			return last(w.elb.CreateLoadBalancer(w.Context(), in))
		}, ""},
		{"classic-regrouped", func(w world) error { return w.apply("sg-1", "sg-2") }, ""},
		{"rule-removed", func(w world) error { return w.revoke("sg-2", fromGroup("sg-1")) }, ""},
		{"rule-removed-again", func(w world) error { return w.revoke("sg-2", fromGroup("sg-1")) }, "InvalidPermission.NotFound"},
		{"classic-of-group-removed", func(w world) error {
			return last(w.elb.DeleteLoadBalancer(w.Context(), &elb.DeleteLoadBalancerInput{LoadBalancerName: name}))
		}, ""},
		{"group-removed", func(w world) error { return w.deleteGroup("sg-1") }, ""},
		{"group-removed-again", func(w world) error { return w.deleteGroup("sg-1") }, "InvalidGroup.NotFound"},
	}
}

// apply replaces the groups of the load balancer web.
func (w world) apply(ids ...string) error {
	return last(w.elb.ApplySecurityGroupsToLoadBalancer(w.Context(), &elb.ApplySecurityGroupsToLoadBalancerInput{LoadBalancerName: name, SecurityGroups: ids}))
}

// TestGroup: AWS' client reads all of a group that the CCM uses, and the cloud has it.
func TestGroup(t *testing.T) {
	t.Parallel()
	w := open(t)
	id := w.group("k8s-elb-web")
	if err := w.authorize(id, from("tcp", 80, 80, "0.0.0.0/0"), fromGroup(id)); err != nil {
		t.Fatal(err)
	}
	g := w.groups(ec2.DescribeSecurityGroupsInput{GroupIds: []string{id}})[0]
	if id != "sg-1" || aws.ToString(g.GroupId) != id || aws.ToString(g.GroupName) != "k8s-elb-web" || aws.ToString(g.VpcId) != "vpc-1" ||
		!strings.HasPrefix(aws.ToString(g.Description), "Security group for Kubernetes") || len(aws.ToString(g.OwnerId)) != 12 {
		t.Errorf("it is %+v", g)
	}
	if len(g.Tags) != 1 || aws.ToString(g.Tags[0].Key) != "kubernetes.io/cluster/simcloud" || aws.ToString(g.Tags[0].Value) != "owned" {
		t.Errorf("its tags are %+v", g.Tags)
	}
	if len(g.IpPermissions) != 2 || aws.ToString(g.IpPermissions[1].UserIdGroupPairs[0].UserId) != aws.ToString(g.OwnerId) {
		t.Errorf("it lets in %+v", g.IpPermissions)
	}
	if e := g.IpPermissionsEgress; len(e) != 1 || aws.ToString(e[0].IpProtocol) != "-1" || aws.ToString(e[0].IpRanges[0].CidrIp) != "0.0.0.0/0" {
		t.Errorf("it lets out %+v", e)
	}
	have := must[simcloud.SecurityGroup](t)(w.native.GetSecurityGroup(t.Context(), simcloud.ID(id)))
	if have.Network != "net-1" || have.Name != "k8s-elb-web" || len(have.Rules) != 3 || have.Labels["kubernetes.io/cluster/simcloud"] != "owned" {
		t.Errorf("the cloud has %+v", have)
	}
}

// TestGroupsChosen: each filter chooses by what it is about.
func TestGroupsChosen(t *testing.T) {
	t.Parallel()
	w := open(t)
	must[simcloud.Result[simcloud.Network]](t)(w.native.CreateNetwork(t.Context(), simcloud.NetworkSpec{Name: "other", CIDRs: []string{"192.168.7.0/24"}}))
	a, b := w.group("a"), w.group("b")
	elsewhere := newGroup("a")
	elsewhere.VpcId = aws.String("vpc-2")
	elsewhere.Description = aws.String("elsewhere")
	must[*ec2.CreateSecurityGroupOutput](t)(w.ec2.CreateSecurityGroup(t.Context(), elsewhere))
	if err := w.authorize(b, from("tcp", 80, 81, "10.0.0.0/8", "fd00::/8"), fromGroup(a)); err != nil {
		t.Fatal(err)
	}
	tag(w, []string{b}, "team", "x")
	for _, c := range []struct {
		in   ec2.DescribeSecurityGroupsInput
		want string
	}{
		{ec2.DescribeSecurityGroupsInput{}, "sg-1 sg-2 sg-3"},
		{ec2.DescribeSecurityGroupsInput{GroupIds: []string{"sg-3", "sg-1"}}, "sg-1 sg-3"},
		{ec2.DescribeSecurityGroupsInput{GroupNames: []string{"b"}}, "sg-2"},
		{chosen(filter("group-name", "a")), "sg-1 sg-3"},
		{chosen(filter("group-name", "a"), filter("vpc-id", "vpc-1")), "sg-1"},
		{chosen(filter("vpc-id", "vpc-2")), "sg-3"},
		{chosen(filter("group-id", "sg-2", "sg-9")), "sg-2"},
		{chosen(filter("description", "else*")), "sg-3"},
		{chosen(filter("owner-id", "000000000000")), ""},
		{chosen(filter("ip-permission.group-id", "sg-1")), "sg-2"},
		{chosen(filter("ip-permission.group-id", "sg-2")), ""},
		{chosen(filter("ip-permission.cidr", "10.0.0.0/8")), "sg-2"},
		{chosen(filter("ip-permission.ipv6-cidr", "fd00::/8")), "sg-2"},
		{chosen(filter("ip-permission.protocol", "-1")), "sg-2"},
		{chosen(filter("ip-permission.from-port", "80")), "sg-2"},
		{chosen(filter("ip-permission.to-port", "80")), ""},
		{chosen(filter("ip-permission.to-port", "81")), "sg-2"},
		{chosen(filter("tag:team", "x")), "sg-2"},
		{chosen(filter("tag-key", "kubernetes.io/cluster/simcloud"), filter("tag:team", "y")), ""},
	} {
		var ids []string
		for _, g := range w.groups(c.in) {
			ids = append(ids, aws.ToString(g.GroupId))
		}
		if got := strings.Join(ids, " "); got != c.want {
			t.Errorf("%+v %v %v: got %s, want %s", c.in.Filters, c.in.GroupIds, c.in.GroupNames, got, c.want)
		}
	}
}

func chosen(filters ...types.Filter) ec2.DescribeSecurityGroupsInput {
	return ec2.DescribeSecurityGroupsInput{Filters: filters}
}

// TestGroupPages: the pages have each group once.
func TestGroupPages(t *testing.T) {
	t.Parallel()
	w := open(t)
	for i := range 12 {
		w.group(fmt.Sprintf("group-%d", i))
	}
	pages := ec2.NewDescribeSecurityGroupsPaginator(w.ec2, &ec2.DescribeSecurityGroupsInput{MaxResults: aws.Int32(5)})
	var sizes []int
	seen := map[string]bool{}
	for pages.HasMorePages() {
		page := must[*ec2.DescribeSecurityGroupsOutput](t)(pages.NextPage(t.Context()))
		sizes = append(sizes, len(page.SecurityGroups))
		for _, g := range page.SecurityGroups {
			seen[aws.ToString(g.GroupId)] = true
		}
	}
	if !slices.Equal(sizes, []int{5, 5, 2}) || len(seen) != 12 {
		t.Errorf("the pages have %v, together %d", sizes, len(seen))
	}
	_, err := w.ec2.DescribeSecurityGroups(t.Context(), &ec2.DescribeSecurityGroupsInput{MaxResults: aws.Int32(4)})
	refused(t, err, "InvalidParameterValue")
}

// TestGroupsRefused: what a group cannot be, with EC2's code.
func TestGroupsRefused(t *testing.T) {
	t.Parallel()
	w := open(t)
	id := w.group("a")
	create := func(change func(*ec2.CreateSecurityGroupInput)) error {
		in := newGroup("b")
		change(in)
		return last(w.ec2.CreateSecurityGroup(t.Context(), in))
	}
	describe := func(in ec2.DescribeSecurityGroupsInput) error {
		return last(w.ec2.DescribeSecurityGroups(t.Context(), &in))
	}
	for i, c := range []struct {
		code string
		err  error
	}{
		{"InvalidGroup.Duplicate", create(func(in *ec2.CreateSecurityGroupInput) { in.GroupName = aws.String("a") })},
		{"InvalidParameterValue", create(func(in *ec2.CreateSecurityGroupInput) { in.GroupName = aws.String("default") })},
		{"InvalidParameterValue", create(func(in *ec2.CreateSecurityGroupInput) { in.GroupName = aws.String("sg-b") })},
		{"InvalidParameterValue", create(func(in *ec2.CreateSecurityGroupInput) { in.GroupName = aws.String("a b!") })},
		{"InvalidParameterValue", create(func(in *ec2.CreateSecurityGroupInput) { in.Description = aws.String(strings.Repeat("d", 256)) })},
		{"InvalidVpcID.NotFound", create(func(in *ec2.CreateSecurityGroupInput) { in.VpcId = aws.String("vpc-9") })},
		{"InvalidParameterValue", create(func(in *ec2.CreateSecurityGroupInput) {
			in.TagSpecifications[0].ResourceType = types.ResourceTypeInstance
		})},
		{"InvalidParameterValue", create(func(in *ec2.CreateSecurityGroupInput) {
			in.TagSpecifications[0].Tags[0].Key = aws.String("aws.simcloud.dev/x")
		})},
		{"DryRunOperation", create(func(in *ec2.CreateSecurityGroupInput) { in.DryRun = aws.Bool(true) })},
		{"InvalidGroup.NotFound", describe(ec2.DescribeSecurityGroupsInput{GroupIds: []string{"sg-9"}})},
		{"InvalidGroup.NotFound", describe(ec2.DescribeSecurityGroupsInput{GroupIds: []string{"sg-1", "sg-9"}})},
		{"InvalidGroup.NotFound", describe(ec2.DescribeSecurityGroupsInput{GroupNames: []string{"z"}})},
		{"InvalidGroupId.Malformed", describe(ec2.DescribeSecurityGroupsInput{GroupIds: []string{"group"}})},
		{"InvalidParameterValue", describe(chosen(filter("colour", "red")))},
		{"InvalidGroup.NotFound", w.deleteGroup("sg-9")},
		{"InvalidGroupId.Malformed", w.deleteGroup("x")},
		{"MissingParameter", last(w.ec2.DeleteSecurityGroup(t.Context(), nil))},
		{"InvalidParameterCombination", last(w.ec2.DeleteSecurityGroup(t.Context(), &ec2.DeleteSecurityGroupInput{GroupId: &id, GroupName: aws.String("a")}))},
		{"InvalidGroup.NotFound", last(w.ec2.DeleteSecurityGroup(t.Context(), &ec2.DeleteSecurityGroupInput{GroupName: aws.String("z")}))},
	} {
		if codeOf(c.err) != c.code {
			t.Errorf("%d: got %v, want %s", i, c.err, c.code)
		}
	}
	if all := w.groups(ec2.DescribeSecurityGroupsInput{}); len(all) != 1 {
		t.Errorf("there are %d groups", len(all))
	}
}

// TestGroupByName: a name stands for a group of the default VPC, whatever groups of the name others have.
func TestGroupByName(t *testing.T) {
	t.Parallel()
	w := open(t)
	must[simcloud.Result[simcloud.Network]](t)(w.native.CreateNetwork(t.Context(), simcloud.NetworkSpec{Name: "other", CIDRs: []string{"192.168.7.0/24"}}))
	elsewhere := newGroup("a")
	elsewhere.VpcId = aws.String("vpc-2")
	must[*ec2.CreateSecurityGroupOutput](t)(w.ec2.CreateSecurityGroup(t.Context(), elsewhere))
	remove := func() error {
		return last(w.ec2.DeleteSecurityGroup(t.Context(), &ec2.DeleteSecurityGroupInput{GroupName: aws.String("a")}))
	}
	refused(t, remove(), "InvalidGroup.NotFound")
	w.group("a")
	if err := remove(); err != nil {
		t.Error(err)
	}
	if left := w.groups(ec2.DescribeSecurityGroupsInput{}); len(left) != 1 || aws.ToString(left[0].VpcId) != "vpc-2" {
		t.Errorf("left are %+v", left)
	}
}

// TestGroupLimits: no more groups than the quota has, and no more rules than the cloud takes.
func TestGroupLimits(t *testing.T) {
	t.Parallel()
	w := open(t)
	id := w.group("a")
	must[simcloud.Config](t)(w.native.UpdateConfig(t.Context(), simcloud.ConfigUpdate{MaxSecurityGroupRules: aws.Int(3)}))
	if err := w.authorize(id, from("tcp", 80, 80, "10.0.0.0/8", "192.168.0.0/16")); err != nil {
		t.Fatal(err) // the rule for egress counts
	}
	refused(t, w.authorize(id, from("tcp", 81, 81, "10.0.0.0/8")), "RulesPerSecurityGroupLimitExceeded")
	must[simcloud.Result[simcloud.Quota]](t)(w.native.SetQuota(t.Context(), simcloud.QuotaID(simcloud.DefaultProject, simcloud.QuotaSecurityGroups), simcloud.QuotaSpec{Limit: 1}))
	_, err := w.ec2.CreateSecurityGroup(t.Context(), newGroup("b"))
	refused(t, err, "SecurityGroupLimitExceeded")
}
