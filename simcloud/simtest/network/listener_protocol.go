package network

import (
	"fmt"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest/suite"
)

// listenerOf is a listener of a protocol.
func listenerOf(protocol simcloud.Protocol, port int) simcloud.ListenerSpec {
	return simcloud.ListenerSpec{Protocol: protocol, Port: port, ListenerConfig: simcloud.ListenerConfig{TargetPort: 30080}}
}

func testListenerProtocols(s suite.Runner) {
	s.Test("CreateListener/Protocols", func(f *suite.Fixture) {
		lb := f.LoadBalancer(simcloud.LoadBalancerSpec{})
		for i, protocol := range []simcloud.Protocol{
			simcloud.ProtocolTCP, simcloud.ProtocolUDP, simcloud.ProtocolTCPUDP, simcloud.ProtocolHTTP,
			simcloud.ProtocolHTTPS, simcloud.ProtocolTLS, simcloud.ProtocolSCTP,
		} {
			spec := listenerOf(protocol, 80+i)
			r := suite.Must[lbResult](f)(f.CreateListener(f.Ctx, lb.ID, spec))
			f.Equal("listener", r.Resource.Listeners[i], simcloud.Listener{
				ID: simcloud.ID(fmt.Sprintf("%s-%d", protocol, 80+i)), Protocol: protocol, Port: 80 + i, ListenerConfig: spec.ListenerConfig,
			})
			f.Equal("as read", f.MustGetLoadBalancer(lb.ID), r.Resource)
		}
		r := suite.Must[lbResult](f)(f.DeleteListener(f.Ctx, lb.ID, "http-83"))
		f.Equal("listeners after a deletion", len(r.Resource.Listeners), 6)
	})
	s.Test("CreateListener/PortTaken", func(f *suite.Fixture) {
		for taken, protocols := range map[simcloud.Protocol]map[simcloud.Protocol]simcloud.Code{
			simcloud.ProtocolTCP: {
				"http": simcloud.AlreadyExists, "https": simcloud.AlreadyExists, "tls": simcloud.AlreadyExists,
				"tcp_udp": simcloud.AlreadyExists, "udp": "", "sctp": "",
			},
			simcloud.ProtocolHTTP:   {"https": simcloud.AlreadyExists, "tcp": simcloud.AlreadyExists, "udp": "", "sctp": ""},
			simcloud.ProtocolUDP:    {"tcp_udp": simcloud.AlreadyExists, "tls": "", "sctp": ""},
			simcloud.ProtocolTCPUDP: {"tcp": simcloud.AlreadyExists, "udp": simcloud.AlreadyExists, "sctp": ""},
			simcloud.ProtocolSCTP:   {"sctp": simcloud.AlreadyExists, "http": ""},
		} {
			for protocol, code := range protocols {
				lb := f.LoadBalancer(simcloud.LoadBalancerSpec{Listeners: []simcloud.ListenerSpec{listenerOf(taken, 80)}})
				_, err := f.CreateListener(f.Ctx, lb.ID, listenerOf(protocol, 80))
				f.Want(err, code)
				_, err = f.CreateListener(f.Ctx, lb.ID, listenerOf(protocol, 81))
				f.Want(err, "")
			}
		}
	})
	s.Test("CreateLoadBalancer/PortTaken", func(f *suite.Fixture) {
		_, err := f.CreateLoadBalancer(f.Ctx, simcloud.LoadBalancerSpec{Name: "lb", Listeners: []simcloud.ListenerSpec{
			listenerOf(simcloud.ProtocolUDP, 443), listenerOf(simcloud.ProtocolTLS, 443), listenerOf(simcloud.ProtocolHTTPS, 443),
		}})
		f.WantField(err, "listeners[2].port")
		if err != nil && strings.Contains(err.Error(), "listeners[1].port") {
			f.Errorf("got %v: UDP and TLS can have one port", err)
		}
	})
	s.Test("UpdateListener/ProxyProtocol", func(f *suite.Fixture) {
		lb := f.LoadBalancer(simcloud.LoadBalancerSpec{Listeners: []simcloud.ListenerSpec{
			listenerOf(simcloud.ProtocolHTTPS, 443), listenerOf(simcloud.ProtocolSCTP, 443),
		}})
		config := simcloud.ListenerConfig{TargetPort: 1, ProxyProtocol: true}
		r := suite.Must[lbResult](f)(f.UpdateListener(f.Ctx, lb.ID, "https-443", config))
		f.Equal("the configuration", r.Resource.Listeners[0].ListenerConfig, config)
		_, err := f.UpdateListener(f.Ctx, lb.ID, "sctp-443", config)
		f.WantField(err, "proxyProtocol")
	})
}

func testListenerOptions(s suite.Runner) {
	s.Test("CreateListener/Options", func(f *suite.Fixture) {
		lb := f.LoadBalancer(simcloud.LoadBalancerSpec{})
		spec := listenerOf(simcloud.ProtocolHTTP, 80)
		spec.Options = map[string]string{"http.cookie_name": "STICK", "redirect": ""}
		r := suite.Must[lbResult](f)(f.CreateListener(f.Ctx, lb.ID, spec))
		f.Equal("options", r.Resource.Listeners[0].Options, spec.Options)
		f.Equal("as read", f.MustGetLoadBalancer(lb.ID), r.Resource)
		config := spec.ListenerConfig
		config.Options = map[string]string{"certificates": "7,9"}
		r = suite.Must[lbResult](f)(f.UpdateListener(f.Ctx, lb.ID, "http-80", config))
		f.Equal("options after an update", r.Resource.Listeners[0].Options, config.Options)
		config.Options = nil
		r = suite.Must[lbResult](f)(f.UpdateListener(f.Ctx, lb.ID, "http-80", config))
		f.Equal("options that were removed", r.Resource.Listeners[0].Options, map[string]string(nil))
	})
	s.Test("CreateListener/OptionsInvalid", func(f *suite.Fixture) {
		lb := f.LoadBalancer(simcloud.LoadBalancerSpec{})
		for _, bad := range badOptions(32, 128) {
			spec := listenerOf(simcloud.ProtocolHTTP, 80)
			spec.Options = bad.options
			_, err := f.CreateListener(f.Ctx, lb.ID, spec)
			f.WantField(err, bad.field)
		}
	})
	s.Test("Seed/ListenerProtocol", func(f *suite.Fixture) {
		lb := simcloud.LoadBalancerSpec{Name: "lb", Listeners: []simcloud.ListenerSpec{listenerOf(simcloud.ProtocolTCP, 80)}}
		seed := func() simcloud.SeedReport {
			return suite.Must[simcloud.SeedReport](f)(f.Control().Seed(f.Ctx, simcloud.Topology{LoadBalancers: &[]simcloud.LoadBalancerSpec{lb}}))
		}
		seed()
		lb.Listeners[0].Protocol, lb.Listeners[0].Options = simcloud.ProtocolHTTP, map[string]string{"k": "v"}
		f.Equal("updated", seed().Updated, []string{"load_balancer/lb"})
		got := f.MustGetLoadBalancer("lb-1").Listeners
		f.Equal("listeners", got, []simcloud.Listener{{ID: "http-80", Protocol: simcloud.ProtocolHTTP, Port: 80, ListenerConfig: lb.Listeners[0].ListenerConfig}})
		f.Equal("updated by the same topology", len(seed().Updated), 0)
	})
}
