package aws_test

import (
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// addressGroup makes a target group whose targets are addresses, and returns its ARN.
func (w world) addressGroup(name string) string {
	w.Helper()
	return w.does(elbv2, "CreateTargetGroup", "Name", name, "Protocol", "TCP", "Port", "8080", "VpcId", "vpc-1", "TargetType", "ip").
		text("CreateTargetGroupResult/TargetGroups/member/TargetGroupArn")
}

// TestTargetsThatAreAddresses: a group of the type ip takes addresses, shows them with their health, and gives them back.
func TestTargetsThatAreAddresses(t *testing.T) {
	t.Parallel()
	w := open(t)
	arn := w.addressGroup("pods")
	w.addressGroup("pods") // the same again
	w.refused("DuplicateTargetGroupName", 400, elbv2, "CreateTargetGroup", "Name", "pods", "Protocol", "TCP", "Port", "8080", "VpcId", "vpc-1")
	w.does(elbv2, "DescribeTargetGroups").has("DescribeTargetGroupsResult/TargetGroups/member/TargetType", "ip")
	both := []string{
		"TargetGroupArn", arn, "Targets.member.1.Id", "10.0.3.7", "Targets.member.1.Port", "9090", "Targets.member.1.AvailabilityZone", "zone-b",
		"Targets.member.2.Id", "192.168.7.7", "Targets.member.2.AvailabilityZone", "all",
	}
	for range 2 {
		w.does(elbv2, "RegisterTargets", both...)
	}
	g := w.groupOf(arn)
	if len(g.Targets) != 2 || g.Targets[0].Address != "10.0.3.7" || g.Targets[0].Port != 9090 || g.Targets[1].Address != "192.168.7.7" || g.Targets[1].Port != 8080 {
		t.Fatalf("the targets are %+v", g.Targets)
	}
	const in = "DescribeTargetHealthResult/TargetHealthDescriptions/member/"
	w.does(elbv2, "DescribeTargetHealth", "TargetGroupArn", arn).has(in+"TargetHealth/State", "unused unused")
	lb := w.nlb("web")
	w.does(elbv2, "CreateListener", "LoadBalancerArn", lb, "Port", "80", "Protocol", "TCP", "DefaultActions.member.1.Type", "forward", "DefaultActions.member.1.TargetGroupArn", arn)
	w.does(elbv2, "DescribeTargetHealth", "TargetGroupArn", arn).has(in+"Target/Id", "10.0.3.7 192.168.7.7", in+"Target/Port", "9090 8080",
		in+"Target/AvailabilityZone", "zone-b all", in+"TargetHealth/State", "healthy healthy")
	w.does(elbv2, "DeregisterTargets", both[:6]...)
	w.does(elbv2, "DescribeTargetHealth", "TargetGroupArn", arn).has(in+"Target/Id", "192.168.7.7")
}

// TestTargetsOfTheWrongType: a group takes targets of its own type alone, and addresses that it can reach.
func TestTargetsOfTheWrongType(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.instance(simcloud.InstanceSpec{Name: "node-1"})
	addresses, instances := w.addressGroup("pods"), w.targetGroup("nodes", "TCP", "8080")
	for _, test := range []struct {
		code, arn, id string
		zone          string
	}{
		{"InvalidTarget", instances, "10.0.3.7", ""},
		{"ValidationError", addresses, "i-1", ""},
		{"ValidationError", addresses, "fd00::9", ""},
		{"InvalidTarget", addresses, "8.8.8.8", "all"},
		{"ValidationError", addresses, "192.168.7.7", ""}, // it is outside of the VPC
		{"ValidationError", addresses, "10.0.3.7", "zone-z"},
	} {
		fields := []string{"TargetGroupArn", test.arn, "Targets.member.1.Id", test.id}
		if test.zone != "" {
			fields = append(fields, "Targets.member.1.AvailabilityZone", test.zone)
		}
		w.refused(test.code, 400, elbv2, "RegisterTargets", fields...)
	}
	if g := w.groupOf(addresses); len(g.Targets) != 0 {
		t.Errorf("the targets are %+v", g.Targets)
	}
}
