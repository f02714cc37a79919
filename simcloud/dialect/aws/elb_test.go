package aws_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
)

const inCLB = "DescribeLoadBalancersResult/LoadBalancerDescriptions/member/"

// classic is a request for a load balancer as the CCM sends it.
func classic(name string, more ...string) []string {
	return append([]string{
		"LoadBalancerName", name, "Listeners.member.1.Protocol", "tcp", "Listeners.member.1.LoadBalancerPort", "80",
		"Listeners.member.1.InstanceProtocol", "tcp", "Listeners.member.1.InstancePort", "31000",
		"Subnets.member.1", "subnet-zone-a", "Subnets.member.2", "subnet-zone-b",
		"Tags.member.1.Key", "kubernetes.io/service-name", "Tags.member.1.Value", "default/web",
	}, more...)
}

// balancer is the load balancer of the cloud that has a name.
func (w world) balancer(name string) simcloud.LoadBalancer {
	w.Helper()
	all := must[[]simcloud.LoadBalancer](w)(simcloud.ListAll(w.Context(), w.native.ListLoadBalancers, simcloud.ListOptions{Name: name}))
	if len(all) != 1 {
		w.Fatalf("there are %d load balancers %s", len(all), name)
	}
	return all[0]
}

// TestClassicIsMade: a load balancer is in the next answer with all that the CCM uses, and in the cloud with an address.
func TestClassicIsMade(t *testing.T) {
	t.Parallel()
	w := open(t)
	made := w.does(elb, "CreateLoadBalancer", classic("web")...)
	made.has("CreateLoadBalancerResult/DNSName", "web-1.region-1.elb.amazonaws.com")
	answer := w.does(elb, "DescribeLoadBalancers", "LoadBalancerNames.member.1", "web")
	for path, want := range map[string]string{
		"LoadBalancerName": "web", "DNSName": "web-1.region-1.elb.amazonaws.com", "Scheme": "internet-facing", "VPCId": "vpc-1",
		"Subnets/member": "subnet-zone-a subnet-zone-b", "SecurityGroups/member": "", "Instances/member": "",
		"HealthCheck/Target": "TCP:31000", "HealthCheck/Interval": "30", "HealthCheck/Timeout": "5", "HealthCheck/HealthyThreshold": "10",
		"HealthCheck/UnhealthyThreshold": "2", "ListenerDescriptions/member/Listener/Protocol": "TCP",
		"ListenerDescriptions/member/Listener/LoadBalancerPort": "80", "ListenerDescriptions/member/Listener/InstancePort": "31000",
		"ListenerDescriptions/member/Listener/InstanceProtocol": "TCP",
	} {
		answer.has(inCLB+path, want)
	}
	lb := w.balancer("web")
	if len(lb.VIPs) != 2 || lb.VIPs[0].Pool == "" || lb.VIPs[0].Zone != "zone-a" || lb.VIPs[1].Zone != "zone-b" || lb.Labels["kubernetes.io/service-name"] != "default/web" || lb.Listeners[0].HealthCheck.IntervalSeconds != 30 {
		t.Errorf("the cloud has %+v", lb)
	}
}

// TestClassicIsMadeOnce: an equal request answers what is there, another one is refused.
func TestClassicIsMadeOnce(t *testing.T) {
	t.Parallel()
	w := open(t)
	for range 2 {
		w.does(elb, "CreateLoadBalancer", classic("web")...)
	}
	lb := w.balancer("web")
	w.group("front")
	w.refused("DuplicateLoadBalancerName", 400, elb, "CreateLoadBalancer", classic("web", "Scheme", "internal")...)
	w.refused("DuplicateLoadBalancerName", 400, elb, "CreateLoadBalancer", classic("web", "SecurityGroups.member.1", "sg-1")...)
	w.refused("DuplicateLoadBalancerName", 400, elb, "CreateLoadBalancer", classic("web", "Listeners.member.1.InstancePort", "31001")...)
	if now := w.balancer("web"); now.Version != lb.Version {
		t.Errorf("it has changed to %+v", now)
	}
	w.does(elb, "CreateLoadBalancer", classic("other", "Scheme", "internal")...).has("CreateLoadBalancerResult/DNSName", "internal-other-2.region-1.elb.amazonaws.com")
	w.does(elb, "DescribeLoadBalancers").has(inCLB+"LoadBalancerName", "web other", inCLB+"Scheme", "internet-facing internal")
	page := w.does(elb, "DescribeLoadBalancers", "PageSize", "1")
	page.has(inCLB+"LoadBalancerName", "web")
	w.does(elb, "DescribeLoadBalancers", "PageSize", "1", "Marker", page.text("DescribeLoadBalancersResult/NextMarker")).has(inCLB+"LoadBalancerName", "other", "DescribeLoadBalancersResult/NextMarker", "")
}

func TestClassicIsRefused(t *testing.T) {
	t.Parallel()
	w := open(t)
	for _, test := range []struct {
		code string
		more []string
	}{
		{"ValidationError", []string{"AvailabilityZones.member.1", "zone-a"}}, // beside subnets
		{"ValidationError", []string{"LoadBalancerName", "-web"}},
		{"ValidationError", []string{"LoadBalancerName", strings.Repeat("a", 33)}},
		{"InvalidScheme", []string{"Scheme", "secret"}},
		{"SubnetNotFound", []string{"Subnets.member.2", "subnet-zone-z"}},
		{"UnsupportedProtocol", []string{"Listeners.member.1.Protocol", "udp"}},
		{"InvalidConfigurationRequest", []string{"Listeners.member.1.Protocol", "http"}},
		{"InvalidConfigurationRequest", []string{"Listeners.member.1.Protocol", "ssl"}},
		{"InvalidConfigurationRequest", []string{"Listeners.member.1.SSLCertificateId", "arn"}},
		{"ValidationError", []string{"Tags.member.2.Key", "aws.simcloud.dev/subnets"}},
		{"ValidationError", []string{"Listeners.member.1.InstancePort", "0"}},
		{"ValidationError", []string{"Listeners.member.1.InstancePort", "65536"}},
		{"ValidationError", []string{"Colour", "red"}},
	} {
		w.refused(test.code, 400, elb, "CreateLoadBalancer", classic("web", test.more...)...)
	}
	w.refused("ValidationError", 400, elb, "CreateLoadBalancer", "LoadBalancerName", "web", "Listeners", "", "Subnets.member.1", "subnet-zone-a")
	w.refused("ValidationError", 400, elb, "CreateLoadBalancer", classic("web")[:10]...)
	for _, action := range []string{"DescribeLoadBalancerAttributes"} {
		w.refused("LoadBalancerNotFound", 400, elb, action, "LoadBalancerName", "web")
	}
	w.refused("LoadBalancerNotFound", 400, elb, "DescribeLoadBalancers", "LoadBalancerNames.member.1", "web")
	w.does(elb, "DescribeLoadBalancers").has(inCLB+"LoadBalancerName", "")
}

// TestClassicInZones: zones stand for their subnets of the first VPC.
func TestClassicInZones(t *testing.T) {
	t.Parallel()
	w := open(t)
	in := func(zone string) []string {
		return []string{
			"LoadBalancerName", "web", "Listeners.member.1.Protocol", "tcp", "Listeners.member.1.LoadBalancerPort", "80", "Listeners.member.1.InstancePort", "31000",
			"AvailabilityZones.member.1", zone,
		}
	}
	w.refused("ValidationError", 400, elb, "CreateLoadBalancer", in("moon")...)
	w.does(elb, "CreateLoadBalancer", in("zone-b")...)
	w.does(elb, "DescribeLoadBalancers").has(inCLB+"Subnets/member", "subnet-zone-b")
}

// TestListeners adds and removes listeners.
func TestListeners(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.does(elb, "CreateLoadBalancer", classic("web")...)
	listener := func(protocol, port, instancePort string, more ...string) []string {
		return append([]string{
			"LoadBalancerName", "web", "Listeners.member.1.Protocol", protocol, "Listeners.member.1.LoadBalancerPort", port, "Listeners.member.1.InstancePort", instancePort,
		}, more...)
	}
	w.does(elb, "CreateLoadBalancerListeners", listener("https", "443", "31443", "Listeners.member.1.SSLCertificateId", "arn:c", "Listeners.member.1.InstanceProtocol", "http")...)
	version := w.balancer("web").Version
	w.does(elb, "CreateLoadBalancerListeners", listener("TCP", "80", "31000")...)
	if now := w.balancer("web"); now.Version != version {
		t.Errorf("an equal listener has changed it to %+v", now)
	}
	w.refused("DuplicateListener", 400, elb, "CreateLoadBalancerListeners", listener("TCP", "80", "31001")...)
	w.refused("DuplicateListener", 400, elb, "CreateLoadBalancerListeners", listener("http", "80", "31000")...)
	answer := w.does(elb, "DescribeLoadBalancers")
	const in = inCLB + "ListenerDescriptions/member/Listener/"
	answer.has(in+"Protocol", "TCP HTTPS", in+"InstanceProtocol", "TCP HTTP", in+"SSLCertificateId", "arn:c", in+"LoadBalancerPort", "80 443")
	w.does(elb, "DeleteLoadBalancerListeners", "LoadBalancerName", "web", "LoadBalancerPorts.member.1", "80", "LoadBalancerPorts.member.2", "81")
	if left := w.balancer("web").Listeners; len(left) != 1 || left[0].ID != "https-443" {
		t.Errorf("left are %+v", left)
	}
	w.refused("LoadBalancerNotFound", 400, elb, "DeleteLoadBalancerListeners", "LoadBalancerName", "x", "LoadBalancerPorts.member.1", "80")
}

// TestRegistration: what is registered stays so, and what is not is removed already.
func TestRegistration(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.does(elb, "CreateLoadBalancer", classic("web")...)
	w.instance(simcloud.InstanceSpec{Name: "node-1"})
	w.instance(simcloud.InstanceSpec{Name: "node-2"})
	both := []string{"LoadBalancerName", "web", "Instances.member.1.InstanceId", "i-1", "Instances.member.2.InstanceId", "i-2"}
	for range 2 {
		w.does(elb, "RegisterInstancesWithLoadBalancer", both...).has("RegisterInstancesWithLoadBalancerResult/Instances/member/InstanceId", "i-1 i-2")
	}
	w.refused("InvalidInstance", 400, elb, "RegisterInstancesWithLoadBalancer", "LoadBalancerName", "web", "Instances.member.1.InstanceId", "i-9")
	for range 2 {
		w.does(elb, "DeregisterInstancesFromLoadBalancer", both[:4]...).has("DeregisterInstancesFromLoadBalancerResult/Instances/member/InstanceId", "i-2")
	}
	w.does(elb, "DescribeLoadBalancers").has(inCLB+"Instances/member/InstanceId", "i-2")
	// One that does not exist fails all of the request.
	w.refused("InvalidInstance", 400, elb, "RegisterInstancesWithLoadBalancer", "LoadBalancerName", "web", "Instances.member.1.InstanceId", "i-1", "Instances.member.2.InstanceId", "i-9")
	if targets := w.balancer("web").Targets; len(targets) != 1 || targets[0].Instance != "i-2" {
		t.Errorf("the targets are %+v", targets)
	}
}

// TestHealthCheck: the check is kept to the letter, and the cloud has what it understands of it.
func TestHealthCheck(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.does(elb, "CreateLoadBalancer", classic("web")...)
	check := func(target string, numbers ...string) []string {
		fields := []string{"LoadBalancerName", "web", "HealthCheck.Target", target}
		for i, name := range []string{"Interval", "Timeout", "HealthyThreshold", "UnhealthyThreshold"} {
			fields = append(fields, "HealthCheck."+name, numbers[i])
		}
		return fields
	}
	for target, want := range map[string]simcloud.HealthCheck{
		"HTTP:31000/healthz": {Protocol: simcloud.HealthCheckHTTP, Port: 31000, Path: "/healthz"}, "SSL:31001": {Protocol: simcloud.HealthCheckTCP, Port: 31001},
		"HTTPS:31002/": {Protocol: simcloud.HealthCheckHTTPS, Port: 31002, Path: "/"}, "TCP:31003": {Protocol: simcloud.HealthCheckTCP, Port: 31003},
	} {
		w.does(elb, "ConfigureHealthCheck", check(target, "10", "5", "2", "6")...).has("ConfigureHealthCheckResult/HealthCheck/Target", target)
		lb := w.balancer("web")
		got := lb.Listeners[0].HealthCheck
		if got.Protocol != want.Protocol || got.Port != want.Port || got.Path != want.Path || got.IntervalSeconds != 10 || got.TimeoutSeconds != 5 || got.Threshold != 2 {
			t.Errorf("%s: the cloud has %+v", target, got)
		}
		w.does(elb, "DescribeLoadBalancers").has(inCLB+"HealthCheck/Target", target, inCLB+"HealthCheck/UnhealthyThreshold", "6")
		w.does(elb, "ConfigureHealthCheck", check(target, "10", "5", "2", "6")...)
		if now := w.balancer("web"); now.Version != lb.Version {
			t.Errorf("%s: an equal check has changed %+v", target, now)
		}
	}
	for _, bad := range [][]string{
		check("UDP:31000", "10", "5", "2", "6"), check("TCP:31000/x", "10", "5", "2", "6"), check("HTTP:31000", "10", "5", "2", "6"), check("TCP:0", "10", "5", "2", "6"),
		check("TCP", "10", "5", "2", "6"), check("TCP:1", "4", "2", "2", "6"), check("TCP:1", "10", "10", "2", "6"), check("TCP:1", "10", "5", "1", "6"), check("TCP:1", "10", "5", "2", "11"),
		check("HTTP:1/"+strings.Repeat("x", 255), "10", "5", "2", "6"),
	} {
		w.refused("ValidationError", 400, elb, "ConfigureHealthCheck", bad...)
	}
}

// TestAttributes: a change of some leaves the others, and one that changes nothing is no write.
func TestAttributes(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.does(elb, "CreateLoadBalancer", classic("web")...)
	const in = "DescribeLoadBalancerAttributesResult/LoadBalancerAttributes/"
	w.does(elb, "DescribeLoadBalancerAttributes", "LoadBalancerName", "web").has(in+"CrossZoneLoadBalancing/Enabled", "false", in+"AccessLog/Enabled", "false",
		in+"ConnectionDraining/Enabled", "false", in+"ConnectionSettings/IdleTimeout", "60")
	set := []string{
		"LoadBalancerName", "web", "LoadBalancerAttributes.ConnectionSettings.IdleTimeout", "90", "LoadBalancerAttributes.ConnectionDraining.Enabled", "true",
		"LoadBalancerAttributes.ConnectionDraining.Timeout", "7",
	}
	w.does(elb, "ModifyLoadBalancerAttributes", set...).has("ModifyLoadBalancerAttributesResult/LoadBalancerName", "web")
	w.does(elb, "ModifyLoadBalancerAttributes", "LoadBalancerName", "web", "LoadBalancerAttributes.CrossZoneLoadBalancing.Enabled", "true")
	lb := w.balancer("web")
	if idle := lb.Listeners[0].IdleTimeoutSeconds; idle != 90 {
		t.Errorf("connections last %d s", idle)
	}
	w.does(elb, "DescribeLoadBalancerAttributes", "LoadBalancerName", "web").has(in+"CrossZoneLoadBalancing/Enabled", "true",
		in+"ConnectionDraining/Timeout", "7", in+"ConnectionSettings/IdleTimeout", "90")
	w.does(elb, "ModifyLoadBalancerAttributes", set...)
	if now := w.balancer("web"); now.Version != lb.Version {
		t.Errorf("equal attributes have changed %+v", now)
	}
	w.refused("InvalidConfigurationRequest", 400, elb, "ModifyLoadBalancerAttributes", "LoadBalancerName", "web", "LoadBalancerAttributes.ConnectionSettings.IdleTimeout", "4001")
}

// TestClassicIsDeleted: its address is deleted with it, and a second deletion succeeds.
func TestClassicIsDeleted(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.does(elb, "CreateLoadBalancer", classic("web")...)
	for range 2 {
		w.does(elb, "DeleteLoadBalancer", "LoadBalancerName", "web")
	}
	w.refused("LoadBalancerNotFound", 400, elb, "DescribeLoadBalancers", "LoadBalancerNames.member.1", "web")
	fips := must[simcloud.Page[simcloud.FloatingIP]](t)(w.native.ListFloatingIPs(t.Context(), simcloud.ListOptions{}))
	if len(fips.Items) != 0 {
		t.Errorf("left are %+v", fips.Items)
	}
	deletions := w.journal("aws:elb:DeleteLoadBalancer")
	if len(deletions) != 2 || deletions[0].Resource != "load_balancer/lb-1" || deletions[0].Operation != "DeleteLoadBalancer" {
		t.Errorf("the journal has %+v", deletions)
	}
}

// TestForeignBalancer: one that another API has made has a health check all the same, without which the CCM ends.
func TestForeignBalancer(t *testing.T) {
	t.Parallel()
	w := open(t)
	must[simcloud.Result[simcloud.LoadBalancer]](t)(w.native.CreateLoadBalancer(t.Context(), simcloud.LoadBalancerSpec{Name: "mine", Listeners: []simcloud.ListenerSpec{
		{Protocol: simcloud.ProtocolTCP, Port: 81, ListenerConfig: simcloud.ListenerConfig{TargetPort: 8081}}, {Protocol: simcloud.ProtocolUDP, Port: 53, ListenerConfig: simcloud.ListenerConfig{TargetPort: 5353}},
	}}))
	w.does(elb, "DescribeLoadBalancers").has(inCLB+"HealthCheck/Target", "TCP:8081", inCLB+"ListenerDescriptions/member/Listener/LoadBalancerPort", "81")
}

// TestErrorsOfClassic: an error of a fault rule is the one that the service has for it.
func TestErrorsOfClassic(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.does(elb, "CreateLoadBalancer", classic("web")...)
	w.instance(simcloud.InstanceSpec{Name: "node-1"})
	calls := map[string][]string{
		"CreateLoadBalancer": classic("other"), "RegisterInstancesWithLoadBalancer": {"LoadBalancerName", "web", "Instances.member.1.InstanceId", "i-1"},
		"CreateLoadBalancerListeners": slices.Concat(classic("web")[:8], []string{"Listeners.member.1.LoadBalancerPort", "90", "Listeners.member.1.InstancePort", "31000"}),
		"DescribeLoadBalancers":       nil,
	}
	for _, test := range []struct{ action, code, want string }{
		{"CreateLoadBalancer", "quota_exceeded", "TooManyLoadBalancers"}, {"CreateLoadBalancer", "already_exists", "DuplicateLoadBalancerName"},
		{"RegisterInstancesWithLoadBalancer", "invalid", "InvalidInstance"}, {"RegisterInstancesWithLoadBalancer", "locked", "OperationNotPermitted"},
		{"CreateLoadBalancerListeners", "already_exists", "DuplicateListener"}, {"CreateLoadBalancerListeners", "capacity", "TooManyListeners"},
		{"DescribeLoadBalancers", "not_found", "LoadBalancerNotFound"}, {"DescribeLoadBalancers", "rate_limited", "Throttling"},
	} {
		w.fault("aws:elb:"+test.action, `{"error": {"code": "`+test.code+`"}}`)
		w.refused(test.want, 400, elb, test.action, calls[test.action]...)
		w.clearFaults()
	}
	w.fault("CreateLoadBalancer", `{"reset": {"when": "after"}}`)
	if err := w.lost(t.Context(), form(elb, "CreateLoadBalancer", classic("lost")...)); err == nil {
		t.Error("there is an answer")
	}
	w.clearFaults()
	w.does(elb, "CreateLoadBalancer", classic("lost")...) // as the SDK does at once
	w.balancer("lost")
}
