package aws_test

import (
	"strings"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest"
)

const (
	inNLB     = "DescribeLoadBalancersResult/LoadBalancers/member/"
	accountOf = "arn:aws:elasticloadbalancing:region-1:"
)

// network is a request for a load balancer as the CCM sends it: names and values in turn, of which the later ones win.
func network(name string, more ...string) []string {
	return append([]string{
		"Name", name, "Type", "network", "SubnetMappings.member.1.SubnetId", "subnet-zone-a", "SubnetMappings.member.2.SubnetId", "subnet-zone-b",
		"SecurityGroups", "", "Tags.member.1.Key", "kubernetes.io/service-name", "Tags.member.1.Value", "default/web",
	}, more...)
}

// nlb makes a network load balancer, and returns its ARN.
func (w world) nlb(name string, more ...string) string {
	w.Helper()
	return w.does(elbv2, "CreateLoadBalancer", network(name, more...)...).text("CreateLoadBalancerResult/LoadBalancers/member/LoadBalancerArn")
}

// grouped is network for a load balancer with security groups.
func grouped(name string, ids ...string) []string {
	fields := network(name)
	for i, f := range fields {
		if f == "SecurityGroups" {
			fields[i] = "SecurityGroups.member.1"
			fields[i+1] = ids[0]
		}
	}
	return fields
}

// TestNetworkIsMade: a load balancer is in the next answer with all that the CCM uses, and in the cloud with an address.
func TestNetworkIsMade(t *testing.T) {
	t.Parallel()
	w := open(t)
	arn := w.nlb("web")
	if !strings.HasPrefix(arn, accountOf) || !strings.HasSuffix(arn, ":loadbalancer/net/web/lb-1") || len(strings.Split(arn, ":")[4]) != 12 {
		t.Errorf("the ARN is %s", arn)
	}
	for _, by := range [][]string{{"Names.member.1", "web"}, {"LoadBalancerArns.member.1", arn}, nil} {
		answer := w.does(elbv2, "DescribeLoadBalancers", by...)
		for path, want := range map[string]string{
			"LoadBalancerArn": arn, "LoadBalancerName": "web", "DNSName": "web-1.elb.region-1.amazonaws.com", "Scheme": "internet-facing", "VpcId": "vpc-1",
			"Type": "network", "State/Code": "active", "AvailabilityZones/member/ZoneName": "zone-a zone-b",
			"AvailabilityZones/member/SubnetId": "subnet-zone-a subnet-zone-b", "SecurityGroups/member": "", "IpAddressType": "ipv4",
		} {
			answer.has(inNLB+path, want)
		}
	}
	lb := w.balancer("web")
	if lb.Class != "network" || len(lb.VIPs) != 2 || lb.VIPs[0].Pool == "" || lb.VIPs[0].Zone != "zone-a" || lb.VIPs[1].Zone != "zone-b" || lb.Labels["kubernetes.io/service-name"] != "default/web" || len(lb.SecurityGroups) != 0 {
		t.Errorf("the cloud has %+v", lb)
	}
}

// TestEditions: each edition has its own load balancers alone, and one that another API has made is a classic one.
func TestEditions(t *testing.T) {
	t.Parallel()
	w := open(t)
	arn := w.nlb("net")
	w.does(elb, "CreateLoadBalancer", classic("old")...)
	must[simcloud.Result[simcloud.LoadBalancer]](t)(w.native.CreateLoadBalancer(t.Context(), simcloud.LoadBalancerSpec{Name: "mine"}))
	w.does(elbv2, "DescribeLoadBalancers").has(inNLB+"LoadBalancerName", "net")
	w.does(elb, "DescribeLoadBalancers").has(inCLB+"LoadBalancerName", "old mine")
	w.refused("LoadBalancerNotFound", 400, elb, "DescribeLoadBalancers", "LoadBalancerNames.member.1", "net")
	w.refused("LoadBalancerNotFound", 400, elb, "DescribeLoadBalancerAttributes", "LoadBalancerName", "net")
	w.refused("LoadBalancerNotFound", 400, elbv2, "DescribeLoadBalancers", "Names.member.1", "old")
	foreign := strings.NewReplacer("/net/net/", "/net/old/", "lb-1", "lb-2").Replace(arn)
	w.refused("LoadBalancerNotFound", 400, elbv2, "DescribeLoadBalancers", "LoadBalancerArns.member.1", foreign)
	w.does(elb, "DeleteLoadBalancer", "LoadBalancerName", "net")
	w.does(elbv2, "DeleteLoadBalancer", "LoadBalancerArn", foreign)
	w.balancer("net")
	w.balancer("old")
}

// TestNetworkIsMadeOnce: an equal request answers what is there, another one is refused.
func TestNetworkIsMadeOnce(t *testing.T) {
	t.Parallel()
	w := open(t)
	g := must[simcloud.Result[simcloud.SecurityGroup]](t)(w.native.CreateSecurityGroup(t.Context(), simcloud.SecurityGroupSpec{Name: "lb"})).Resource
	arn := w.nlb("web")
	if again := w.nlb("web"); again != arn {
		t.Errorf("the second one is %s, not %s", again, arn)
	}
	w.nlb("web", "SubnetMappings.member.1.SubnetId", "subnet-zone-b", "SubnetMappings.member.2.SubnetId", "subnet-zone-a")
	lb := w.balancer("web")
	w.refused("DuplicateLoadBalancerName", 400, elbv2, "CreateLoadBalancer", network("web", "Scheme", "internal")...)
	w.refused("DuplicateLoadBalancerName", 400, elbv2, "CreateLoadBalancer", network("web", "SubnetMappings.member.2.SubnetId", "subnet-zone-c")...)
	w.refused("DuplicateLoadBalancerName", 400, elbv2, "CreateLoadBalancer", grouped("web", string(g.ID))...)
	if now := w.balancer("web"); now.Version != lb.Version {
		t.Errorf("it has changed to %+v", now)
	}
	w.nlb("other", "Scheme", "internal")
	w.does(elbv2, "DescribeLoadBalancers").has(inNLB+"LoadBalancerName", "web other", inNLB+"Scheme", "internet-facing internal")
	first := w.does(elbv2, "DescribeLoadBalancers", "PageSize", "1")
	first.has(inNLB+"LoadBalancerName", "web")
	marker := first.text("DescribeLoadBalancersResult/NextMarker")
	w.does(elbv2, "DescribeLoadBalancers", "PageSize", "1", "Marker", marker).has(inNLB+"LoadBalancerName", "other", "DescribeLoadBalancersResult/NextMarker", "")
	w.refused("ValidationError", 400, elbv2, "DescribeLoadBalancers", "PageSize", "0")
	w.refused("ValidationError", 400, elbv2, "DescribeLoadBalancers", "Marker", marker, "Names.member.1", "web")
}

func TestNetworkIsRefused(t *testing.T) {
	t.Parallel()
	w := open(t)
	for _, test := range []struct {
		code string
		more []string
	}{
		{"ValidationError", []string{"Name", "-web"}},
		{"ValidationError", []string{"Name", "internal-web"}},
		{"ValidationError", []string{"Name", strings.Repeat("a", 33)}},
		{"InvalidConfigurationRequest", []string{"Type", "application"}},
		{"InvalidConfigurationRequest", []string{"Type", ""}},
		{"InvalidConfigurationRequest", []string{"IpAddressType", "dualstack"}}, // the network has no IPv6
		{"InvalidConfigurationRequest", []string{"IpAddressType", "ipv6"}},
		{"InvalidScheme", []string{"Scheme", "secret"}},
		{"SubnetNotFound", []string{"SubnetMappings.member.2.SubnetId", "subnet-zone-z"}},
		{"InvalidConfigurationRequest", []string{"SubnetMappings.member.2.SubnetId", "subnet-zone-a"}},
		{"ValidationError", []string{"Subnets.member.1", "subnet-zone-c"}},
		{"ValidationError", []string{"Tags.member.2.Key", "aws.simcloud.dev/subnet-mappings"}},
		{"DuplicateTagKeys", []string{"Tags.member.2.Key", "kubernetes.io/service-name"}},
		{"AllocationIdNotFound", []string{"SubnetMappings.member.1.AllocationId", "eipalloc-9"}},
		{"AllocationIdNotFound", []string{"SubnetMappings.member.1.AllocationId", "fip-1"}},
		{"InvalidConfigurationRequest", []string{"SubnetMappings.member.1.AllocationId", "eipalloc-1", "Scheme", "internal"}},
		{"InvalidConfigurationRequest", []string{"SubnetMappings.member.1.PrivateIPv4Address", "10.0.0.9"}},
		{"ValidationError", []string{"SubnetMappings.member.1.PrivateIPv4Address", "192.168.0.9", "Scheme", "internal"}},
		{"ValidationError", []string{"Colour", "red"}},
	} {
		w.refused(test.code, 400, elbv2, "CreateLoadBalancer", network("web", test.more...)...)
	}
	w.refused("InvalidSecurityGroup", 400, elbv2, "CreateLoadBalancer", grouped("web", "sg-9")...)
	w.refused("ValidationError", 400, elbv2, "CreateLoadBalancer", "Name", "web", "Type", "network", "Subnets", "")
	w.refused("LoadBalancerNotFound", 400, elbv2, "DescribeLoadBalancers", "Names.member.1", "web")
	w.refused("ValidationError", 400, elbv2, "DescribeLoadBalancers", "LoadBalancerArns.member.1", "web")
	w.refused("ValidationError", 400, elbv2, "DescribeLoadBalancers", "LoadBalancerArns.member.1", "arn:x", "Names.member.1", "web")
	w.does(elbv2, "DescribeLoadBalancers").has(inNLB+"LoadBalancerName", "")
}

// TestAddressesOfTheClient: floating IPs lead to a load balancer that names them, and an internal one has the address that is asked for.
func TestAddressesOfTheClient(t *testing.T) {
	t.Parallel()
	w := open(t)
	var addresses []string
	for range 2 {
		addresses = append(addresses, must[simcloud.Result[simcloud.FloatingIP]](t)(w.native.CreateFloatingIP(t.Context(), simcloud.FloatingIPSpec{Name: "ip"})).Resource.Address)
	}
	both := []string{"SubnetMappings.member.1.AllocationId", "eipalloc-1", "SubnetMappings.member.2.AllocationId", "eipalloc-2"}
	const at = inNLB + "AvailabilityZones/member/LoadBalancerAddresses/member/"
	arn := w.nlb("web", both...)
	w.does(elbv2, "DescribeLoadBalancers").has(at+"AllocationId", "eipalloc-1 eipalloc-2", at+"IpAddress", strings.Join(addresses, " "))
	if lb := w.balancer("web"); len(lb.VIPs) != 2 || lb.VIPs[0].FloatingIP != "fip-1" || lb.VIPs[1].FloatingIP != "fip-2" {
		t.Errorf("it listens on %+v", lb.VIPs)
	}
	if again := w.nlb("web", both...); again != arn {
		t.Errorf("the second one is %s", again)
	}
	w.refused("ResourceInUse", 400, elbv2, "CreateLoadBalancer", network("other", both[:2]...)...)
	w.refused("LoadBalancerNotFound", 400, elbv2, "DescribeLoadBalancers", "Names.member.1", "other") // all of it, or nothing
	w.does(elbv2, "DeleteLoadBalancer", "LoadBalancerArn", arn)
	if fip := must[simcloud.FloatingIP](t)(w.native.GetFloatingIP(t.Context(), "fip-1")); fip.State != simcloud.FloatingIPAvailable {
		t.Errorf("the floating IP is %+v", fip)
	}
	own := must[simcloud.Network](t)(w.native.GetNetwork(t.Context(), "net-1")).CIDRs[0]
	address := own[:strings.LastIndex(own, ".")] + ".77"
	w.nlb("inside", "Scheme", "internal", "SubnetMappings.member.1.PrivateIPv4Address", address)
	w.does(elbv2, "DescribeLoadBalancers").has(at+"PrivateIPv4Address", address)
	if lb := w.balancer("inside"); lb.VIPs[0].Address != address || lb.Scheme != simcloud.SchemeInternal {
		t.Errorf("it is %+v", lb)
	}
	w.refused("ResourceInUse", 400, elbv2, "CreateLoadBalancer", network("two", "Scheme", "internal",
		"SubnetMappings.member.1.PrivateIPv4Address", address, "SubnetMappings.member.2.PrivateIPv4Address", address)...)
}

// TestSecurityGroupsOfNetwork: one that was made without any never gets any.
func TestSecurityGroupsOfNetwork(t *testing.T) {
	t.Parallel()
	w := open(t)
	for _, name := range []string{"first", "second"} {
		must[simcloud.Result[simcloud.SecurityGroup]](t)(w.native.CreateSecurityGroup(t.Context(), simcloud.SecurityGroupSpec{Name: name}))
	}
	bare := w.nlb("bare")
	w.refused("InvalidConfigurationRequest", 400, elbv2, "SetSecurityGroups", "LoadBalancerArn", bare, "SecurityGroups.member.1", "sg-1")
	arn := w.does(elbv2, "CreateLoadBalancer", grouped("web", "sg-1")...).text("CreateLoadBalancerResult/LoadBalancers/member/LoadBalancerArn")
	w.does(elbv2, "SetSecurityGroups", "LoadBalancerArn", arn, "SecurityGroups.member.1", "sg-2").has("SetSecurityGroupsResult/SecurityGroupIds/member", "sg-2")
	w.does(elbv2, "DescribeLoadBalancers", "LoadBalancerArns.member.1", arn).has(inNLB+"SecurityGroups/member", "sg-2")
	if lb := w.balancer("web"); len(lb.SecurityGroups) != 1 || lb.SecurityGroups[0] != "sg-2" {
		t.Errorf("the cloud has %v", lb.SecurityGroups)
	}
	w.refused("InvalidSecurityGroup", 400, elbv2, "SetSecurityGroups", "LoadBalancerArn", arn, "SecurityGroups.member.1", "sg-9")
	w.refused("ValidationError", 400, elbv2, "SetSecurityGroups", "LoadBalancerArn", arn, "SecurityGroups", "")
}

// TestNetworkAttributes: a change of some leaves the others, one that changes nothing is no write, and the protection is the cloud's.
func TestNetworkAttributes(t *testing.T) {
	t.Parallel()
	w := open(t)
	arn := w.nlb("web")
	read := func() map[string]string {
		answer := w.does(elbv2, "DescribeLoadBalancerAttributes", "LoadBalancerArn", arn)
		return answer.pairs("DescribeLoadBalancerAttributesResult/Attributes/member")
	}
	if has := read(); has["load_balancing.cross_zone.enabled"] != "false" || has["access_logs.s3.enabled"] != "false" || has["deletion_protection.enabled"] != "false" {
		t.Errorf("at first: %v", has)
	}
	first := w.balancer("web").Version
	set := func(key, value string) []string {
		return []string{"LoadBalancerArn", arn, "Attributes.member.1.Key", key, "Attributes.member.1.Value", value}
	}
	w.does(elbv2, "ModifyLoadBalancerAttributes", set("load_balancing.cross_zone.enabled", "false")...)
	if now := w.balancer("web"); now.Version != first {
		t.Errorf("attributes of a new one have changed %+v", now)
	}
	w.does(elbv2, "ModifyLoadBalancerAttributes", set("load_balancing.cross_zone.enabled", "true")...)
	w.does(elbv2, "ModifyLoadBalancerAttributes", append(set("access_logs.s3.enabled", "true"), "Attributes.member.2.Key", "access_logs.s3.bucket", "Attributes.member.2.Value", "logs")...)
	if has := read(); has["load_balancing.cross_zone.enabled"] != "true" || has["access_logs.s3.bucket"] != "logs" {
		t.Errorf("then: %v", has)
	}
	version := w.balancer("web").Version
	w.does(elbv2, "ModifyLoadBalancerAttributes", set("load_balancing.cross_zone.enabled", "true")...)
	if now := w.balancer("web"); now.Version != version {
		t.Errorf("equal attributes have changed %+v", now)
	}
	for _, bad := range [][]string{
		set("load_balancing.cross_zone.enabled", "maybe"), set("idle_timeout.timeout_seconds", "60"), set("access_logs.s3.bucket", ""), set("access_logs.s3.prefix", strings.Repeat("x", 256)),
	} {
		w.refused("InvalidConfigurationRequest", 400, elbv2, "ModifyLoadBalancerAttributes", bad...)
	}
	w.does(elbv2, "ModifyLoadBalancerAttributes", set("deletion_protection.enabled", "true")...)
	w.refused("OperationNotPermitted", 400, elbv2, "DeleteLoadBalancer", "LoadBalancerArn", arn)
	if !w.balancer("web").Protected || read()["deletion_protection.enabled"] != "true" {
		t.Error("it is not protected")
	}
	w.does(elbv2, "ModifyLoadBalancerAttributes", set("deletion_protection.enabled", "false")...)
	w.does(elbv2, "DeleteLoadBalancer", "LoadBalancerArn", arn)
}

// pairs are the keys and values of elements.
func (s sent) pairs(path string) map[string]string {
	keys := s.texts(path + "/Key")
	all := map[string]string{}
	for i, e := range s.elements(path) {
		for _, child := range e.Children {
			if child.XMLName.Local == "Value" {
				all[keys[i]] = child.Text
			}
		}
	}
	return all
}

// TestNetworkIsDeleted: its address is deleted with it, and a second deletion succeeds.
func TestNetworkIsDeleted(t *testing.T) {
	t.Parallel()
	w := open(t)
	arn := w.nlb("web")
	for range 2 {
		w.does(elbv2, "DeleteLoadBalancer", "LoadBalancerArn", arn)
	}
	w.refused("LoadBalancerNotFound", 400, elbv2, "DescribeLoadBalancers", "Names.member.1", "web")
	w.refused("LoadBalancerNotFound", 400, elbv2, "DescribeLoadBalancers", "LoadBalancerArns.member.1", arn)
	w.refused("LoadBalancerNotFound", 400, elbv2, "DescribeListeners", "LoadBalancerArn", arn)
	w.refused("ValidationError", 400, elbv2, "DeleteLoadBalancer", "LoadBalancerArn", "web")
	deletions := w.journal("aws:elbv2:DeleteLoadBalancer")
	if len(deletions) != 3 || deletions[0].Resource != "load_balancer/lb-1" || deletions[0].Operation != "DeleteLoadBalancer" {
		t.Errorf("the journal has %+v", deletions)
	}
}

// TestARNs: an ARN is of one resource, with its name, its account and its region.
func TestARNs(t *testing.T) {
	t.Parallel()
	w := open(t)
	lb, group := w.nlb("web"), w.targetGroup("web", "TCP", "31000")
	listener := w.listener(lb, group, "80", "TCP")
	for old, other := range map[string]string{"/web/": "/wet/", ":region-1:": ":region-2:", accountOf: accountOf + "1"} {
		wrong := func(arn string) string { return strings.Replace(arn, old, other, 1) }
		w.refused("LoadBalancerNotFound", 400, elbv2, "DescribeLoadBalancers", "LoadBalancerArns.member.1", wrong(lb))
		w.refused("ListenerNotFound", 400, elbv2, "DescribeListeners", "ListenerArns.member.1", wrong(listener))
		w.refused("TargetGroupNotFound", 400, elbv2, "DescribeTargetGroups", "TargetGroupArns.member.1", wrong(group))
		w.does(elbv2, "DeleteLoadBalancer", "LoadBalancerArn", wrong(lb))
	}
	w.refused("ValidationError", 400, elbv2, "DescribeLoadBalancers", "LoadBalancerArns.member.1", listener)
	w.refused("ValidationError", 400, elbv2, "DescribeTargetGroups", "TargetGroupArns.member.1", lb)
	w.refused("ValidationError", 400, elbv2, "DescribeListeners", "ListenerArns.member.1", group)
	w.balancer("web")
}

// TestStatesOfNetwork: the states of the cloud, as AWS has them.
func TestStatesOfNetwork(t *testing.T) {
	t.Parallel()
	w := open(t, simtest.ManualClock())
	const takes = simcloud.Duration(time.Second)
	progressions := map[simcloud.Kind]simcloud.Progression{simcloud.KindLoadBalancer: {Mode: simcloud.ProgressionTime, Duration: takes}}
	must[simcloud.Config](t)(w.native.UpdateConfig(t.Context(), simcloud.ConfigUpdate{Progressions: &progressions}))
	step := func() { must[simcloud.ClockAdvance](t)(w.native.AdvanceClock(t.Context(), takes)) }
	arn := w.nlb("web")
	w.does(elbv2, "DescribeLoadBalancers").has(inNLB+"State/Code", "provisioning")
	step()
	w.does(elbv2, "DescribeLoadBalancers").has(inNLB+"State/Code", "active")
	w.does(elbv2, "ModifyLoadBalancerAttributes", "LoadBalancerArn", arn, "Attributes.member.1.Key", "load_balancing.cross_zone.enabled", "Attributes.member.1.Value", "true")
	w.does(elbv2, "DescribeLoadBalancers").has(inNLB+"State/Code", "active")
	step()
	w.does(elbv2, "DeleteLoadBalancer", "LoadBalancerArn", arn)
	w.refused("LoadBalancerNotFound", 400, elbv2, "DescribeLoadBalancers", "LoadBalancerArns.member.1", arn)
}
