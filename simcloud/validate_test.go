package simcloud_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/simcloud"
)

type validator interface{ Validate() error }

func TestValidateAccepts(t *testing.T) {
	config := simcloud.ListenerConfig{TargetPort: 30080}
	for name, v := range map[string]validator{
		"region":        simcloud.RegionSpec{Name: "region-1"},
		"zone":          simcloud.ZoneSpec{Name: "zone-a", Region: "region-1"},
		"instance type": simcloud.InstanceTypeSpec{Name: "small", VCPUs: 1, MemoryMiB: 512},
		"dual stack":    simcloud.NetworkSpec{Name: "n", CIDRs: []string{"10.0.0.0/16", "fd00::/64"}},
		"instance":      simcloud.InstanceSpec{Name: "Node_1.example"},
		"user data":     simcloud.InstanceSpec{Name: "a", UserData: strings.Repeat("x", 64<<10)},
		"empty update":  simcloud.InstanceUpdate{},
		"tcp and udp on one port": simcloud.LoadBalancerSpec{Name: "web", Listeners: []simcloud.ListenerSpec{
			{Protocol: simcloud.ProtocolTCP, Port: 53, ListenerConfig: config},
			{Protocol: simcloud.ProtocolUDP, Port: 53, ListenerConfig: config},
		}},
		"affinity":    simcloud.LoadBalancerSpec{Name: "web", Affinity: simcloud.Affinity{ClientIP: true, TimeoutSeconds: 60}},
		"floating ip": simcloud.FloatingIPSpec{Name: "f", Address: "127.77.0.9"},
		"route":       simcloud.RouteSpec{Destination: "10.244.1.0/24", NextHop: simcloud.NextHop{Instance: "i-1"}},
		"manual":      simcloud.ClockSpec{Mode: simcloud.ClockManual},
		"fastest":     simcloud.ClockSpec{Mode: simcloud.ClockScaled, Factor: 1e6},
		"slow":        simcloud.ClockSpec{Mode: simcloud.ClockScaled, Factor: 1e-9},
	} {
		t.Run(name, func(t *testing.T) {
			if err := v.Validate(); err != nil {
				t.Errorf("Validate() = %v, want nil", err)
			}
		})
	}
}

func TestValidateNamesTheField(t *testing.T) {
	tooMany := map[string]string{}
	for i := range 65 {
		tooMany[strings.Repeat("k", i+1)] = "v"
	}
	limit := 0
	listener := func(edit func(*simcloud.ListenerSpec)) simcloud.LoadBalancerSpec {
		l := simcloud.ListenerSpec{
			Protocol: simcloud.ProtocolTCP, Port: 80,
			ListenerConfig: simcloud.ListenerConfig{TargetPort: 30080},
		}
		edit(&l)
		return simcloud.LoadBalancerSpec{Name: "web", Listeners: []simcloud.ListenerSpec{l}}
	}
	for _, c := range []struct {
		name   string
		spec   validator
		fields []string
	}{
		{"no name", simcloud.InstanceSpec{}, []string{"name"}},
		{"path in a name", simcloud.RegionSpec{Name: "a/b"}, []string{"name"}},
		{"long name", simcloud.RegionSpec{Name: strings.Repeat("a", 254)}, []string{"name"}},
		{"bad hostname", simcloud.InstanceSpec{Name: "a", Hostname: "-"}, []string{"hostname"}},
		{"zone without region", simcloud.ZoneSpec{Name: "z"}, []string{"region"}},
		{"all wrong at once", simcloud.InstanceTypeSpec{}, []string{"name", "vcpus", "memoryMiB"}},
		{"user data", simcloud.InstanceSpec{Name: "a", UserData: strings.Repeat("x", 64<<10+1)}, []string{"userData"}},
		{"labels", simcloud.InstanceSpec{Name: "a", Labels: tooMany}, []string{"labels"}},
		{"empty label key", simcloud.InstanceSpec{Name: "a", Labels: map[string]string{"": "x"}}, []string{"labels"}},
		{"long label value", simcloud.InstanceSpec{Name: "a", Labels: map[string]string{"k": strings.Repeat("v", 256)}}, []string{"labels[k]"}},
		{"no range", simcloud.NetworkSpec{Name: "n"}, []string{"cidrs"}},
		{"host bits", simcloud.NetworkSpec{Name: "n", CIDRs: []string{"10.0.0.1/16"}}, []string{"cidrs[0]"}},
		{"one family twice", simcloud.NetworkSpec{Name: "n", CIDRs: []string{"10.0.0.0/16", "10.1.0.0/16"}}, []string{"cidrs[1]"}},
		{"scheme", simcloud.LoadBalancerSpec{Name: "web", Scheme: "private"}, []string{"scheme"}},
		{"algorithm", simcloud.LoadBalancerSpec{Name: "web", Algorithm: "random"}, []string{"algorithm"}},
		{"affinity", simcloud.LoadBalancerSpec{Name: "web", Affinity: simcloud.Affinity{TimeoutSeconds: 5}}, []string{"affinity.timeoutSeconds"}},
		{"protocol", listener(func(l *simcloud.ListenerSpec) { l.Protocol = "TCP" }), []string{"listeners[0].protocol"}},
		{"port 0", listener(func(l *simcloud.ListenerSpec) { l.Port = 0 }), []string{"listeners[0].port"}},
		{"target port", listener(func(l *simcloud.ListenerSpec) { l.TargetPort = 65536 }), []string{"listeners[0].targetPort"}},
		{"source", listener(func(l *simcloud.ListenerSpec) { l.AllowedCIDRs = []string{"10.0.0.0/8", "all"} }), []string{"listeners[0].allowedCIDRs[1]"}},
		{"idle time-out", listener(func(l *simcloud.ListenerSpec) { l.IdleTimeoutSeconds = -1 }), []string{"listeners[0].idleTimeoutSeconds"}},
		{"udp proxy", listener(func(l *simcloud.ListenerSpec) { l.Protocol, l.ProxyProtocol = "udp", true }), []string{"listeners[0].proxyProtocol"}},
		{"http check", listener(func(l *simcloud.ListenerSpec) {
			l.HealthCheck = &simcloud.HealthCheck{Protocol: simcloud.HealthCheckHTTP, Port: 1}
		}), []string{"listeners[0].healthCheck.path"}},
		{"tcp check", listener(func(l *simcloud.ListenerSpec) {
			l.HealthCheck = &simcloud.HealthCheck{Protocol: simcloud.HealthCheckTCP, Port: 1, Path: "/"}
		}), []string{"listeners[0].healthCheck.path"}},
		{"port twice", simcloud.LoadBalancerSpec{Name: "web", Listeners: []simcloud.ListenerSpec{
			{Protocol: "tcp", Port: 80, ListenerConfig: simcloud.ListenerConfig{TargetPort: 1}},
			{Protocol: "tcp", Port: 80, ListenerConfig: simcloud.ListenerConfig{TargetPort: 2}},
		}}, []string{"listeners[1].port"}},
		{"target twice", simcloud.LoadBalancerSpec{Name: "web", Targets: []simcloud.TargetSpec{
			{Instance: "i-1"}, {Instance: "i-1"},
		}}, []string{"targets[1].instance"}},
		{"weight", simcloud.TargetSpec{Instance: "i-1", Weight: -1}, []string{"weight"}},
		{"address", simcloud.FloatingIPSpec{Name: "f", Address: "1.2.3"}, []string{"address"}},
		{"attach to a network", simcloud.Attachment{Kind: simcloud.KindNetwork}, []string{"kind", "id"}},
		{"two next hops", simcloud.RouteSpec{Destination: "10.0.0.0/8", NextHop: simcloud.NextHop{Instance: "i-1", Address: "10.0.0.1"}}, []string{"nextHop"}},
		{"no next hop", simcloud.RouteSpec{Destination: "10.0.0.0/8"}, []string{"nextHop"}},
		{"limit", simcloud.RouteTableUpdate{Limit: &limit}, []string{"limit"}},
		{"clock mode", simcloud.ClockSpec{Mode: "fast"}, []string{"mode"}},
		{"scale", simcloud.ClockSpec{Mode: simcloud.ClockScaled}, []string{"factor"}},
		{"scale below 0", simcloud.ClockSpec{Mode: simcloud.ClockScaled, Factor: -1}, []string{"factor"}},
		{"scale too high", simcloud.ClockSpec{Mode: simcloud.ClockScaled, Factor: 1e6 + 1}, []string{"factor"}},
		{"endless scale", simcloud.ClockSpec{Mode: simcloud.ClockScaled, Factor: math.Inf(1)}, []string{"factor"}},
		{"no number as scale", simcloud.ClockSpec{Mode: simcloud.ClockScaled, Factor: math.NaN()}, []string{"factor"}},
		{"scale of real", simcloud.ClockSpec{Mode: simcloud.ClockReal, Factor: 2}, []string{"factor"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := c.spec.Validate()
			var e *simcloud.Error
			if !errors.As(err, &e) || e.Code != simcloud.Invalid {
				t.Fatalf("Validate() = %v, want Invalid", err)
			}
			var fields []string
			for _, f := range e.Fields {
				fields = append(fields, f.Field)
				if f.Detail == "" {
					t.Errorf("%s says nothing", f.Field)
				}
			}
			if diff := cmp.Diff(c.fields, fields); diff != "" {
				t.Errorf("fields (-want +got):\n%s", diff)
			}
		})
	}
}
