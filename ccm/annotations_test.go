package ccm

import (
	"testing"

	v1 "k8s.io/api/core/v1"

	"github.com/simcloud-dev/simcloud/ccm/annotation"
	"github.com/simcloud-dev/simcloud/ccm/config"
	"github.com/simcloud-dev/simcloud/ccm/internal/ccmtest"
)

// wrongValues says of every annotation what it must not be, and what the Event says that it must be.
func wrongValues() map[string]struct{ value, right string } {
	return map[string]struct{ value, right string }{
		annotation.Internal:             {"yes", `must be "true" or "false"`},
		annotation.Algorithm:            {"random", `must be "round_robin" or "least_connections"`},
		annotation.ProxyProtocol:        {"v2", `must be "true" or "false"`},
		annotation.IdleTimeout:          {"1.5s", "must be a duration of whole seconds from 1s to 24h0m0s, such as 90s"},
		annotation.IPMode:               {"vip", `must be "VIP" or "Proxy"`},
		annotation.Addresses:            {"127.77.0.9,", "must be addresses separated by commas, such as 127.77.0.9,fd77::9"},
		annotation.FloatingIPs:          {"fip-1,,fip-2", "must be ids of floating IPs separated by commas, such as fip-3,fip-4"},
		annotation.HealthCheckPath:      {"ready", "must be a path such as /ready"},
		annotation.HealthCheckPort:      {"http", "must be the number of a port, such as 8080"},
		annotation.HealthCheckInterval:  {"6m", "must be a duration of whole seconds from 1s to 5m0s, such as 90s"},
		annotation.HealthCheckTimeout:   {"0s", "must be a duration of whole seconds from 1s to 5m0s, such as 90s"},
		annotation.HealthCheckThreshold: {"11", "must be a number from 1 to 10"},
		annotation.LoadBalancerID:       {"lb-1,lb-2", "must be the id of one load balancer, such as lb-3"},
		annotation.Share:                {"Edge", "must be at most 63 lower case letters and digits, with - between them"},
	}
}

// TestEveryAnnotationIsValidated: a wrong value changes nothing, and the Event
// names the annotation, its value and what would be right. So does an empty one.
func TestEveryAnnotationIsValidated(t *testing.T) {
	t.Parallel()
	values := wrongValues()
	for _, name := range annotation.Names() {
		wrong, tested := values[name]
		if !tested {
			t.Errorf("%s is not tested", name)
			continue
		}
		w := newWorld(t, 1)
		if _, err := w.ensure(ccmtest.Service(ccmtest.Annotate(name, wrong.value))); err == nil {
			t.Errorf("%s: %q is no error", name, wrong.value)
		}
		w.wantEvent(`Warning InvalidLoadBalancer annotation ` + name + `: invalid value "` + wrong.value + `": ` + wrong.right)
		if wrote := writes(w.took()); len(wrote) > 0 {
			t.Errorf("%s: writes: %v", name, wrote)
		}
		if _, err := annotation.Parse(ccmtest.Service(ccmtest.Annotate(name, "")), config.LoadBalancer{}); err == nil {
			t.Errorf("%s: an empty value is no error", name)
		}
	}
}

func TestIPMode(t *testing.T) {
	t.Parallel()
	for want, svc := range map[v1.LoadBalancerIPMode][]*v1.Service{
		v1.LoadBalancerIPModeVIP: {
			ccmtest.Service(), ccmtest.Service(ccmtest.Annotate(annotation.IPMode, "VIP"), ccmtest.Annotate(annotation.ProxyProtocol, "true")),
		},
		v1.LoadBalancerIPModeProxy: {
			ccmtest.Service(ccmtest.Annotate(annotation.IPMode, "Proxy")), ccmtest.Service(ccmtest.Annotate(annotation.ProxyProtocol, "true")),
		},
	} {
		for _, s := range svc {
			w := newWorld(t, 1)
			if got := *w.mustEnsure(s).Ingress[0].IPMode; got != want {
				t.Errorf("%v: %s, want %s", s.Annotations, got, want)
			}
		}
	}
}
