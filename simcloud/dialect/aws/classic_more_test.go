package aws_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
)

const proxy = "k8s-proxyprotocol-enabled"

// policy is a request for the policy of the proxy protocol as the CCM sends it.
func policy(name string, more ...string) []string {
	return append([]string{
		"LoadBalancerName", "web", "PolicyName", name, "PolicyTypeName", "ProxyProtocolPolicyType",
		"PolicyAttributes.member.1.AttributeName", "ProxyProtocol", "PolicyAttributes.member.1.AttributeValue", "true",
	}, more...)
}

func backend(port string, names ...string) []string {
	return append([]string{"LoadBalancerName", "web", "InstancePort", port}, names...)
}

// proxied are the ports of the listeners that tell where a connection comes from.
func (w world) proxied() string {
	w.Helper()
	var ports []string
	for _, l := range w.balancer("web").Listeners {
		if l.ProxyProtocol {
			ports = append(ports, string(l.ID))
		}
	}
	return strings.Join(ports, " ")
}

// TestProxyProtocol: a policy at a port of the instances is one of all listeners that forward to it, also of those that come
// later, and stays when they go.
func TestProxyProtocol(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.does(elb, "CreateLoadBalancer", classic("web")...)
	w.does(elb, "CreateLoadBalancerPolicy", policy(proxy)...)
	version := w.balancer("web").Version
	w.does(elb, "CreateLoadBalancerPolicy", policy(proxy)...)
	if now := w.balancer("web"); now.Version != version {
		t.Errorf("an equal policy has changed it to %+v", now)
	}
	w.refused("DuplicatePolicyName", 400, elb, "CreateLoadBalancerPolicy", policy(proxy, "PolicyAttributes.member.1.AttributeValue", "false")...)
	w.does(elb, "SetLoadBalancerPoliciesForBackendServer", backend("31000", "PolicyNames.member.1", proxy)...)
	if got := w.proxied(); got != "tcp-80" {
		t.Errorf("the proxy protocol is spoken behind %q", got)
	}
	w.does(elb, "CreateLoadBalancerListeners", "LoadBalancerName", "web", "Listeners.member.1.Protocol", "tcp", "Listeners.member.1.LoadBalancerPort", "81", "Listeners.member.1.InstancePort", "31000",
		"Listeners.member.2.Protocol", "tcp", "Listeners.member.2.LoadBalancerPort", "82", "Listeners.member.2.InstancePort", "31001")
	if got := w.proxied(); got != "tcp-80 tcp-81" {
		t.Errorf("with more listeners the proxy protocol is spoken behind %q", got)
	}
	w.does(elb, "DeleteLoadBalancerListeners", "LoadBalancerName", "web", "LoadBalancerPorts.member.1", "80", "LoadBalancerPorts.member.2", "81")
	w.does(elb, "DescribeLoadBalancers").has(inCLB+"BackendServerDescriptions/member/InstancePort", "31000", inCLB+"BackendServerDescriptions/member/PolicyNames/member", proxy)
	w.does(elb, "SetLoadBalancerPoliciesForBackendServer", backend("31001", "PolicyNames.member.1", proxy)...)
	for _, port := range []string{"31000", "31001"} {
		w.does(elb, "SetLoadBalancerPoliciesForBackendServer", backend(port, "PolicyNames", "")...)
	}
	w.does(elb, "DescribeLoadBalancers").has(inCLB+"BackendServerDescriptions/member/InstancePort", "")
	if got := w.proxied(); got != "" {
		t.Errorf("without policies the proxy protocol is spoken behind %q", got)
	}
	w.does(elb, "DescribeLoadBalancerPolicies", "LoadBalancerName", "web").has(
		"DescribeLoadBalancerPoliciesResult/PolicyDescriptions/member/PolicyName", proxy,
		"DescribeLoadBalancerPoliciesResult/PolicyDescriptions/member/PolicyTypeName", "ProxyProtocolPolicyType",
		"DescribeLoadBalancerPoliciesResult/PolicyDescriptions/member/PolicyAttributeDescriptions/member/AttributeValue", "true")
	w.does(elb, "DescribeTags", "LoadBalancerNames.member.1", "web").has(
		"DescribeTagsResult/TagDescriptions/member/Tags/member/Key", "kubernetes.io/service-name")
}

func TestPoliciesAreRefused(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.does(elb, "CreateLoadBalancer", classic("web", "Listeners.member.2.Protocol", "ssl", "Listeners.member.2.LoadBalancerPort", "443",
		"Listeners.member.2.InstancePort", "31443", "Listeners.member.2.SSLCertificateId", "arn:a")...)
	w.does(elb, "CreateLoadBalancerPolicy", policy(proxy)...)
	tls := []string{"LoadBalancerName", "web", "PolicyName", "tls", "PolicyTypeName", "SSLNegotiationPolicyType",
		"PolicyAttributes.member.1.AttributeName", "Reference-Security-Policy", "PolicyAttributes.member.1.AttributeValue", "ELBSecurityPolicy-2016-08"}
	w.does(elb, "CreateLoadBalancerPolicy", tls...)
	version := w.balancer("web").Version
	listener := func(port, name string) []string {
		return []string{"LoadBalancerName", "web", "LoadBalancerPort", port, "PolicyNames.member.1", name}
	}
	for _, test := range []struct {
		code, action string
		fields       []string
	}{
		{"LoadBalancerNotFound", "CreateLoadBalancerPolicy", policy(proxy, "LoadBalancerName", "none")},
		{"ValidationError", "CreateLoadBalancerPolicy", policy("a b")},
		{"PolicyTypeNotFound", "CreateLoadBalancerPolicy", policy("new", "PolicyTypeName", "Moon")},
		{"PolicyTypeNotFound", "CreateLoadBalancerPolicy", policy("new", "PolicyTypeName", "LBCookieStickinessPolicyType")},
		{"InvalidConfigurationRequest", "CreateLoadBalancerPolicy", policy("new", "PolicyAttributes.member.1.AttributeValue", "maybe")},
		{"ValidationError", "CreateLoadBalancerPolicy", append(tls, "PolicyName", "long", "PolicyAttributes.member.1.AttributeValue", strings.Repeat("x", 256))},
		{"PolicyNotFound", "DescribeLoadBalancerPolicies", []string{"LoadBalancerName", "web", "PolicyNames.member.1", "none"}},
		{"ValidationError", "DescribeLoadBalancerPolicies", nil},
		{"PolicyNotFound", "SetLoadBalancerPoliciesForBackendServer", backend("31000", "PolicyNames.member.1", "none")},
		{"InvalidConfigurationRequest", "SetLoadBalancerPoliciesForBackendServer", backend("31000", "PolicyNames.member.1", "tls")},
		{"ValidationError", "SetLoadBalancerPoliciesForBackendServer", backend("65536", "PolicyNames.member.1", proxy)},
		{"PolicyNotFound", "SetLoadBalancerPoliciesOfListener", listener("443", "none")},
		{"ListenerNotFound", "SetLoadBalancerPoliciesOfListener", listener("444", "tls")},
		{"InvalidConfigurationRequest", "SetLoadBalancerPoliciesOfListener", listener("443", proxy)},
		{"InvalidConfigurationRequest", "SetLoadBalancerPoliciesOfListener", listener("80", "tls")},
		{"ListenerNotFound", "SetLoadBalancerListenerSSLCertificate", []string{"LoadBalancerName", "web", "LoadBalancerPort", "444", "SSLCertificateId", "arn:b"}},
		{"InvalidConfigurationRequest", "SetLoadBalancerListenerSSLCertificate", []string{"LoadBalancerName", "web", "LoadBalancerPort", "80", "SSLCertificateId", "arn:b"}},
	} {
		w.refused(test.code, 400, elb, test.action, test.fields...)
	}
	if now := w.balancer("web"); now.Version != version {
		t.Errorf("it has changed to %+v", now)
	}
	w.does(elb, "SetLoadBalancerPoliciesOfListener", listener("443", "tls")...)
	w.does(elb, "SetLoadBalancerListenerSSLCertificate", "LoadBalancerName", "web", "LoadBalancerPort", "443", "SSLCertificateId", "arn:b")
	w.does(elb, "DescribeLoadBalancers").has(inCLB+"ListenerDescriptions/member/PolicyNames/member", "tls", inCLB+"ListenerDescriptions/member/Listener/SSLCertificateId", "arn:b")
}

// TestSubnetsOfClassic: they change one by one, and one stays.
func TestSubnetsOfClassic(t *testing.T) {
	t.Parallel()
	w := open(t)
	other := must[simcloud.Result[simcloud.Network]](t)(w.native.CreateNetwork(t.Context(), simcloud.NetworkSpec{Name: "other", CIDRs: []string{"10.7.0.0/16"}})).Resource
	w.does(elb, "CreateLoadBalancer", classic("web")...)
	of := func(ids ...string) []string {
		fields := []string{"LoadBalancerName", "web"}
		for i, id := range ids {
			fields = append(fields, "Subnets.member."+strconv.Itoa(i+1), id)
		}
		return fields
	}
	w.does(elb, "AttachLoadBalancerToSubnets", of("subnet-zone-b", "subnet-zone-c")...).has("AttachLoadBalancerToSubnetsResult/Subnets/member", "subnet-zone-a subnet-zone-b subnet-zone-c")
	w.does(elb, "DetachLoadBalancerFromSubnets", of("subnet-zone-a", "subnet-zone-z")...).has("DetachLoadBalancerFromSubnetsResult/Subnets/member", "subnet-zone-b subnet-zone-c")
	w.refused("InvalidConfigurationRequest", 400, elb, "DetachLoadBalancerFromSubnets", of("subnet-zone-b", "subnet-zone-c")...)
	w.refused("SubnetNotFound", 400, elb, "AttachLoadBalancerToSubnets", of("subnet-zone-z")...)
	w.refused("InvalidSubnet", 400, elb, "AttachLoadBalancerToSubnets", of("subnet-zone-a-"+strings.TrimPrefix(string(other.ID), "net-"))...)
	w.does(elb, "DescribeLoadBalancers").has(inCLB+"Subnets/member", "subnet-zone-b subnet-zone-c")
}

// TestTagsOfClassic: tags are the labels, without those that the dialect keeps for itself.
func TestTagsOfClassic(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.does(elb, "CreateLoadBalancer", classic("web")...)
	const name, keys = "LoadBalancerNames.member.1", "DescribeTagsResult/TagDescriptions/member/Tags/member/Key"
	w.does(elb, "AddTags", name, "web", "Tags.member.1.Key", "team", "Tags.member.1.Value", "a", "Tags.member.2.Key", "empty")
	w.does(elb, "AddTags", name, "web", "Tags.member.1.Key", "team", "Tags.member.1.Value", "b")
	if lb := w.balancer("web"); lb.Labels["team"] != "b" {
		t.Errorf("the labels are %v", lb.Labels)
	}
	w.does(elb, "DescribeTags", name, "web").has(keys, "empty kubernetes.io/service-name team", "DescribeTagsResult/TagDescriptions/member/LoadBalancerName", "web")
	for range 2 {
		w.does(elb, "RemoveTags", name, "web", "Tags.member.1.Key", "empty")
	}
	w.does(elb, "DescribeTags", name, "web").has(keys, "kubernetes.io/service-name team")
	var many []string
	for i := range 50 {
		many = append(many, "Tags.member."+strconv.Itoa(i+1)+".Key", strings.Repeat("k", i+1))
	}
	version := w.balancer("web").Version
	for _, test := range []struct {
		code, action string
		fields       []string
	}{
		{"TooManyTags", "AddTags", append(many, name, "web")},
		{"DuplicateTagKeys", "AddTags", []string{name, "web", "Tags.member.1.Key", "a", "Tags.member.2.Key", "a"}},
		{"ValidationError", "AddTags", []string{name, "web", "Tags.member.1.Key", "aws.simcloud.dev/subnets"}},
		{"ValidationError", "RemoveTags", []string{name, "web", "Tags.member.1.Key", "aws.simcloud.dev/subnets"}},
		{"ValidationError", "AddTags", []string{name, "web", "LoadBalancerNames.member.2", "web", "Tags.member.1.Key", "a"}},
		{"LoadBalancerNotFound", "AddTags", []string{name, "none", "Tags.member.1.Key", "a"}},
		{"LoadBalancerNotFound", "DescribeTags", []string{name, "none"}},
	} {
		w.refused(test.code, 400, elb, test.action, test.fields...)
	}
	if now := w.balancer("web"); now.Version != version {
		t.Errorf("it has changed to %+v", now)
	}
}

// TestHealthOfClassic: an instance that does not run is out of service.
func TestHealthOfClassic(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.does(elb, "CreateLoadBalancer", classic("web")...)
	for _, name := range []string{"node-1", "node-2", "node-3"} {
		w.instance(simcloud.InstanceSpec{Name: name})
	}
	w.does(elb, "RegisterInstancesWithLoadBalancer", "LoadBalancerName", "web", "Instances.member.1.InstanceId", "i-1", "Instances.member.2.InstanceId", "i-2")
	must[simcloud.Result[simcloud.Instance]](t)(w.native.StopInstance(t.Context(), "i-2"))
	const in = "DescribeInstanceHealthResult/InstanceStates/member/"
	w.does(elb, "DescribeInstanceHealth", "LoadBalancerName", "web").has(in+"InstanceId", "i-1 i-2", in+"State", "InService OutOfService", in+"ReasonCode", "N/A Instance")
	w.does(elb, "DescribeInstanceHealth", "LoadBalancerName", "web", "Instances.member.1.InstanceId", "i-2").has(in+"State", "OutOfService")
	w.refused("InvalidInstance", 400, elb, "DescribeInstanceHealth", "LoadBalancerName", "web", "Instances.member.1.InstanceId", "i-3")
	w.refused("LoadBalancerNotFound", 400, elb, "DescribeInstanceHealth", "LoadBalancerName", "none")
}
