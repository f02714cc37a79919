package aws_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
)

const inListener = "DescribeListenersResult/Listeners/member/"

// forward is a request for a listener as the CCM sends it: names and values in turn, of which the later ones win.
func forward(lb, group, port, protocol string, more ...string) []string {
	return append([]string{
		"LoadBalancerArn", lb, "Port", port, "Protocol", protocol, "DefaultActions.member.1.Type", "forward", "DefaultActions.member.1.TargetGroupArn", group,
		"Tags.member.1.Key", "kubernetes.io/service-name", "Tags.member.1.Value", "default/web",
	}, more...)
}

// listener makes a listener, and returns its ARN.
func (w world) listener(lb, group, port, protocol string, more ...string) string {
	w.Helper()
	return w.does(elbv2, "CreateListener", forward(lb, group, port, protocol, more...)...).text("CreateListenerResult/Listeners/member/ListenerArn")
}

// TestNetworkListener: a listener forwards to its group, is made once, and frees the group when it goes.
func TestNetworkListener(t *testing.T) {
	t.Parallel()
	w := open(t)
	lb, web, other := w.nlb("web"), w.targetGroup("web", "TCP", "31000"), w.targetGroup("other", "TCP", "31001")
	arn := w.listener(lb, web, "80", "TCP")
	if arn != strings.Replace(lb, ":loadbalancer/", ":listener/", 1)+"/tcp-80" {
		t.Errorf("the ARN is %s", arn)
	}
	for _, by := range [][]string{{"LoadBalancerArn", lb}, {"ListenerArns.member.1", arn}} {
		w.does(elbv2, "DescribeListeners", by...).has(inListener+"ListenerArn", arn, inListener+"LoadBalancerArn", lb, inListener+"Port", "80", inListener+"Protocol", "TCP",
			inListener+"DefaultActions/member/Type", "forward", inListener+"DefaultActions/member/TargetGroupArn", web, inListener+"SslPolicy", "", inListener+"Certificates/member", "")
	}
	w.does(elbv2, "DescribeTargetGroups", "LoadBalancerArn", lb).has(inGroup+"TargetGroupArn", web, inGroup+"LoadBalancerArns/member", lb)
	made := w.balancer("web")
	if l := made.Listeners[0]; l.TargetGroup != "tg-1" || l.Labels["kubernetes.io/service-name"] != "default/web" {
		t.Errorf("the cloud has %+v", l)
	}
	if again := w.listener(lb, web, "80", "TCP"); again != arn || w.balancer("web").Version != made.Version {
		t.Errorf("the second one is %s", again)
	}
	w.refused("DuplicateListener", 400, elbv2, "CreateListener", forward(lb, other, "80", "TCP")...)
	w.refused("DuplicateListener", 400, elbv2, "CreateListener", forward(lb, w.targetGroup("dns", "UDP", "31053"), "80", "UDP")...)
	w.refused("ResourceInUse", 400, elbv2, "DeleteTargetGroup", "TargetGroupArn", web)
	w.does(elbv2, "ModifyListener", "ListenerArn", arn, "Port", "80", "Protocol", "TCP", "DefaultActions.member.1.Type", "forward", "DefaultActions.member.1.TargetGroupArn", other).has(
		"ModifyListenerResult/Listeners/member/DefaultActions/member/TargetGroupArn", other, "ModifyListenerResult/Listeners/member/ListenerArn", arn)
	w.does(elbv2, "DeleteTargetGroup", "TargetGroupArn", web)
	w.refused("InvalidConfigurationRequest", 400, elbv2, "ModifyListener", "ListenerArn", arn, "Port", "81")
	w.does(elbv2, "DeleteListener", "ListenerArn", arn)
	w.refused("ListenerNotFound", 400, elbv2, "DeleteListener", "ListenerArn", arn)
	w.refused("ListenerNotFound", 400, elbv2, "DescribeListeners", "ListenerArns.member.1", arn)
	w.refused("ListenerNotFound", 400, elbv2, "ModifyListener", "ListenerArn", arn)
	w.does(elbv2, "DeleteTargetGroup", "TargetGroupArn", other)
	w.does(elbv2, "DescribeListeners", "LoadBalancerArn", lb).has(inListener+"Port", "")
}

// TestNetworkProtocols: each protocol forwards to the groups that AWS lets it forward to, and TLS has what it needs.
func TestNetworkProtocols(t *testing.T) {
	t.Parallel()
	w := open(t)
	lb := w.nlb("web")
	all := []string{"TCP", "UDP", "TCP_UDP", "TLS"}
	group := map[string]string{}
	for i, protocol := range all {
		group[protocol] = w.targetGroup(strings.ReplaceAll(protocol, "_", "-"), protocol, "3100"+strconv.Itoa(i))
	}
	certificate := []string{"Certificates.member.1.CertificateArn", "arn:aws:acm:c"}
	for protocol, fits := range map[string]string{"TCP": "TCP TCP_UDP", "UDP": "UDP TCP_UDP", "TCP_UDP": "TCP_UDP", "TLS": "TCP TLS"} {
		for _, of := range all {
			fields := forward(lb, group[of], "80", protocol)
			if protocol == "TLS" {
				fields = append(fields, certificate...)
			}
			if !strings.Contains(" "+fits+" ", " "+of+" ") {
				w.refused("IncompatibleProtocols", 400, elbv2, "CreateListener", fields...)
				continue
			}
			arn := w.does(elbv2, "CreateListener", fields...).text("CreateListenerResult/Listeners/member/ListenerArn")
			w.does(elbv2, "DeleteListener", "ListenerArn", arn)
		}
	}
	arn := w.listener(lb, group["TLS"], "443", "TLS", append(certificate, "AlpnPolicy.member.1", "HTTP2Only")...)
	w.does(elbv2, "DescribeListeners", "LoadBalancerArn", lb).has(inListener+"Certificates/member/CertificateArn", "arn:aws:acm:c",
		inListener+"SslPolicy", "ELBSecurityPolicy-2016-08", inListener+"AlpnPolicy/member", "HTTP2Only", inListener+"Protocol", "TLS")
	w.does(elbv2, "ModifyListener", "ListenerArn", arn, "SslPolicy", "Strict").has("ModifyListenerResult/Listeners/member/SslPolicy", "Strict",
		"ModifyListenerResult/Listeners/member/Certificates/member/CertificateArn", "arn:aws:acm:c", "ModifyListenerResult/Listeners/member/DefaultActions/member/TargetGroupArn", group["TLS"])
	for _, test := range []struct {
		code string
		more []string
	}{
		{"ValidationError", []string{"Protocol", "TLS"}},
		{"CertificateNotFound", []string{"Protocol", "TLS", "Certificates.member.1.CertificateArn", "mine"}},
		{"InvalidConfigurationRequest", []string{"SslPolicy", "Strict"}},
		{"UnsupportedProtocol", []string{"Protocol", "HTTP"}},
		{"ValidationError", []string{"Port", "65536"}},
		{"InvalidLoadBalancerAction", []string{"DefaultActions.member.1.Type", "redirect"}},
		{"InvalidLoadBalancerAction", []string{"DefaultActions.member.2.Type", "forward"}},
		{"TargetGroupNotFound", []string{"DefaultActions.member.1.TargetGroupArn", group["TCP"] + "9"}},
		{"ValidationError", []string{"DefaultActions.member.1.TargetGroupArn", lb}},
		{"LoadBalancerNotFound", []string{"LoadBalancerArn", lb + "9"}},
		{"ValidationError", []string{"DefaultActions.member.1.RedirectConfig.Port", "80"}},
	} {
		w.refused(test.code, 400, elbv2, "CreateListener", forward(lb, group["TCP"], "80", "TCP", test.more...)...)
	}
	w.refused("ValidationError", 400, elbv2, "DescribeListeners")
}

// TestGroupOfOneLoadBalancer: a group is of one load balancer at a time, and stays when that goes.
func TestGroupOfOneLoadBalancer(t *testing.T) {
	t.Parallel()
	w := open(t)
	one, two, group := w.nlb("one"), w.nlb("two"), w.targetGroup("web", "TCP", "31000")
	w.listener(one, group, "80", "TCP")
	w.listener(one, group, "81", "TCP")
	w.refused("TargetGroupAssociationLimit", 400, elbv2, "CreateListener", forward(two, group, "80", "TCP")...)
	w.does(elbv2, "DeleteLoadBalancer", "LoadBalancerArn", one)
	w.does(elbv2, "DescribeTargetGroups").has(inGroup+"TargetGroupArn", group, inGroup+"LoadBalancerArns/member", "")
	w.listener(two, group, "80", "TCP")
	w.refused("ResourceInUse", 400, elbv2, "DeleteTargetGroup", "TargetGroupArn", group)
	w.does(elbv2, "DeleteLoadBalancer", "LoadBalancerArn", two)
	w.does(elbv2, "DeleteTargetGroup", "TargetGroupArn", group)
	left := must[simcloud.Page[simcloud.TargetGroup]](t)(w.native.ListTargetGroups(t.Context(), simcloud.ListOptions{}))
	if len(left.Items) != 0 {
		t.Errorf("left are %+v", left.Items)
	}
}

// TestNetworkTags: tags of all three are the labels of the cloud.
func TestNetworkTags(t *testing.T) {
	t.Parallel()
	w := open(t)
	lb, group := w.nlb("web"), w.targetGroup("web", "TCP", "31000")
	listener := w.listener(lb, group, "80", "TCP")
	all := []string{"ResourceArns.member.1", listener, "ResourceArns.member.2", group, "ResourceArns.member.3", lb}
	const in = "DescribeTagsResult/TagDescriptions/member/"
	w.does(elbv2, "DescribeTags", all...).has(in+"Tags/member/Key", strings.TrimSpace(strings.Repeat("kubernetes.io/service-name ", 3)),
		in+"ResourceArn", strings.Join([]string{listener, lb, group}, " "))
	w.does(elbv2, "AddTags", append(all, "Tags.member.1.Key", "team", "Tags.member.1.Value", "shop")...)
	w.does(elbv2, "RemoveTags", append(all, "TagKeys.member.1", "kubernetes.io/service-name", "TagKeys.member.2", "aws.simcloud.dev/subnet-mappings")...)
	w.does(elbv2, "DescribeTags", all...).has(in+"Tags/member/Key", "team team team", in+"Tags/member/Value", "shop shop shop")
	balancer := w.balancer("web")
	if l := balancer.Listeners[0]; balancer.Labels["team"] != "shop" || l.Labels["team"] != "shop" || w.groupOf(group).Labels["team"] != "shop" {
		t.Errorf("the cloud has %+v", balancer)
	}
	w.does(elbv2, "DescribeLoadBalancers").has(inNLB+"AvailabilityZones/member/SubnetId", "subnet-zone-a subnet-zone-b")
	w.refused("ValidationError", 400, elbv2, "AddTags", append(all, "Tags.member.1.Key", "aws.simcloud.dev/subnet-mappings")...)
	w.refused("DuplicateTagKeys", 400, elbv2, "AddTags", append(all, "Tags.member.1.Key", "a", "Tags.member.2.Key", "a")...)
	w.refused("LoadBalancerNotFound", 400, elbv2, "DescribeTags", "ResourceArns.member.1", lb+"9")
	w.refused("TargetGroupNotFound", 400, elbv2, "AddTags", "ResourceArns.member.1", group+"9", "Tags.member.1.Key", "a")
	w.refused("ValidationError", 400, elbv2, "DescribeTags", "ResourceArns.member.1", "web")
	fields := []string{"ResourceArns.member.1", lb}
	for i := range 50 {
		n := strconv.Itoa(i + 1)
		fields = append(fields, "Tags.member."+n+".Key", "key-"+n)
	}
	w.refused("TooManyTags", 400, elbv2, "AddTags", fields...)
}

// TestForeignListener: one that another API has made has an action all the same, without which the CCM ends.
func TestForeignListener(t *testing.T) {
	t.Parallel()
	w := open(t)
	must[simcloud.Result[simcloud.LoadBalancer]](t)(w.native.CreateLoadBalancer(t.Context(), simcloud.LoadBalancerSpec{Name: "mine", Class: "network", Listeners: []simcloud.ListenerSpec{
		{Protocol: simcloud.ProtocolTCP, Port: 81, ListenerConfig: simcloud.ListenerConfig{TargetPort: 8081}},
	}}))
	answer := w.does(elbv2, "DescribeLoadBalancers", "Names.member.1", "mine")
	answer.has(inNLB+"AvailabilityZones/member/SubnetId", "subnet-zone-a subnet-zone-b subnet-zone-c")
	w.does(elbv2, "DescribeListeners", "LoadBalancerArn", answer.text(inNLB+"LoadBalancerArn")).has(inListener+"DefaultActions/member/Type", "forward", inListener+"Port", "81")
}
