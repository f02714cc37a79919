package ccm

import (
	"testing"

	v1 "k8s.io/api/core/v1"

	"github.com/simcloud-dev/simcloud/ccm/annotation"
	"github.com/simcloud-dev/simcloud/ccm/config"
	"github.com/simcloud-dev/simcloud/ccm/internal/ccmtest"
)

// wrongValues says of every annotation what it must not be, and what the Event then says is right.
func wrongValues() map[string]struct{ value, right string } {
	return map[string]struct{ value, right string }{
		annotation.Internal:             {"yes", `"true" or "false" is right`},
		annotation.Algorithm:            {"random", `"round_robin" or "least_connections" is right`},
		annotation.ProxyProtocol:        {"v2", `"true" or "false" is right`},
		annotation.IdleTimeout:          {"1.5s", "a duration of whole seconds from 1s to 24h0m0s, such as 90s, is right"},
		annotation.IPMode:               {"vip", `"VIP" or "Proxy" is right`},
		annotation.Addresses:            {"127.77.0.9,", "addresses with commas between them, such as 127.77.0.9,fd77::9, are right"},
		annotation.FloatingIPs:          {"fip-1,,fip-2", "ids of floating IPs with commas between them, such as fip-3,fip-4, are right"},
		annotation.HealthCheckPath:      {"ready", "a path such as /ready is right"},
		annotation.HealthCheckPort:      {"http", "the number of a port, such as 8080, is right"},
		annotation.HealthCheckInterval:  {"6m", "a duration of whole seconds from 1s to 5m0s, such as 90s, is right"},
		annotation.HealthCheckTimeout:   {"0s", "a duration of whole seconds from 1s to 5m0s, such as 90s, is right"},
		annotation.HealthCheckThreshold: {"11", "a number from 1 to 10 is right"},
		annotation.LoadBalancerID:       {"lb-1,lb-2", "the id of one load balancer, such as lb-3, is right"},
		annotation.Share:                {"Edge", "a word of at most 63 small letters, digits and - between them is right"},
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
		w.wantEvent(`Warning InvalidLoadBalancer annotation ` + name + `: "` + wrong.value + `" is wrong: ` + wrong.right)
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
