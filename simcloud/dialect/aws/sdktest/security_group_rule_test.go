package sdktest

import (
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"
)

// TestPermissions: rules of one protocol and the same ports are shown as one permission, and each range and group of a
// permission is a rule of its own, with its description.
func TestPermissions(t *testing.T) {
	t.Parallel()
	w := open(t)
	id, other := w.group("a"), w.group("b")
	described := from("tcp", 443, 443, "10.0.0.0/8", "fd00::/8")
	described.IpRanges[0].Description = aws.String("kubernetes.io/rule/nlb/client=web")
	described.UserIdGroupPairs = []types.UserIdGroupPair{{GroupId: &other, Description: aws.String("b")}}
	for _, p := range [][]types.IpPermission{
		{from("tcp", 80, 80, "10.1.2.3/8"), from("udp", 53, 53, "0.0.0.0/0")},
		{from("tcp", 80, 80, "192.168.0.0/16", "::/0"), from("6", 81, 90, "10.0.0.0/8"), from("17", 53, 53, "10.0.0.0/8")},
		{described, fromGroup(other), from("-1", 7, 7, "10.0.0.0/8"), from("tcp", 80, 90, "10.0.0.0/8")},
		{from("icmp", 3, 4, "0.0.0.0/0"), from("icmp", -1, -1, "10.0.0.0/8"), from("icmpv6", -1, -1, "::/0"), from("tcp", 0, 65535, "10.0.0.0/8")},
	} {
		if err := w.authorize(id, p...); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{
		"tcp 80-80 10.0.0.0/8 192.168.0.0/16 ::/0", "udp 53-53 0.0.0.0/0 10.0.0.0/8", "tcp 81-90 10.0.0.0/8",
		"tcp 443-443 10.0.0.0/8(kubernetes.io/rule/nlb/client=web) fd00::/8 sg-2(b)", "-1 10.0.0.0/8 sg-2", "tcp 80-90 10.0.0.0/8",
		"icmp 3-4 0.0.0.0/0", "icmp -1--1 10.0.0.0/8", "icmpv6 -1--1 ::/0", "tcp 0-65535 10.0.0.0/8",
	}
	if got := w.ingress(id); !slices.Equal(got, want) {
		t.Errorf("it lets in\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	// A permission is taken apart: one range of it goes, whatever its description, and all of it or nothing.
	if err := w.revoke(id, from("tcp", 443, 443, "10.0.0.0/8"), from("tcp", 80, 80, "::/0")); err != nil {
		t.Fatal(err)
	}
	err := w.revoke(id, from("tcp", 80, 81, "10.0.0.0/8", "172.16.0.0/12"))
	refused(t, err, "InvalidPermission.NotFound")
	if want := "peer: 10.0.0.0/8, TCP, from port: 80, to port: 81, ALLOW"; !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %q", err, want)
	}
	refused(t, w.revoke(id, from("tcp", 80, 80, "10.0.0.0/8", "172.16.0.0/12")), "InvalidPermission.NotFound")
	want[0], want[3] = "tcp 80-80 10.0.0.0/8 192.168.0.0/16", "tcp 443-443 fd00::/8 sg-2(b)"
	if got := w.ingress(id); !slices.Equal(got, want) {
		t.Errorf("it lets in\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestRuleRevokedTwice: a request may name a rule more than once.
func TestRuleRevokedTwice(t *testing.T) {
	t.Parallel()
	w := open(t)
	id := w.group("a")
	made := must[*ec2.AuthorizeSecurityGroupIngressOutput](t)(w.ec2.AuthorizeSecurityGroupIngress(t.Context(), &ec2.AuthorizeSecurityGroupIngressInput{
		GroupId: &id, IpPermissions: []types.IpPermission{from("tcp", 80, 80, "10.0.0.0/8"), fromGroup(id)},
	})).SecurityGroupRules
	if err := w.revoke(id, from("tcp", 80, 80, "10.0.0.0/8", "10.1.2.3/8"), from("6", 80, 80, "10.0.0.0/8")); err != nil {
		t.Error(err)
	}
	second := aws.ToString(made[1].SecurityGroupRuleId)
	if _, err := w.ec2.RevokeSecurityGroupIngress(t.Context(), &ec2.RevokeSecurityGroupIngressInput{GroupId: &id, SecurityGroupRuleIds: []string{second, second}}); err != nil {
		t.Error(err)
	}
	if got := w.ingress(id); len(got) != 0 {
		t.Errorf("it lets in %v", got)
	}
}

// TestRulesByID: a rule has an id, which authorizing answers and revoking takes.
func TestRulesByID(t *testing.T) {
	t.Parallel()
	w := open(t)
	id := w.group("a")
	made := must[*ec2.AuthorizeSecurityGroupIngressOutput](t)(w.ec2.AuthorizeSecurityGroupIngress(t.Context(), &ec2.AuthorizeSecurityGroupIngressInput{
		GroupId: &id, IpPermissions: []types.IpPermission{from("tcp", 80, 80, "10.0.0.0/8", "fd00::/8"), fromGroup(id)},
	}))
	if !aws.ToBool(made.Return) || len(made.SecurityGroupRules) != 3 {
		t.Fatalf("got %+v", made)
	}
	first, third := made.SecurityGroupRules[0], made.SecurityGroupRules[2]
	if aws.ToString(first.CidrIpv4) != "10.0.0.0/8" || aws.ToInt32(first.FromPort) != 80 || aws.ToBool(first.IsEgress) ||
		aws.ToString(third.ReferencedGroupInfo.GroupId) != id || aws.ToString(third.IpProtocol) != "-1" || aws.ToInt32(third.ToPort) != -1 {
		t.Errorf("the rules are %+v and %+v", first, third)
	}
	revoke := func(rules ...string) error {
		return last(w.ec2.RevokeSecurityGroupIngress(t.Context(), &ec2.RevokeSecurityGroupIngressInput{GroupId: &id, SecurityGroupRuleIds: rules}))
	}
	if err := revoke(aws.ToString(made.SecurityGroupRules[1].SecurityGroupRuleId)); err != nil {
		t.Fatal(err)
	}
	if got, want := w.ingress(id), []string{"tcp 80-80 10.0.0.0/8", "-1 sg-1"}; !slices.Equal(got, want) {
		t.Errorf("it lets in %v, want %v", got, want)
	}
	refused(t, revoke("sgr-99"), "InvalidSecurityGroupRuleId.NotFound")
	refused(t, revoke("sgr-1"), "InvalidSecurityGroupRuleId.NotFound") // it is for egress
	refused(t, revoke(), "MissingParameter")
	refused(t, last(w.ec2.RevokeSecurityGroupIngress(t.Context(), &ec2.RevokeSecurityGroupIngressInput{
		GroupId: &id, SecurityGroupRuleIds: []string{aws.ToString(first.SecurityGroupRuleId)}, IpPermissions: []types.IpPermission{fromGroup(id)},
	})), "MissingParameter")
}

// TestRulesRefused: what a rule cannot be, with EC2's code; nothing is added.
func TestRulesRefused(t *testing.T) {
	t.Parallel()
	w := open(t)
	id := w.group("a")
	noPort := from("tcp", 80, 80, "10.0.0.0/8")
	noPort.ToPort = nil
	stranger := fromGroup(id)
	stranger.UserIdGroupPairs[0].UserId = aws.String("123456789012")
	listed := from("tcp", 80, 80, "10.0.0.0/8")
	listed.PrefixListIds = []types.PrefixListId{{PrefixListId: aws.String("pl-1")}}
	bad := from("tcp", 80, 80, "10.0.0.0/8")
	bad.IpRanges[0].CidrIp = aws.String("10.0.0.0/40")
	swapped := from("tcp", 80, 80)
	swapped.IpRanges = []types.IpRange{{CidrIp: aws.String("fd00::/8")}}
	sixOfGroup := from("icmpv6", -1, -1)
	sixOfGroup.UserIdGroupPairs = fromGroup(id).UserIdGroupPairs
	good := from("tcp", 90, 90, "10.0.0.0/8")
	for _, c := range []struct {
		code string
		p    types.IpPermission
	}{
		{"InvalidPermission.Duplicate", good},
		{"InvalidGroup.NotFound", fromGroup("sg-9")},
		{"InvalidGroup.NotFound", stranger},
		{"MissingParameter", noPort},
		{"MissingParameter", from("tcp", 80, 80)},
		{"UnknownParameter", listed},
		{"InvalidParameterValue", bad},
		{"InvalidParameterValue", swapped},
		{"InvalidParameterValue", sixOfGroup},
		{"InvalidParameterValue", from("sctp", 80, 80, "10.0.0.0/8")},
		{"InvalidParameterValue", from("tcp", 81, 80, "10.0.0.0/8")},
		{"InvalidParameterValue", from("tcp", 80, 65536, "10.0.0.0/8")},
		{"InvalidParameterValue", from("tcp", -1, 80, "10.0.0.0/8")},
		{"InvalidParameterValue", from("tcp", 0, 0, "10.0.0.0/8")},
		{"InvalidParameterValue", from("icmp", 256, 0, "10.0.0.0/8")},
		{"InvalidParameterValue", from("icmp", 0, 0, "10.0.0.0/8")},
		{"InvalidParameterValue", from("icmp", -1, -1, "fd00::/8")},
		{"InvalidParameterValue", from("icmpv6", -1, -1, "10.0.0.0/8")},
	} {
		refused(t, w.authorize(id, good, c.p), c.code)
	}
	refused(t, w.authorize("sg-9", good), "InvalidGroup.NotFound")
	refused(t, w.revoke("sg-9", good), "InvalidGroup.NotFound")
	if got := w.ingress(id); len(got) != 0 {
		t.Errorf("it lets in %v", got)
	}
	legacy := &ec2.AuthorizeSecurityGroupIngressInput{GroupName: aws.String("a"), IpPermissions: []types.IpPermission{good}}
	must[*ec2.AuthorizeSecurityGroupIngressOutput](t)(w.ec2.AuthorizeSecurityGroupIngress(t.Context(), legacy))
	legacy.CidrIp = aws.String("10.0.0.0/8")
	refused(t, last(w.ec2.AuthorizeSecurityGroupIngress(t.Context(), legacy)), "UnknownParameter")
	if got := w.ingress(id); len(got) != 1 {
		t.Errorf("it lets in %v", got)
	}
}
