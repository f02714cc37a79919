package network

import (
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest/suite"
)

func testHealthChecks(s suite.Runner) {
	s.Test("CreateListener/HealthCheck", func(f *suite.Fixture) {
		lb := f.LoadBalancer(simcloud.LoadBalancerSpec{})
		spec := listenerOf(simcloud.ProtocolHTTPS, 443)
		check := simcloud.HealthCheck{
			Protocol: simcloud.HealthCheckHTTPS, Port: 30443, Path: "/live", Domain: "www.example.com",
			StatusCodes: []string{"200", "3??", "40*", "*"}, Response: "all is fine", VerifyCertificate: true,
			IntervalSeconds: 15, TimeoutSeconds: 10, Threshold: 2,
		}
		spec.HealthCheck = &check
		r := suite.Must[lbResult](f)(f.CreateListener(f.Ctx, lb.ID, spec))
		f.Equal("health check", r.Resource.Listeners[0].HealthCheck, &check)
		f.Equal("as read", f.MustGetLoadBalancer(lb.ID), r.Resource)
	})
	s.Test("CreateListener/HealthCheckInvalid", func(f *suite.Fixture) {
		lb := f.LoadBalancer(simcloud.LoadBalancerSpec{})
		for _, bad := range []struct {
			field string
			check simcloud.HealthCheck
		}{
			{"protocol", simcloud.HealthCheck{Protocol: "icmp"}},
			{"path", simcloud.HealthCheck{Protocol: "https", Path: "live"}},
			{"path", simcloud.HealthCheck{Protocol: "tcp", Path: "/"}},
			{"domain", simcloud.HealthCheck{Protocol: "tcp", Domain: "example.com"}},
			{"domain", simcloud.HealthCheck{Protocol: "http", Path: "/", Domain: "a..b"}},
			{"domain", simcloud.HealthCheck{Protocol: "http", Path: "/", Domain: "-a.b"}},
			{"domain", simcloud.HealthCheck{Protocol: "http", Path: "/", Domain: "user@host"}},
			{"domain", simcloud.HealthCheck{Protocol: "http", Path: "/", Domain: strings.Repeat("a", 64)}},
			{"domain", simcloud.HealthCheck{Protocol: "http", Path: "/", Domain: strings.Repeat("a.", 127)}},
			{"statusCodes", simcloud.HealthCheck{Protocol: "tcp", StatusCodes: []string{"200"}}},
			{"statusCodes", simcloud.HealthCheck{Protocol: "http", Path: "/", StatusCodes: make([]string, 33)}},
			{"statusCodes[1]", simcloud.HealthCheck{Protocol: "http", Path: "/", StatusCodes: []string{"200", "20"}}},
			{"statusCodes[0]", simcloud.HealthCheck{Protocol: "http", Path: "/", StatusCodes: []string{"2xx"}}},
			{"statusCodes[0]", simcloud.HealthCheck{Protocol: "http", Path: "/", StatusCodes: []string{"600"}}},
			{"statusCodes[0]", simcloud.HealthCheck{Protocol: "http", Path: "/", StatusCodes: []string{"200*"}}},
			{"response", simcloud.HealthCheck{Protocol: "tcp", Response: "ok"}},
			{"response", simcloud.HealthCheck{Protocol: "http", Path: "/", Response: "\x1b"}},
			{"response", simcloud.HealthCheck{Protocol: "http", Path: "/", Response: strings.Repeat("a", 1025)}},
			{"verifyCertificate", simcloud.HealthCheck{Protocol: "http", Path: "/", VerifyCertificate: true}},
		} {
			spec := listenerOf(simcloud.ProtocolHTTP, 80)
			bad.check.Port = 1
			spec.HealthCheck = &bad.check
			_, err := f.CreateListener(f.Ctx, lb.ID, spec)
			f.WantField(err, "healthCheck."+bad.field)
		}
	})
}
