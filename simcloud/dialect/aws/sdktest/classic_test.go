package sdktest

import (
	"errors"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	elb "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing/types"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// web is the load balancer that the CCM makes for a Service without annotations.
func web(listeners ...types.Listener) *elb.CreateLoadBalancerInput {
	return &elb.CreateLoadBalancerInput{
		LoadBalancerName: aws.String("web"), Listeners: append([]types.Listener{port(80, 31000)}, listeners...), Subnets: []string{"subnet-zone-a"},
		Tags: []types.Tag{{Key: aws.String("kubernetes.io/service-name"), Value: aws.String("default/web")}},
	}
}

func port(port, nodePort int32) types.Listener {
	return types.Listener{Protocol: aws.String("tcp"), InstanceProtocol: aws.String("tcp"), LoadBalancerPort: port, InstancePort: aws.Int32(nodePort)}
}

var check = types.HealthCheck{
	Target: aws.String("HTTP:31000/healthz"), Interval: aws.Int32(10), Timeout: aws.Int32(5), HealthyThreshold: aws.Int32(2), UnhealthyThreshold: aws.Int32(6),
}

var name = aws.String("web")

// tourOfELB has all actions of classic load balancers.
func tourOfELB() []stop {
	members := []types.Instance{{InstanceId: aws.String("i-1")}, {InstanceId: aws.String("i-2")}}
	describe := func(w world) error {
		return last(w.elb.DescribeLoadBalancers(w.Context(), &elb.DescribeLoadBalancersInput{LoadBalancerNames: []string{"web"}}))
	}
	create := func(in *elb.CreateLoadBalancerInput) func(world) error {
		return func(w world) error { return last(w.elb.CreateLoadBalancer(w.Context(), in)) }
	}
	return []stop{
		{"classic-unknown", describe, "LoadBalancerNotFound"},
		{"classic", create(web()), ""},
		{"classic-again", create(web()), ""},
		{"classic-other", create(web(port(81, 31001))), "DuplicateLoadBalancerName"},
		{"attributes", func(w world) error {
			return last(w.elb.DescribeLoadBalancerAttributes(w.Context(), &elb.DescribeLoadBalancerAttributesInput{LoadBalancerName: name}))
		}, ""},
		{"attributes-set", func(w world) error {
			return last(w.elb.ModifyLoadBalancerAttributes(w.Context(), &elb.ModifyLoadBalancerAttributesInput{LoadBalancerName: name, LoadBalancerAttributes: &types.LoadBalancerAttributes{
				AccessLog: &types.AccessLog{Enabled: false}, ConnectionDraining: &types.ConnectionDraining{Enabled: false},
				ConnectionSettings: &types.ConnectionSettings{IdleTimeout: aws.Int32(60)}, CrossZoneLoadBalancing: &types.CrossZoneLoadBalancing{Enabled: false},
			}}))
		}, ""},
		{"check", func(w world) error {
			return last(w.elb.ConfigureHealthCheck(w.Context(), &elb.ConfigureHealthCheckInput{LoadBalancerName: name, HealthCheck: &check}))
		}, ""},
		{"registered", func(w world) error {
			return last(w.elb.RegisterInstancesWithLoadBalancer(w.Context(), &elb.RegisterInstancesWithLoadBalancerInput{LoadBalancerName: name, Instances: members}))
		}, ""},
		{"listener", func(w world) error {
			return last(w.elb.CreateLoadBalancerListeners(w.Context(), &elb.CreateLoadBalancerListenersInput{LoadBalancerName: name, Listeners: []types.Listener{port(81, 31001)}}))
		}, ""},
		{"classic-whole", describe, ""},
		{"listener-removed", func(w world) error {
			return last(w.elb.DeleteLoadBalancerListeners(w.Context(), &elb.DeleteLoadBalancerListenersInput{LoadBalancerName: name, LoadBalancerPorts: []int32{81}}))
		}, ""},
		{"deregistered", func(w world) error {
			return last(w.elb.DeregisterInstancesFromLoadBalancer(w.Context(), &elb.DeregisterInstancesFromLoadBalancerInput{LoadBalancerName: name, Instances: members[:1]}))
		}, ""},
		{"groups", func(w world) error {
			return last(w.ec2.DescribeSecurityGroups(w.Context(), &ec2.DescribeSecurityGroupsInput{}))
		}, ""},
		{"classic-removed", func(w world) error {
			return last(w.elb.DeleteLoadBalancer(w.Context(), &elb.DeleteLoadBalancerInput{LoadBalancerName: name}))
		}, ""},
	}
}

// TestClassic: AWS' client reads what the CCM uses without a look, right after the load balancer was made.
func TestClassic(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.instance(simcloud.InstanceSpec{Name: "node-1"})
	made := must[*elb.CreateLoadBalancerOutput](t)(w.elb.CreateLoadBalancer(t.Context(), web(port(81, 31001))))
	if !strings.HasSuffix(aws.ToString(made.DNSName), ".elb.amazonaws.com") {
		t.Errorf("its name is %s", aws.ToString(made.DNSName))
	}
	must[*elb.ConfigureHealthCheckOutput](t)(w.elb.ConfigureHealthCheck(t.Context(), &elb.ConfigureHealthCheckInput{LoadBalancerName: name, HealthCheck: &check}))
	must[*elb.RegisterInstancesWithLoadBalancerOutput](t)(w.elb.RegisterInstancesWithLoadBalancer(t.Context(), &elb.RegisterInstancesWithLoadBalancerInput{
		LoadBalancerName: name, Instances: []types.Instance{{InstanceId: aws.String("i-1")}},
	}))
	all := must[*elb.DescribeLoadBalancersOutput](t)(w.elb.DescribeLoadBalancers(t.Context(), nil)).LoadBalancerDescriptions
	if len(all) != 1 {
		t.Fatalf("there are %d", len(all))
	}
	lb := all[0]
	if aws.ToString(lb.DNSName) != aws.ToString(made.DNSName) || len(lb.Subnets) != 1 || len(lb.Instances) != 1 || aws.ToString(lb.VPCId) != "vpc-1" {
		t.Errorf("it is %+v", lb)
	}
	if c := lb.HealthCheck; c == nil || aws.ToString(c.Target) != "HTTP:31000/healthz" || aws.ToInt32(c.Interval) != 10 || aws.ToInt32(c.UnhealthyThreshold) != 6 {
		t.Errorf("its check is %+v", c)
	}
	for i, want := range []int32{80, 81} {
		l := lb.ListenerDescriptions[i].Listener
		if l == nil || l.LoadBalancerPort != want || aws.ToString(l.Protocol) != "TCP" || aws.ToInt32(l.InstancePort) != 30920+want {
			t.Errorf("the listener of %d is %+v", want, l)
		}
	}
	_, err := w.elb.DescribeLoadBalancers(t.Context(), &elb.DescribeLoadBalancersInput{LoadBalancerNames: []string{"none"}})
	var missing *types.AccessPointNotFoundException
	if !errors.As(err, &missing) {
		t.Errorf("got %v", err)
	}
	_, err = w.elb.RegisterInstancesWithLoadBalancer(t.Context(), &elb.RegisterInstancesWithLoadBalancerInput{
		LoadBalancerName: name, Instances: []types.Instance{{InstanceId: aws.String("i-9")}},
	})
	var unknown *types.InvalidEndPointException
	if !errors.As(err, &unknown) {
		t.Errorf("got %v", err)
	}
	var taken *types.DuplicateAccessPointNameException
	if _, err = w.elb.CreateLoadBalancer(t.Context(), web()); !errors.As(err, &taken) {
		t.Errorf("got %v", err)
	}
}
