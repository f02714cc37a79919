package sdktest

import (
	"errors"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	elb "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing/types"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// policyOf is the request of a policy as the CCM sends it.
func policyOf(name, policyType, attribute, value string) *elb.CreateLoadBalancerPolicyInput {
	return &elb.CreateLoadBalancerPolicyInput{
		LoadBalancerName: aws.String("web"), PolicyName: &name, PolicyTypeName: &policyType,
		PolicyAttributes: []types.PolicyAttribute{{AttributeName: &attribute, AttributeValue: &value}},
	}
}

var (
	proxyPolicy = policyOf("k8s-proxyprotocol-enabled", "ProxyProtocolPolicyType", "ProxyProtocol", "true")
	tlsPolicy   = policyOf("k8s-SSLNegotiationPolicy-ELBSecurityPolicy-2016-08", "SSLNegotiationPolicyType", "Reference-Security-Policy", "ELBSecurityPolicy-2016-08")
)

func policiesNamed(names ...string) *elb.DescribeLoadBalancerPoliciesInput {
	return &elb.DescribeLoadBalancerPoliciesInput{LoadBalancerName: name, PolicyNames: names}
}

func backendOf(port int32, names ...string) *elb.SetLoadBalancerPoliciesForBackendServerInput {
	return &elb.SetLoadBalancerPoliciesForBackendServerInput{LoadBalancerName: name, InstancePort: &port, PolicyNames: append([]string{}, names...)}
}

func secure(port, nodePort int32) types.Listener {
	return types.Listener{
		Protocol: aws.String("ssl"), InstanceProtocol: aws.String("tcp"), LoadBalancerPort: port, InstancePort: &nodePort, SSLCertificateId: aws.String("arn:aws:acm:region-1:1:certificate/a"),
	}
}

// tourOfClassicMore has the actions of a load balancer for which a Service needs annotations.
func tourOfClassicMore() []stop {
	subnets := []string{"subnet-zone-b"}
	tags := []types.Tag{{Key: aws.String("team"), Value: aws.String("a")}}
	return []stop{
		{"classic", func(w world) error { return last(w.elb.CreateLoadBalancer(w.Context(), web(secure(443, 31443)))) }, ""},
		{"policy-unknown", func(w world) error {
			return last(w.elb.DescribeLoadBalancerPolicies(w.Context(), policiesNamed(*tlsPolicy.PolicyName)))
		}, "PolicyNotFound"},
		{"policy", func(w world) error { return last(w.elb.CreateLoadBalancerPolicy(w.Context(), proxyPolicy)) }, ""},
		{"policy-again", func(w world) error { return last(w.elb.CreateLoadBalancerPolicy(w.Context(), proxyPolicy)) }, ""},
		{"policy-tls", func(w world) error { return last(w.elb.CreateLoadBalancerPolicy(w.Context(), tlsPolicy)) }, ""},
		{"policies", func(w world) error { return last(w.elb.DescribeLoadBalancerPolicies(w.Context(), policiesNamed())) }, ""},
		{"policies-of-backend", func(w world) error {
			return last(w.elb.SetLoadBalancerPoliciesForBackendServer(w.Context(), backendOf(31000, *proxyPolicy.PolicyName)))
		}, ""},
		{"policies-of-listener", func(w world) error {
			return last(w.elb.SetLoadBalancerPoliciesOfListener(w.Context(), &elb.SetLoadBalancerPoliciesOfListenerInput{
				LoadBalancerName: name, LoadBalancerPort: 443, PolicyNames: []string{*tlsPolicy.PolicyName},
			}))
		}, ""},
		{"certificate", func(w world) error {
			return last(w.elb.SetLoadBalancerListenerSSLCertificate(w.Context(), &elb.SetLoadBalancerListenerSSLCertificateInput{
				LoadBalancerName: name, LoadBalancerPort: 443, SSLCertificateId: aws.String("arn:aws:acm:region-1:1:certificate/b"),
			}))
		}, ""},
		{"subnets-attached", func(w world) error {
			return last(w.elb.AttachLoadBalancerToSubnets(w.Context(), &elb.AttachLoadBalancerToSubnetsInput{LoadBalancerName: name, Subnets: subnets}))
		}, ""},
		{"tags-added", func(w world) error {
			return last(w.elb.AddTags(w.Context(), &elb.AddTagsInput{LoadBalancerNames: []string{"web"}, Tags: tags}))
		}, ""},
		{"tags", func(w world) error {
			return last(w.elb.DescribeTags(w.Context(), &elb.DescribeTagsInput{LoadBalancerNames: []string{"web"}}))
		}, ""},
		{"health", func(w world) error {
			return last(w.elb.DescribeInstanceHealth(w.Context(), &elb.DescribeInstanceHealthInput{LoadBalancerName: name}))
		}, ""},
		{"classic-whole", func(w world) error {
			return last(w.elb.DescribeLoadBalancers(w.Context(), &elb.DescribeLoadBalancersInput{LoadBalancerNames: []string{"web"}}))
		}, ""},
		{"policies-of-backend-none", func(w world) error {
			return last(w.elb.SetLoadBalancerPoliciesForBackendServer(w.Context(), backendOf(31000)))
		}, ""},
		{"subnets-detached", func(w world) error {
			return last(w.elb.DetachLoadBalancerFromSubnets(w.Context(), &elb.DetachLoadBalancerFromSubnetsInput{LoadBalancerName: name, Subnets: subnets}))
		}, ""},
		{"tags-removed", func(w world) error {
			return last(w.elb.RemoveTags(w.Context(), &elb.RemoveTagsInput{LoadBalancerNames: []string{"web"}, Tags: []types.TagKeyOnly{{Key: aws.String("team")}}}))
		}, ""},
		{"classic-removed", func(w world) error {
			return last(w.elb.DeleteLoadBalancer(w.Context(), &elb.DeleteLoadBalancerInput{LoadBalancerName: name}))
		}, ""},
	}
}

// TestClassicMore: AWS' client reads policies, tags and health.
func TestClassicMore(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.instance(simcloud.InstanceSpec{Name: "node-1"})
	must[*elb.CreateLoadBalancerOutput](t)(w.elb.CreateLoadBalancer(t.Context(), web(secure(443, 31443))))
	must[*elb.RegisterInstancesWithLoadBalancerOutput](t)(w.elb.RegisterInstancesWithLoadBalancer(t.Context(), &elb.RegisterInstancesWithLoadBalancerInput{
		LoadBalancerName: name, Instances: []types.Instance{{InstanceId: aws.String("i-1")}},
	}))
	_, err := w.elb.DescribeLoadBalancerPolicies(t.Context(), policiesNamed(*tlsPolicy.PolicyName))
	var unknown *types.PolicyNotFoundException
	if !errors.As(err, &unknown) {
		t.Errorf("a policy that is not there: %v", err)
	}
	must[*elb.CreateLoadBalancerPolicyOutput](t)(w.elb.CreateLoadBalancerPolicy(t.Context(), proxyPolicy))
	must[*elb.SetLoadBalancerPoliciesForBackendServerOutput](t)(w.elb.SetLoadBalancerPoliciesForBackendServer(t.Context(), backendOf(31000, *proxyPolicy.PolicyName)))
	_, err = w.elb.CreateLoadBalancerPolicy(t.Context(), policyOf(*proxyPolicy.PolicyName, "ProxyProtocolPolicyType", "ProxyProtocol", "false"))
	var duplicate *types.DuplicatePolicyNameException
	if !errors.As(err, &duplicate) {
		t.Errorf("another policy of the name: %v", err)
	}
	policies := must[*elb.DescribeLoadBalancerPoliciesOutput](t)(w.elb.DescribeLoadBalancerPolicies(t.Context(), policiesNamed())).PolicyDescriptions
	if len(policies) != 1 || aws.ToString(policies[0].PolicyTypeName) != "ProxyProtocolPolicyType" || len(policies[0].PolicyAttributeDescriptions) != 1 || aws.ToString(policies[0].PolicyAttributeDescriptions[0].AttributeValue) != "true" {
		t.Errorf("the policies are %+v", policies)
	}
	lb := must[*elb.DescribeLoadBalancersOutput](t)(w.elb.DescribeLoadBalancers(t.Context(), nil)).LoadBalancerDescriptions[0]
	if len(lb.BackendServerDescriptions) != 1 || aws.ToInt32(lb.BackendServerDescriptions[0].InstancePort) != 31000 || lb.BackendServerDescriptions[0].PolicyNames[0] != *proxyPolicy.PolicyName {
		t.Errorf("the ports of the instances have %+v", lb.BackendServerDescriptions)
	}
	health := must[*elb.DescribeInstanceHealthOutput](t)(w.elb.DescribeInstanceHealth(t.Context(), &elb.DescribeInstanceHealthInput{LoadBalancerName: name})).InstanceStates
	if len(health) != 1 || aws.ToString(health[0].InstanceId) != "i-1" || aws.ToString(health[0].State) != "InService" {
		t.Errorf("the health is %+v", health)
	}
	tags := must[*elb.DescribeTagsOutput](t)(w.elb.DescribeTags(t.Context(), &elb.DescribeTagsInput{LoadBalancerNames: []string{"web"}})).TagDescriptions
	if len(tags) != 1 || len(tags[0].Tags) != 1 || aws.ToString(tags[0].Tags[0].Key) != "kubernetes.io/service-name" {
		t.Errorf("the tags are %+v", tags)
	}
	_, err = w.elb.DetachLoadBalancerFromSubnets(t.Context(), &elb.DetachLoadBalancerFromSubnetsInput{LoadBalancerName: name, Subnets: []string{"subnet-zone-a"}})
	var only *types.InvalidConfigurationRequestException
	if !errors.As(err, &only) {
		t.Errorf("the only subnet: %v", err)
	}
}
