package sdktest

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	elbv2 "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// same fails the test unless AWS' client has read this.
func same(t testing.TB, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		g, _ := json.MarshalIndent(got, "", " ")
		w, _ := json.MarshalIndent(want, "", " ")
		t.Errorf("%s: the client has read\n%s\nwant\n%s", what, g, w)
	}
}

// served is a load balancer with a listener, and what the client has read of them and of the group.
func served(w world) (types.LoadBalancer, types.Listener, types.TargetGroup) {
	w.Helper()
	lb := must[*elbv2.CreateLoadBalancerOutput](w)(w.elbv2.CreateLoadBalancer(w.Context(), network(""))).LoadBalancers[0]
	g := must[*elbv2.CreateTargetGroupOutput](w)(w.elbv2.CreateTargetGroup(w.Context(), targetGroup("group", 31000))).TargetGroups[0]
	l := must[*elbv2.CreateListenerOutput](w)(w.elbv2.CreateListener(w.Context(), &elbv2.CreateListenerInput{
		LoadBalancerArn: lb.LoadBalancerArn, Port: aws.Int32(80), Protocol: types.ProtocolEnumTcp, DefaultActions: forwardTo(g.TargetGroupArn), Tags: tags,
	})).Listeners[0]
	return lb, l, g
}

// TestNetwork: AWS' client reads what the CCM uses without a look, right after it was made, and the same from lists.
func TestNetwork(t *testing.T) {
	t.Parallel()
	w := open(t)
	lb, l, g := served(w)
	same(t, "load balancer", lb, types.LoadBalancer{
		LoadBalancerArn: lb.LoadBalancerArn, LoadBalancerName: aws.String("net"), DNSName: aws.String("net-1.elb.region-1.amazonaws.com"), CreatedTime: lb.CreatedTime,
		Scheme: types.LoadBalancerSchemeEnumInternetFacing, Type: types.LoadBalancerTypeEnumNetwork, VpcId: aws.String("vpc-1"), IpAddressType: types.IpAddressTypeIpv4,
		State: &types.LoadBalancerState{Code: types.LoadBalancerStateEnumActive}, SecurityGroups: []string{},
		AvailabilityZones: []types.AvailabilityZone{
			{ZoneName: aws.String("zone-a"), SubnetId: aws.String("subnet-zone-a"), LoadBalancerAddresses: []types.LoadBalancerAddress{}},
			{ZoneName: aws.String("zone-b"), SubnetId: aws.String("subnet-zone-b"), LoadBalancerAddresses: []types.LoadBalancerAddress{}},
		},
	})
	same(t, "listener", l, types.Listener{
		ListenerArn: aws.String(strings.Replace(*lb.LoadBalancerArn, ":loadbalancer/", ":listener/", 1) + "/tcp-80"), LoadBalancerArn: lb.LoadBalancerArn,
		Port: aws.Int32(80), Protocol: types.ProtocolEnumTcp, Certificates: []types.Certificate{}, AlpnPolicy: []string{},
		DefaultActions: []types.Action{{Type: types.ActionTypeEnumForward, TargetGroupArn: g.TargetGroupArn}},
	})
	same(t, "target group", g, types.TargetGroup{
		TargetGroupArn: g.TargetGroupArn, TargetGroupName: aws.String("group"), Protocol: types.ProtocolEnumTcp, Port: aws.Int32(31000), VpcId: aws.String("vpc-1"),
		TargetType: types.TargetTypeEnumInstance, IpAddressType: types.TargetGroupIpAddressTypeEnumIpv4, LoadBalancerArns: []string{},
		HealthCheckEnabled: aws.Bool(true), HealthCheckProtocol: types.ProtocolEnumTcp, HealthCheckPort: aws.String("traffic-port"), HealthCheckIntervalSeconds: aws.Int32(30),
		HealthCheckTimeoutSeconds: aws.Int32(10), HealthyThresholdCount: aws.Int32(3), UnhealthyThresholdCount: aws.Int32(3),
	})
	g.LoadBalancerArns = []string{*lb.LoadBalancerArn}
	same(t, "load balancers", must[*elbv2.DescribeLoadBalancersOutput](t)(w.elbv2.DescribeLoadBalancers(t.Context(), nil)).LoadBalancers, []types.LoadBalancer{lb})
	same(t, "listeners", must[*elbv2.DescribeListenersOutput](t)(w.elbv2.DescribeListeners(t.Context(), &elbv2.DescribeListenersInput{LoadBalancerArn: lb.LoadBalancerArn})).Listeners, []types.Listener{l})
	same(t, "target groups", must[*elbv2.DescribeTargetGroupsOutput](t)(w.elbv2.DescribeTargetGroups(t.Context(), &elbv2.DescribeTargetGroupsInput{LoadBalancerArn: lb.LoadBalancerArn})).TargetGroups, []types.TargetGroup{g})
}

// TestNetworkChanges: AWS' client reads the answers of actions that change something.
func TestNetworkChanges(t *testing.T) {
	t.Parallel()
	w := open(t)
	lb, l, g := served(w)
	changed := must[*elbv2.ModifyTargetGroupOutput](t)(w.elbv2.ModifyTargetGroup(t.Context(), &elbv2.ModifyTargetGroupInput{
		TargetGroupArn: g.TargetGroupArn, HealthCheckProtocol: types.ProtocolEnumHttp, HealthCheckPath: aws.String("/healthz"), HealthCheckPort: aws.String("10256"),
	})).TargetGroups[0]
	g.HealthCheckProtocol, g.HealthCheckPath, g.HealthCheckPort = types.ProtocolEnumHttp, aws.String("/healthz"), aws.String("10256")
	g.Matcher, g.LoadBalancerArns = &types.Matcher{HttpCode: aws.String("200-399")}, []string{*lb.LoadBalancerArn}
	same(t, "changed group", changed, g)

	other := must[*elbv2.CreateTargetGroupOutput](t)(w.elbv2.CreateTargetGroup(t.Context(), targetGroup("other", 31001))).TargetGroups[0].TargetGroupArn
	moved := must[*elbv2.ModifyListenerOutput](t)(w.elbv2.ModifyListener(t.Context(), &elbv2.ModifyListenerInput{ListenerArn: l.ListenerArn, DefaultActions: forwardTo(other)})).Listeners
	l.DefaultActions[0].TargetGroupArn = other
	same(t, "moved listener", moved, []types.Listener{l})

	both := []types.LoadBalancerAttribute{
		{Key: aws.String("access_logs.s3.enabled"), Value: aws.String("true")}, {Key: aws.String("access_logs.s3.bucket"), Value: aws.String("logs")},
	}
	must[*elbv2.ModifyLoadBalancerAttributesOutput](t)(w.elbv2.ModifyLoadBalancerAttributes(t.Context(), &elbv2.ModifyLoadBalancerAttributesInput{LoadBalancerArn: lb.LoadBalancerArn, Attributes: both}))
	has := map[string]string{}
	for _, a := range must[*elbv2.DescribeLoadBalancerAttributesOutput](t)(w.elbv2.DescribeLoadBalancerAttributes(t.Context(), &elbv2.DescribeLoadBalancerAttributesInput{LoadBalancerArn: lb.LoadBalancerArn})).Attributes {
		has[aws.ToString(a.Key)] = aws.ToString(a.Value)
	}
	same(t, "attributes", has, map[string]string{
		"load_balancing.cross_zone.enabled": "false", "access_logs.s3.enabled": "true", "access_logs.s3.bucket": "logs", "access_logs.s3.prefix": "",
		"dns_record.client_routing_policy": "any_availability_zone", "zonal_shift.config.enabled": "false", "deletion_protection.enabled": "false",
	})
	proxy := []types.TargetGroupAttribute{{Key: aws.String("proxy_protocol_v2.enabled"), Value: aws.String("true")}}
	set := must[*elbv2.ModifyTargetGroupAttributesOutput](t)(w.elbv2.ModifyTargetGroupAttributes(t.Context(), &elbv2.ModifyTargetGroupAttributesInput{TargetGroupArn: other, Attributes: proxy})).Attributes
	same(t, "group attributes", set, must[*elbv2.DescribeTargetGroupAttributesOutput](t)(w.elbv2.DescribeTargetGroupAttributes(t.Context(), &elbv2.DescribeTargetGroupAttributesInput{TargetGroupArn: other})).Attributes)

	must[*elbv2.RemoveTagsOutput](t)(w.elbv2.RemoveTags(t.Context(), &elbv2.RemoveTagsInput{ResourceArns: []string{*other}, TagKeys: []string{"kubernetes.io/service-name"}}))
	same(t, "tags", must[*elbv2.DescribeTagsOutput](t)(w.elbv2.DescribeTags(t.Context(), &elbv2.DescribeTagsInput{ResourceArns: []string{*other}})).TagDescriptions,
		[]types.TagDescription{{ResourceArn: other, Tags: tags[:1]}})
}

// TestNetworkTargets: AWS' client reads the health of targets, in each state in which the CCM can meet one.
func TestNetworkTargets(t *testing.T) {
	t.Parallel()
	w := open(t)
	_, l, g := served(w)
	for range 2 {
		w.instance(simcloud.InstanceSpec{Name: "node"})
	}
	members := []types.TargetDescription{{Id: aws.String("i-1"), Port: aws.Int32(31000)}, {Id: aws.String("i-2"), Port: aws.Int32(31000)}}
	must[*elbv2.RegisterTargetsOutput](t)(w.elbv2.RegisterTargets(t.Context(), &elbv2.RegisterTargetsInput{TargetGroupArn: g.TargetGroupArn, Targets: members}))
	must[simcloud.Result[simcloud.Instance]](t)(w.native.StopInstance(t.Context(), "i-2"))
	health := func(states ...types.TargetHealth) {
		t.Helper()
		var want []types.TargetHealthDescription
		for i := range states {
			want = append(want, types.TargetHealthDescription{Target: &members[i], HealthCheckPort: aws.String("31000"), TargetHealth: &states[i]})
		}
		same(t, "health", must[*elbv2.DescribeTargetHealthOutput](t)(w.elbv2.DescribeTargetHealth(t.Context(), &elbv2.DescribeTargetHealthInput{TargetGroupArn: g.TargetGroupArn})).TargetHealthDescriptions, want)
	}
	stopped := types.TargetHealth{State: types.TargetHealthStateEnumUnused, Reason: types.TargetHealthReasonEnumInvalidState, Description: aws.String("Target is in the stopped state")}
	health(types.TargetHealth{State: types.TargetHealthStateEnumHealthy}, stopped)
	must[*elbv2.DeleteListenerOutput](t)(w.elbv2.DeleteListener(t.Context(), &elbv2.DeleteListenerInput{ListenerArn: l.ListenerArn}))
	health(types.TargetHealth{
		State: types.TargetHealthStateEnumUnused, Reason: types.TargetHealthReasonEnumNotInUse,
		Description: aws.String("Target group is not configured to receive traffic from the load balancer"),
	}, stopped)
	must[*elbv2.DeregisterTargetsOutput](t)(w.elbv2.DeregisterTargets(t.Context(), &elbv2.DeregisterTargetsInput{TargetGroupArn: g.TargetGroupArn, Targets: members}))
	left := must[*elbv2.DescribeTargetHealthOutput](t)(w.elbv2.DescribeTargetHealth(t.Context(), &elbv2.DescribeTargetHealthInput{TargetGroupArn: g.TargetGroupArn}))
	same(t, "no targets", left.TargetHealthDescriptions, []types.TargetHealthDescription{})
}

// TestNetworkGroups: security groups of a load balancer that was made with one.
func TestNetworkGroups(t *testing.T) {
	t.Parallel()
	w := open(t)
	for _, name := range []string{"one", "two"} {
		must[simcloud.Result[simcloud.SecurityGroup]](t)(w.native.CreateSecurityGroup(t.Context(), simcloud.SecurityGroupSpec{Name: name}))
	}
	in := network("")
	in.SecurityGroups = []string{"sg-1"}
	lb := must[*elbv2.CreateLoadBalancerOutput](t)(w.elbv2.CreateLoadBalancer(t.Context(), in)).LoadBalancers[0]
	same(t, "groups", lb.SecurityGroups, []string{"sg-1"})
	both := []string{"sg-1", "sg-2"}
	set := must[*elbv2.SetSecurityGroupsOutput](t)(w.elbv2.SetSecurityGroups(t.Context(), &elbv2.SetSecurityGroupsInput{LoadBalancerArn: lb.LoadBalancerArn, SecurityGroups: both}))
	same(t, "groups that were set", set.SecurityGroupIds, both)
}

// TestAddressesPerSubnet: AWS' client asks for an address in each subnet, of both families, and reads where they are.
func TestAddressesPerSubnet(t *testing.T) {
	t.Parallel()
	w := open(t)
	must[simcloud.Result[simcloud.Network]](t)(w.native.CreateNetwork(t.Context(), simcloud.NetworkSpec{Name: "dual", CIDRs: []string{"10.7.0.0/16", "fd07::/56"}}))
	for _, spec := range []simcloud.SubnetSpec{{Name: "a", CIDR: "10.7.8.0/24", Zone: "zone-a"}, {Name: "b", CIDR: "10.7.9.0/24", Zone: "zone-b"}} {
		spec.Network = "net-2"
		must[simcloud.Result[simcloud.Subnet]](t)(w.native.CreateSubnet(t.Context(), spec))
	}
	in := network("")
	in.Scheme, in.IpAddressType = types.LoadBalancerSchemeEnumInternal, types.IpAddressTypeDualstack
	in.SubnetMappings = []types.SubnetMapping{
		{SubnetId: aws.String("subnet-1"), PrivateIPv4Address: aws.String("10.7.8.77")},
		{SubnetId: aws.String("subnet-2"), PrivateIPv4Address: aws.String("10.7.9.77"), IPv6Address: aws.String("fd07::77")},
	}
	lb := must[*elbv2.CreateLoadBalancerOutput](t)(w.elbv2.CreateLoadBalancer(t.Context(), in)).LoadBalancers[0]
	same(t, "the type", lb.IpAddressType, types.IpAddressTypeDualstack)
	same(t, "the zones", lb.AvailabilityZones, []types.AvailabilityZone{
		{ZoneName: aws.String("zone-a"), SubnetId: aws.String("subnet-1"), LoadBalancerAddresses: []types.LoadBalancerAddress{{PrivateIPv4Address: aws.String("10.7.8.77")}}},
		{ZoneName: aws.String("zone-b"), SubnetId: aws.String("subnet-2"), LoadBalancerAddresses: []types.LoadBalancerAddress{
			{PrivateIPv4Address: aws.String("10.7.9.77"), IPv6Address: aws.String("fd07::77")},
		}},
	})
	in.Name = aws.String("other")
	if err := last(w.elbv2.CreateLoadBalancer(t.Context(), in)); !errs[*types.ResourceInUseException](err) {
		t.Errorf("with addresses that are taken: %v", err)
	}
	set := must[*elbv2.SetSubnetsOutput](t)(w.elbv2.SetSubnets(t.Context(), &elbv2.SetSubnetsInput{LoadBalancerArn: lb.LoadBalancerArn, Subnets: []string{"subnet-2"}}))
	same(t, "the subnets", []string{*set.AvailabilityZones[0].SubnetId, string(set.IpAddressType)}, []string{"subnet-2", "dualstack"})
	typed := must[*elbv2.SetIpAddressTypeOutput](t)(w.elbv2.SetIpAddressType(t.Context(), &elbv2.SetIpAddressTypeInput{LoadBalancerArn: lb.LoadBalancerArn, IpAddressType: types.IpAddressTypeIpv4}))
	same(t, "the type that was set", typed.IpAddressType, types.IpAddressTypeIpv4)
}

// TestTargetTypeIP: AWS' client registers addresses, and reads their health.
func TestTargetTypeIP(t *testing.T) {
	t.Parallel()
	w := open(t)
	in := &elbv2.CreateTargetGroupInput{
		Name: aws.String("pods"), Protocol: types.ProtocolEnumTcp, Port: aws.Int32(8080), VpcId: aws.String("vpc-1"), TargetType: types.TargetTypeEnumIp,
	}
	g := must[*elbv2.CreateTargetGroupOutput](t)(w.elbv2.CreateTargetGroup(t.Context(), in)).TargetGroups[0]
	same(t, "the type", g.TargetType, types.TargetTypeEnumIp)
	targets := []types.TargetDescription{{Id: aws.String("192.168.7.7"), Port: aws.Int32(9090), AvailabilityZone: aws.String("all")}}
	must[*elbv2.RegisterTargetsOutput](t)(w.elbv2.RegisterTargets(t.Context(), &elbv2.RegisterTargetsInput{TargetGroupArn: g.TargetGroupArn, Targets: targets}))
	shown := must[*elbv2.DescribeTargetHealthOutput](t)(w.elbv2.DescribeTargetHealth(t.Context(), &elbv2.DescribeTargetHealthInput{TargetGroupArn: g.TargetGroupArn}))
	same(t, "the target", *shown.TargetHealthDescriptions[0].Target, targets[0])
	same(t, "the state", shown.TargetHealthDescriptions[0].TargetHealth.State, types.TargetHealthStateEnumUnused)
}

// errs returns the type of an error that AWS' client has made.
func errs[E error](err error) bool {
	var e E
	return errors.As(err, &e)
}

// TestNetworkErrors: AWS' client has a type for each error of an action.
func TestNetworkErrors(t *testing.T) {
	t.Parallel()
	w := open(t)
	lb, l, g := served(w)
	gone := func(arn *string) *string { return aws.String(*arn + "9") }
	listen := func(change func(*elbv2.CreateListenerInput)) error {
		in := &elbv2.CreateListenerInput{LoadBalancerArn: lb.LoadBalancerArn, Port: aws.Int32(81), Protocol: types.ProtocolEnumTcp, DefaultActions: forwardTo(g.TargetGroupArn)}
		change(in)
		return last(w.elbv2.CreateListener(t.Context(), in))
	}
	create := func(change func(*elbv2.CreateLoadBalancerInput)) error {
		in := network("")
		change(in)
		return last(w.elbv2.CreateLoadBalancer(t.Context(), in))
	}
	for name, ok := range map[string]bool{
		"LoadBalancerNotFound": errs[*types.LoadBalancerNotFoundException](last(w.elbv2.DescribeLoadBalancers(t.Context(), &elbv2.DescribeLoadBalancersInput{LoadBalancerArns: []string{*gone(lb.LoadBalancerArn)}}))),
		"by name":              errs[*types.LoadBalancerNotFoundException](last(w.elbv2.DescribeLoadBalancers(t.Context(), &elbv2.DescribeLoadBalancersInput{Names: []string{"none"}}))),
		"ListenerNotFound":     errs[*types.ListenerNotFoundException](last(w.elbv2.DescribeListeners(t.Context(), &elbv2.DescribeListenersInput{ListenerArns: []string{*gone(l.ListenerArn)}}))),
		"TargetGroupNotFound":  errs[*types.TargetGroupNotFoundException](last(w.elbv2.DescribeTargetHealth(t.Context(), &elbv2.DescribeTargetHealthInput{TargetGroupArn: gone(g.TargetGroupArn)}))),
		"DuplicateLoadBalancerName": errs[*types.DuplicateLoadBalancerNameException](create(func(in *elbv2.CreateLoadBalancerInput) {
			in.Scheme = types.LoadBalancerSchemeEnumInternal
		})),
		"SubnetNotFound": errs[*types.SubnetNotFoundException](create(func(in *elbv2.CreateLoadBalancerInput) { in.SubnetMappings[0].SubnetId = aws.String("subnet-9") })),
		"InvalidScheme":  errs[*types.InvalidSchemeException](create(func(in *elbv2.CreateLoadBalancerInput) { in.Scheme = "secret" })),
		"AllocationId": errs[*types.AllocationIdNotFoundException](create(func(in *elbv2.CreateLoadBalancerInput) {
			in.Name, in.SubnetMappings[0].AllocationId = aws.String("more"), aws.String("eipalloc-9")
		})),
		"InvalidSecurity": errs[*types.InvalidSecurityGroupException](create(func(in *elbv2.CreateLoadBalancerInput) { in.SecurityGroups = []string{"sg-9"} })),
		"DuplicateTagKeys": errs[*types.DuplicateTagKeysException](create(func(in *elbv2.CreateLoadBalancerInput) {
			in.Tags = []types.Tag{{Key: aws.String("a")}, {Key: aws.String("a")}}
		})),
		"DuplicateTargetGroupName": errs[*types.DuplicateTargetGroupNameException](last(w.elbv2.CreateTargetGroup(t.Context(), targetGroup("group", 31001)))),
		"DuplicateListener": errs[*types.DuplicateListenerException](listen(func(in *elbv2.CreateListenerInput) {
			in.Port, in.Protocol, in.Certificates = aws.Int32(80), types.ProtocolEnumTls, []types.Certificate{{CertificateArn: aws.String("arn:c")}}
		})),
		"IncompatibleProtocols": errs[*types.IncompatibleProtocolsException](listen(func(in *elbv2.CreateListenerInput) { in.Protocol = types.ProtocolEnumUdp })),
		"UnsupportedProtocol":   errs[*types.UnsupportedProtocolException](listen(func(in *elbv2.CreateListenerInput) { in.Protocol = types.ProtocolEnumHttp })),
		"InvalidAction":         errs[*types.InvalidLoadBalancerActionException](listen(func(in *elbv2.CreateListenerInput) { in.DefaultActions[0].Type = types.ActionTypeEnumRedirect })),
		"ResourceInUse":         errs[*types.ResourceInUseException](last(w.elbv2.DeleteTargetGroup(t.Context(), &elbv2.DeleteTargetGroupInput{TargetGroupArn: g.TargetGroupArn}))),
		"InvalidTarget": errs[*types.InvalidTargetException](last(w.elbv2.RegisterTargets(t.Context(), &elbv2.RegisterTargetsInput{
			TargetGroupArn: g.TargetGroupArn, Targets: []types.TargetDescription{{Id: aws.String("i-9")}},
		}))),
		"InvalidConfigurationRequest": errs[*types.InvalidConfigurationRequestException](last(w.elbv2.SetSecurityGroups(t.Context(), &elbv2.SetSecurityGroupsInput{
			LoadBalancerArn: lb.LoadBalancerArn, SecurityGroups: []string{"sg-1"},
		}))),
	} {
		if !ok {
			t.Errorf("%s has another type", name)
		}
	}
	w.fault("CreateLoadBalancer", `{"error": {"code": "quota_exceeded"}}`)
	if err := create(func(in *elbv2.CreateLoadBalancerInput) { in.Name = aws.String("more") }); !errs[*types.TooManyLoadBalancersException](err) {
		t.Errorf("got %v", err)
	}
	w.fault("DeleteLoadBalancer", `{"error": {"code": "protected"}}`)
	if _, err := w.elbv2.DeleteLoadBalancer(t.Context(), &elbv2.DeleteLoadBalancerInput{LoadBalancerArn: lb.LoadBalancerArn}); !errs[*types.OperationNotPermittedException](err) {
		t.Errorf("got %v", err)
	}
}
