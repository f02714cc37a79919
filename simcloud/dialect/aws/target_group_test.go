package aws_test

import (
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
)

const inGroup = "DescribeTargetGroupsResult/TargetGroups/member/"

// targets is a request for a target group as the CCM sends it: names and values in turn, of which the later ones win.
func targets(name, protocol, port string, more ...string) []string {
	return append([]string{
		"Name", name, "Protocol", protocol, "Port", port, "VpcId", "vpc-1", "TargetType", "instance", "HealthCheckIntervalSeconds", "30",
		"HealthCheckPort", "traffic-port", "HealthCheckProtocol", "TCP", "HealthyThresholdCount", "3", "UnhealthyThresholdCount", "4",
		"Tags.member.1.Key", "kubernetes.io/service-name", "Tags.member.1.Value", "default/web",
	}, more...)
}

// targetGroup makes a target group, and returns its ARN.
func (w world) targetGroup(name, protocol, port string, more ...string) string {
	w.Helper()
	return w.does(elbv2, "CreateTargetGroup", targets(name, protocol, port, more...)...).text("CreateTargetGroupResult/TargetGroups/member/TargetGroupArn")
}

// groupOf is the target group of the cloud that has an ARN.
func (w world) groupOf(arn string) simcloud.TargetGroup {
	w.Helper()
	return must[simcloud.TargetGroup](w)(w.native.GetTargetGroup(w.Context(), simcloud.ID("tg-"+arn[strings.LastIndex(arn, "/")+1:])))
}

// TestTargetGroup: a target group is in the next answer with all that the CCM uses, and is made once.
func TestTargetGroup(t *testing.T) {
	t.Parallel()
	w := open(t)
	arn := w.targetGroup("web", "TCP", "31000")
	if !strings.HasPrefix(arn, accountOf) || !strings.HasSuffix(arn, ":targetgroup/web/1") {
		t.Errorf("the ARN is %s", arn)
	}
	for _, by := range [][]string{{"Names.member.1", "web"}, {"TargetGroupArns.member.1", arn}, nil} {
		answer := w.does(elbv2, "DescribeTargetGroups", by...)
		for path, want := range map[string]string{
			"TargetGroupArn": arn, "TargetGroupName": "web", "Protocol": "TCP", "Port": "31000", "VpcId": "vpc-1", "TargetType": "instance", "HealthCheckEnabled": "true",
			"HealthCheckProtocol": "TCP", "HealthCheckPort": "traffic-port", "HealthCheckPath": "", "HealthCheckIntervalSeconds": "30", "HealthCheckTimeoutSeconds": "10",
			"HealthyThresholdCount": "3", "UnhealthyThresholdCount": "4", "Matcher": "", "LoadBalancerArns/member": "",
		} {
			answer.has(inGroup+path, want)
		}
	}
	g := w.groupOf(arn)
	if g.Protocol != simcloud.ProtocolTCP || g.Port != 31000 || g.Network != "net-1" || g.Labels["kubernetes.io/service-name"] != "default/web" ||
		g.HealthCheck.Port != 0 || g.HealthCheck.Threshold != 3 || g.HealthCheck.TimeoutSeconds != 10 {
		t.Errorf("the cloud has %+v with %+v", g, g.HealthCheck)
	}
	if again := w.targetGroup("web", "TCP", "31000"); again != arn {
		t.Errorf("the second one is %s", again)
	}
	for _, other := range [][]string{{"Port", "31001"}, {"Protocol", "UDP"}, {"UnhealthyThresholdCount", "5"}, {"HealthCheckIntervalSeconds", "10"}, {"HealthCheckPort", "80"}} {
		w.refused("DuplicateTargetGroupName", 400, elbv2, "CreateTargetGroup", targets("web", "TCP", "31000", other...)...)
	}
	if now := w.groupOf(arn); now.Version != g.Version {
		t.Errorf("it has changed to %+v", now)
	}
	w.targetGroup("dns", "UDP", "31053")
	page := w.does(elbv2, "DescribeTargetGroups", "PageSize", "1")
	page.has(inGroup+"TargetGroupName", "web")
	w.does(elbv2, "DescribeTargetGroups", "PageSize", "1", "Marker", page.text("DescribeTargetGroupsResult/NextMarker")).has(inGroup+"TargetGroupName", "dns")
	w.does(elbv2, "DescribeTargetGroups", "Names.member.1", "dns").has(inGroup+"TargetGroupName", "dns")
	for range 2 {
		w.does(elbv2, "DeleteTargetGroup", "TargetGroupArn", arn)
	}
	w.refused("TargetGroupNotFound", 400, elbv2, "DescribeTargetGroups", "TargetGroupArns.member.1", arn)
	w.refused("TargetGroupNotFound", 400, elbv2, "DescribeTargetGroups", "Names.member.1", "web")
	w.refused("TargetGroupNotFound", 400, elbv2, "DescribeTargetHealth", "TargetGroupArn", arn)
}

func TestTargetGroupIsRefused(t *testing.T) {
	t.Parallel()
	w := open(t)
	for _, test := range []struct {
		code string
		more []string
	}{
		{"ValidationError", []string{"Name", "web-"}},
		{"ValidationError", []string{"Name", strings.Repeat("a", 33)}},
		{"InvalidConfigurationRequest", []string{"Protocol", "HTTP"}},
		{"InvalidConfigurationRequest", []string{"TargetType", "lambda"}},
		{"InvalidConfigurationRequest", []string{"IpAddressType", "ipv6"}},
		{"ValidationError", []string{"Port", "0"}},
		{"ValidationError", []string{"Port", "65536"}},
		{"ValidationError", []string{"VpcId", "vpc-9"}},
		{"ValidationError", []string{"VpcId", ""}},
		{"ValidationError", []string{"HealthCheckProtocol", "UDP"}},
		{"ValidationError", []string{"HealthCheckPort", "http"}},
		{"ValidationError", []string{"HealthCheckIntervalSeconds", "4"}},
		{"ValidationError", []string{"HealthCheckIntervalSeconds", "301"}},
		{"ValidationError", []string{"HealthCheckTimeoutSeconds", "31"}},
		{"ValidationError", []string{"HealthyThresholdCount", "1"}},
		{"ValidationError", []string{"UnhealthyThresholdCount", "11"}},
		{"InvalidConfigurationRequest", []string{"HealthCheckEnabled", "false"}},
		{"InvalidConfigurationRequest", []string{"HealthCheckPath", "/x"}},
		{"DuplicateTagKeys", []string{"Tags.member.2.Key", "kubernetes.io/service-name"}},
		{"ValidationError", []string{"Matcher.HttpCode", "200"}},
	} {
		w.refused(test.code, 400, elbv2, "CreateTargetGroup", targets("web", "TCP", "31000", test.more...)...)
	}
	w.refused("ValidationError", 400, elbv2, "DescribeTargetGroups", "TargetGroupArns.member.1", "web")
	w.refused("ValidationError", 400, elbv2, "DescribeTargetGroups", "Names.member.1", "web", "LoadBalancerArn", "arn")
	w.does(elbv2, "DescribeTargetGroups").has(inGroup+"TargetGroupName", "")
}

// TestTargetGroupCheck changes health checks.
func TestTargetGroupCheck(t *testing.T) {
	t.Parallel()
	w := open(t)
	arn := w.targetGroup("web", "TCP", "31000", "HealthCheckProtocol", "HTTP", "HealthCheckPath", "/healthz", "HealthCheckPort", "32000")
	first := w.groupOf(arn).HealthCheck
	if first.Protocol != simcloud.HealthCheckHTTP || first.Path != "/healthz" || first.Port != 32000 || first.TimeoutSeconds != 6 {
		t.Errorf("the cloud has %+v", first)
	}
	w.does(elbv2, "DescribeTargetGroups").has(inGroup+"Matcher/HttpCode", "200-399", inGroup+"HealthCheckPath", "/healthz", inGroup+"HealthCheckPort", "32000")
	const in = "ModifyTargetGroupResult/TargetGroups/member/"
	w.does(elbv2, "ModifyTargetGroup", "TargetGroupArn", arn, "UnhealthyThresholdCount", "7", "HealthCheckPort", "traffic-port").has(
		in+"UnhealthyThresholdCount", "7", in+"HealthyThresholdCount", "3", in+"HealthCheckPort", "traffic-port", in+"HealthCheckPath", "/healthz")
	version := w.groupOf(arn).Version
	w.does(elbv2, "ModifyTargetGroup", "TargetGroupArn", arn, "HealthCheckPath", "/healthz") // as the CCM sends it at each sync
	if now := w.groupOf(arn); now.Version != version {
		t.Errorf("an equal check has changed %+v", now)
	}
	w.does(elbv2, "ModifyTargetGroup", "TargetGroupArn", arn, "HealthCheckProtocol", "TCP").has(in+"HealthCheckProtocol", "TCP", in+"HealthCheckPath", "")
	w.does(elbv2, "ModifyTargetGroup", "TargetGroupArn", arn, "HealthCheckProtocol", "HTTPS").has(in+"HealthCheckPath", "/")
	w.refused("ValidationError", 400, elbv2, "ModifyTargetGroup", "TargetGroupArn", arn, "HealthCheckTimeoutSeconds", "1")
	w.refused("TargetGroupNotFound", 400, elbv2, "ModifyTargetGroup", "TargetGroupArn", arn+"9")
}

// TestTargetGroupAttributes: all are answered, with the values that each protocol has at first.
func TestTargetGroupAttributes(t *testing.T) {
	t.Parallel()
	w := open(t)
	read := func(arn string) map[string]string {
		answer := w.does(elbv2, "DescribeTargetGroupAttributes", "TargetGroupArn", arn)
		return answer.pairs("DescribeTargetGroupAttributesResult/Attributes/member")
	}
	set := func(arn, key, value string) []string {
		return []string{"TargetGroupArn", arn, "Attributes.member.1.Key", key, "Attributes.member.1.Value", value}
	}
	tcp, udp := w.targetGroup("web", "TCP", "31000"), w.targetGroup("dns", "UDP", "31053")
	for arn, want := range map[string]string{tcp: "false", udp: "true"} {
		has := read(arn)
		if has["preserve_client_ip.enabled"] != "true" || has["proxy_protocol_v2.enabled"] != "false" || has["deregistration_delay.timeout_seconds"] != "300" ||
			has["deregistration_delay.connection_termination.enabled"] != want || has["stickiness.type"] != "source_ip" || len(has) != 13 {
			t.Errorf("%s has %v", arn, has)
		}
	}
	w.does(elbv2, "ModifyTargetGroupAttributes", set(tcp, "preserve_client_ip.enabled", "false")...)
	w.does(elbv2, "ModifyTargetGroupAttributes", set(tcp, "proxy_protocol_v2.enabled", "true")...)
	if has := read(tcp); has["preserve_client_ip.enabled"] != "false" || has["proxy_protocol_v2.enabled"] != "true" {
		t.Errorf("then: %v", has)
	}
	g := w.groupOf(tcp)
	if !g.ProxyProtocol {
		t.Error("the cloud has no PROXY protocol")
	}
	w.does(elbv2, "ModifyTargetGroupAttributes", set(tcp, "preserve_client_ip.enabled", "false")...)
	w.does(elbv2, "ModifyTargetGroup", "TargetGroupArn", tcp, "HealthyThresholdCount", "3")
	if now := w.groupOf(tcp); now.Version != g.Version {
		t.Errorf("equal attributes have changed %+v", now)
	}
	for _, bad := range [][]string{
		set(tcp, "stickiness.type", "lb_cookie"), set(tcp, "slow_start.duration_seconds", "30"), set(tcp, "deregistration_delay.timeout_seconds", "3601"),
		set(tcp, "deregistration_delay.timeout_seconds", "soon"), set(udp, "preserve_client_ip.enabled", "false"), set(udp, "proxy_protocol_v2.enabled", "true"),
	} {
		w.refused("InvalidConfigurationRequest", 400, elbv2, "ModifyTargetGroupAttributes", bad...)
	}
}

const inHealth = "DescribeTargetHealthResult/TargetHealthDescriptions/member/"

// TestTargets: what is registered stays so, what is not is removed already, and each request is done as a whole.
func TestTargets(t *testing.T) {
	t.Parallel()
	w := open(t)
	arn := w.targetGroup("web", "TCP", "31000")
	w.instance(simcloud.InstanceSpec{Name: "node-1"})
	w.instance(simcloud.InstanceSpec{Name: "node-2"})
	both := []string{"TargetGroupArn", arn, "Targets.member.1.Id", "i-1", "Targets.member.1.Port", "31000", "Targets.member.2.Id", "i-2"}
	for range 2 {
		w.does(elbv2, "RegisterTargets", both...)
		w.does(elbv2, "DescribeTargetHealth", "TargetGroupArn", arn).has(inHealth+"Target/Id", "i-1 i-2", inHealth+"Target/Port", "31000 31000", inHealth+"HealthCheckPort", "31000 31000")
	}
	w.does(elbv2, "RegisterTargets", "TargetGroupArn", arn, "Targets.member.1.Id", "i-1", "Targets.member.1.Port", "32000", "Targets.member.2.Id", "i-1", "Targets.member.2.Port", "32000")
	w.does(elbv2, "DescribeTargetHealth", "TargetGroupArn", arn).has(inHealth+"Target/Port", "31000 31000 32000")
	w.refused("InvalidTarget", 400, elbv2, "RegisterTargets", "TargetGroupArn", arn, "Targets.member.1.Id", "i-1", "Targets.member.1.Port", "33000", "Targets.member.2.Id", "i-9")
	w.refused("ValidationError", 400, elbv2, "RegisterTargets", "TargetGroupArn", arn, "Targets.member.1.Id", "i-1", "Targets.member.1.Port", "0")
	w.refused("ValidationError", 400, elbv2, "RegisterTargets", "TargetGroupArn", arn, "Targets.member.1.Id", "i-1", "Targets.member.1.AvailabilityZone", "all")
	w.refused("ValidationError", 400, elbv2, "RegisterTargets", "TargetGroupArn", arn, "Targets", "")
	for range 2 {
		w.does(elbv2, "DeregisterTargets", "TargetGroupArn", arn, "Targets.member.1.Id", "i-1", "Targets.member.2.Id", "i-9")
		w.does(elbv2, "DescribeTargetHealth", "TargetGroupArn", arn).has(inHealth+"Target/Id", "i-2 i-1", inHealth+"Target/Port", "31000 32000")
	}
	must[simcloud.Result[simcloud.Instance]](t)(w.native.StopInstance(t.Context(), "i-2"))
	w.does(elbv2, "RegisterTargets", "TargetGroupArn", arn, "Targets.member.1.Id", "i-2") // it is registered
	w.does(elbv2, "DeregisterTargets", "TargetGroupArn", arn, "Targets.member.1.Id", "i-2")
	w.refused("InvalidTarget", 400, elbv2, "RegisterTargets", "TargetGroupArn", arn, "Targets.member.1.Id", "i-2")
	elsewhere := must[simcloud.Result[simcloud.Network]](t)(w.native.CreateNetwork(t.Context(), simcloud.NetworkSpec{Name: "dmz", CIDRs: []string{"172.20.0.0/16"}})).Resource
	other := w.instance(simcloud.InstanceSpec{Name: "outside", Network: elsewhere.ID})
	w.refused("InvalidTarget", 400, elbv2, "RegisterTargets", "TargetGroupArn", arn, "Targets.member.1.Id", string(other.ID))
}

// TestTargetHealth: the health of the cloud, as AWS has it.
func TestTargetHealth(t *testing.T) {
	t.Parallel()
	w := open(t)
	lb, arn := w.nlb("web"), w.targetGroup("web", "TCP", "31000")
	w.instance(simcloud.InstanceSpec{Name: "node-1", Zone: "zone-a"})
	w.instance(simcloud.InstanceSpec{Name: "node-2", Zone: "zone-b"})
	w.does(elbv2, "RegisterTargets", "TargetGroupArn", arn, "Targets.member.1.Id", "i-1", "Targets.member.2.Id", "i-2")
	health := func(states, reasons string, more ...string) {
		t.Helper()
		w.does(elbv2, "DescribeTargetHealth", append([]string{"TargetGroupArn", arn}, more...)...).has(inHealth+"TargetHealth/State", states, inHealth+"TargetHealth/Reason", reasons)
	}
	health("unused unused", "Target.NotInUse Target.NotInUse")
	w.does(elbv2, "CreateListener", forward(lb, arn, "80", "TCP")...)
	health("healthy healthy", "")
	health("healthy", "", "Targets.member.1.Id", "i-2")
	health("unused", "Target.NotRegistered", "Targets.member.1.Id", "i-2", "Targets.member.1.Port", "1")
	must[simcloud.Result[simcloud.Instance]](t)(w.native.StopInstance(t.Context(), "i-1"))
	health("unused healthy", "Target.InvalidState")
	must[simcloud.Result[simcloud.Zone]](t)(w.native.SetZoneState(t.Context(), "zone-b", simcloud.ZoneStateSpec{State: simcloud.ZoneDown}))
	health("unused draining", "Target.InvalidState")
	must[simcloud.Operation](t)(w.native.DeleteInstance(t.Context(), "i-1"))
	health("unused draining", "Target.InvalidState")
}
