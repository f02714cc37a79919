package aws_test

import (
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// signed asks with a signature for a region.
func (w world) signed(region, version, action string, fields ...string) sent {
	w.Helper()
	service := map[string]string{ec2: "ec2", elb: "elasticloadbalancing", elbv2: "elasticloadbalancing"}[version]
	return w.post(form(version, action, fields...), "X-Amz-Security-Token", w.cloud.Token(),
		"Authorization", strings.Replace(signature("simcloud", service), "region-1", region, 1))
}

// TestUnknownRegion: a region that the cloud does not have is refused in the words of the service, and nothing is done.
func TestUnknownRegion(t *testing.T) {
	t.Parallel()
	w := open(t)
	for _, test := range []struct {
		version, action string
		fields          []string
		status          int
		code            string
	}{
		{ec2, "DescribeInstances", nil, 401, "AuthFailure"},
		{ec2, "RunInstances", []string{"ImageId", "ami-1", "MinCount", "1", "MaxCount", "1"}, 401, "AuthFailure"},
		{elb, "CreateLoadBalancer", classic("web"), 403, "SignatureDoesNotMatch"},
		{elbv2, "CreateLoadBalancer", network("web"), 403, "SignatureDoesNotMatch"},
		{"2011-06-15", "GetCallerIdentity", nil, 403, "SignatureDoesNotMatch"},
	} {
		answer := w.signed("us-east-1", test.version, test.action, test.fields...)
		if answer.status != test.status || answer.code() != test.code || !strings.Contains(answer.body, "us-east-1") || !strings.Contains(answer.body, "region-1") {
			t.Errorf("%s: %d %s, want %d %s", test.action, answer.status, answer.body, test.status, test.code)
		}
		if answer := w.signed("region-1", test.version, test.action, test.fields...); answer.status != 200 {
			t.Errorf("%s in region-1: %d %s", test.action, answer.status, answer.body)
		}
	}
	if changed := w.journal("Create*"); len(changed) != 6 || changed[0].Committed || !changed[1].Committed {
		t.Errorf("the journal has %+v", changed)
	}
}

// TestRegionOfStaleAnswers: a rule that shows the cloud as it was before it had regions does not make the region unknown.
func TestRegionOfStaleAnswers(t *testing.T) {
	t.Parallel()
	w := open(t)
	for _, effect := range []string{`{"stale": {"by": "1h"}}`, `{"hide": {"for": "1h"}}`} {
		w.fault("ListInstances", effect)
		if answer := w.signed("region-1", ec2, "DescribeInstances"); answer.status != 200 {
			t.Errorf("%s: %d %s", effect, answer.status, answer.body)
		}
		w.clearFaults()
	}
}

// TestRegions: a request sees what is in its own region: zones, subnets, instances and load balancers.
func TestRegions(t *testing.T) {
	t.Parallel()
	w := open(t)
	must[simcloud.SeedReport](t)(w.native.Seed(t.Context(), simcloud.Topology{Regions: &[]simcloud.TopologyRegion{
		{RegionSpec: simcloud.RegionSpec{Name: "east"}, Zones: []simcloud.TopologyZone{{Name: "east-a"}}},
		{RegionSpec: simcloud.RegionSpec{Name: "west"}, Zones: []simcloud.TopologyZone{{Name: "west-a"}, {Name: "west-b"}}},
	}}))
	first := w.instance(simcloud.InstanceSpec{Name: "a", Zone: "east-a"})
	second := w.instance(simcloud.InstanceSpec{Name: "b", Zone: "west-b"})
	gone := w.instance(simcloud.InstanceSpec{Name: "c", Zone: "west-b"})
	must[simcloud.Operation](t)(w.native.DeleteInstance(t.Context(), gone.ID))
	for region, want := range map[string]struct{ zones, subnets, instances string }{
		"east": {"east-a", "subnet-east-a", string(first.ID)},
		"west": {"west-a west-b", "subnet-west-a subnet-west-b", string(second.ID) + " " + string(gone.ID)},
	} {
		w.signed(region, ec2, "DescribeAvailabilityZones").has("availabilityZoneInfo/item/zoneName", want.zones)
		w.signed(region, ec2, "DescribeSubnets").has("subnetSet/item/subnetId", want.subnets)
		w.signed(region, ec2, "DescribeInstances").has(inReservation+"instanceId", want.instances)
		w.signed(region, ec2, "DescribeRegions").has("regionInfo/item/regionName", "east west")
	}
	for range 2 { // the second time an answer could be remembered
		if answer := w.signed("west", ec2, "DescribeInstances", "InstanceId.1", string(second.ID)); answer.status != 200 {
			t.Errorf("in its own region: %s", answer.body)
		}
		if answer := w.signed("east", ec2, "DescribeInstances", "InstanceId.1", string(second.ID)); answer.code() != "InvalidInstanceID.NotFound" {
			t.Errorf("in the other region: %s", answer.body)
		}
	}
	run := []string{"ImageId", "ami-1", "MinCount", "1", "MaxCount", "1"}
	w.signed("west", ec2, "RunInstances", run...).has("instancesSet/item/placement/availabilityZone", "west-a")
	if answer := w.signed("east", ec2, "RunInstances", append(run, "Placement.AvailabilityZone", "west-a")...); answer.code() != "InvalidParameterValue" {
		t.Errorf("in a zone of the other region: %s", answer.body)
	}
	if answer := w.signed("east", ec2, "TerminateInstances", "InstanceId.1", string(second.ID)); answer.code() != "InvalidInstanceID.NotFound" {
		t.Errorf("an instance of the other region: %s", answer.body)
	}
	made := w.signed("west", elbv2, "CreateLoadBalancer", network("web", "SubnetMappings.member.1.SubnetId", "subnet-west-a", "SubnetMappings.member.2.SubnetId", "subnet-west-b")...)
	made.has("CreateLoadBalancerResult/LoadBalancers/member/DNSName", "web-1.elb.west.amazonaws.com")
	if arn := made.text("CreateLoadBalancerResult/LoadBalancers/member/LoadBalancerArn"); !strings.HasPrefix(arn, "arn:aws:elasticloadbalancing:west:") {
		t.Errorf("the ARN is %s", arn)
	}
	w.signed("west", elbv2, "DescribeLoadBalancers").has(inNLB+"LoadBalancerName", "web")
	w.signed("east", elbv2, "DescribeLoadBalancers").has(inNLB+"LoadBalancerName", "")
	if answer := w.signed("east", elbv2, "CreateLoadBalancer", network("web", "SubnetMappings.member.1.SubnetId", "subnet-west-a")...); answer.code() != "SubnetNotFound" {
		t.Errorf("in a subnet of the other region: %s", answer.body)
	}
}
