package ccm

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// wrongValues says of every annotation what it must not be, and what the Event then says is right.
func wrongValues() map[string]struct{ value, right string } {
	return map[string]struct{ value, right string }{
		AnnotationInternal:             {"yes", `"true" or "false" is right`},
		AnnotationAlgorithm:            {"random", `"round_robin" or "least_connections" is right`},
		AnnotationProxyProtocol:        {"v2", `"true" or "false" is right`},
		AnnotationIdleTimeout:          {"1.5s", "a duration of whole seconds from 1s to 24h0m0s, such as 90s, is right"},
		AnnotationIPMode:               {"vip", `"VIP" or "Proxy" is right`},
		AnnotationAddresses:            {"127.77.0.9,", "addresses with commas between them, such as 127.77.0.9,fd77::9, are right"},
		AnnotationFloatingIPs:          {"fip-1,,fip-2", "ids of floating IPs with commas between them, such as fip-3,fip-4, are right"},
		AnnotationHealthCheckPath:      {"ready", "a path such as /ready is right"},
		AnnotationHealthCheckPort:      {"http", "the number of a port, such as 8080, is right"},
		AnnotationHealthCheckInterval:  {"6m", "a duration of whole seconds from 1s to 5m0s, such as 90s, is right"},
		AnnotationHealthCheckTimeout:   {"0s", "a duration of whole seconds from 1s to 5m0s, such as 90s, is right"},
		AnnotationHealthCheckThreshold: {"11", "a number from 1 to 10 is right"},
		AnnotationLoadBalancerID:       {"lb-1,lb-2", "the id of one load balancer, such as lb-3, is right"},
		AnnotationShare:                {"Edge", "a word of at most 63 small letters, digits and - between them is right"},
	}
}

// TestEveryAnnotationIsValidated: a wrong value changes nothing, and the Event
// names the annotation, its value and what would be right. So does an empty one.
func TestEveryAnnotationIsValidated(t *testing.T) {
	t.Parallel()
	values := wrongValues()
	for _, name := range sortedKeys((&settings{}).parsers()) {
		wrong, tested := values[name]
		if !tested {
			t.Errorf("%s is not tested", name)
			continue
		}
		w := newWorld(t, 1)
		if _, err := w.ensure(service(annotation(name, wrong.value))); err == nil {
			t.Errorf("%s: %q is no error", name, wrong.value)
		}
		w.wantEvent(`Warning InvalidLoadBalancer annotation ` + name + `: "` + wrong.value + `" is wrong: ` + wrong.right)
		if wrote := writes(w.took()); len(wrote) > 0 {
			t.Errorf("%s: writes: %v", name, wrote)
		}
		if _, err := annotated(service(annotation(name, "")), LoadBalancerDefaults{}); err == nil {
			t.Errorf("%s: an empty value is no error", name)
		}
	}
}

// What is right by itself can still be wrong for the Service.
func TestAnnotationsThatDoNotFitTheService(t *testing.T) {
	t.Parallel()
	at := func(address string) func(*v1.Service) {
		return func(svc *v1.Service) { svc.Spec.LoadBalancerIP = address }
	}
	for _, c := range []struct {
		name string
		svc  *v1.Service
		want string
	}{
		{"two of a family", service(annotation(AnnotationAddresses, "127.77.0.9,127.77.0.8")),
			"annotation service.simcloud.dev/addresses: 127.77.0.9 and 127.77.0.8 are both IPv4: one address of each family is right"},
		{"and the field", service(at("127.77.0.9"), annotation(AnnotationAddresses, "127.77.0.8")),
			"annotation service.simcloud.dev/addresses: 127.77.0.9 and 127.77.0.8 are both IPv4"},
		{"a family that the Service does not have", service(annotation(AnnotationAddresses, "fd77::9")),
			"annotation service.simcloud.dev/addresses: fd77::9 is IPv6, and spec.ipFamilies has IPv4 alone"},
		{"such a field", service(at("127.77.0.9"), families(v1.IPv6Protocol)),
			"spec.loadBalancerIP: 127.77.0.9 is IPv4, and spec.ipFamilies has IPv6 alone"},
		{"a floating IP of an internal one", service(annotation(AnnotationInternal, "true"), annotation(AnnotationFloatingIPs, "fip-1")),
			"annotation service.simcloud.dev/floating-ips: an internal load balancer takes no floating IP"},
		{"timeout", service(annotation(AnnotationHealthCheckTimeout, "6s")),
			"annotation service.simcloud.dev/health-check-timeout: 6s is longer than the interval, which is 5s"},
		{"port", service(annotation(AnnotationHealthCheckPort, "81")),
			"annotation service.simcloud.dev/health-check-port: 81 is no TCP port of the Service"},
		{"port of udp", service(ports(port("UDP", 53, 30053)), annotation(AnnotationHealthCheckPort, "53")),
			"annotation service.simcloud.dev/health-check-port: 53 is no TCP port of the Service"},
		{"path with local", service(local, annotation(AnnotationHealthCheckPath, "/ready")),
			"annotations service.simcloud.dev/health-check-path and service.simcloud.dev/health-check-port: with externalTrafficPolicy Local kube-proxy is asked"},
		{"port with local", service(local, annotation(AnnotationHealthCheckPort, "80")),
			"annotations service.simcloud.dev/health-check-path and service.simcloud.dev/health-check-port: with externalTrafficPolicy Local kube-proxy is asked"},
	} {
		if _, err := desire(testCluster, c.svc, nil, defaultConfig()); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s:\ngot  %v\nwant %s...", c.name, err, c.want)
		}
	}
}

func TestHealthCheckAnnotations(t *testing.T) {
	t.Parallel()
	three := ports(port("TCP", 80, 30080), port("TCP", 8080, 30088), port("UDP", 53, 30053))
	for _, c := range []struct {
		name string
		svc  *v1.Service
		want []string
	}{
		{"path", service(three, annotation(AnnotationHealthCheckPath, "/ready")),
			[]string{"30080/ready 5s 3s 3", "30080/ready 5s 3s 3", "30088/ready 5s 3s 3"}},
		{"port", service(three, annotation(AnnotationHealthCheckPort, "8080")),
			[]string{"30088 5s 3s 3", "30088 5s 3s 3", "30088 5s 3s 3"}},
		{"times", service(annotation(AnnotationHealthCheckInterval, "30s"), annotation(AnnotationHealthCheckTimeout, "10s"), annotation(AnnotationHealthCheckThreshold, "5")),
			[]string{"30080 30s 10s 5"}},
		{"a short interval shortens the time-out", service(annotation(AnnotationHealthCheckInterval, "2s")), []string{"30080 2s 2s 3"}},
		{"times with local", service(local, annotation(AnnotationHealthCheckInterval, "10s")), []string{"31000/healthz 10s 3s 3"}},
		{"local without a port for it, as a cluster without kube-proxy has it", service(func(svc *v1.Service) {
			svc.Spec.ExternalTrafficPolicy = v1.ServiceExternalTrafficPolicyLocal
		}), []string{"30080 5s 3s 3"}},
	} {
		got, err := desire(testCluster, c.svc, nil, defaultConfig())
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		all := []string{}
		for _, l := range got.Listeners {
			all = append(all, checkLine(l.HealthCheck))
		}
		if diff := cmp.Diff(c.want, all); diff != "" {
			t.Errorf("%s: checks (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestIPMode(t *testing.T) {
	t.Parallel()
	for want, svc := range map[v1.LoadBalancerIPMode][]*v1.Service{
		v1.LoadBalancerIPModeVIP: {
			service(), service(annotation(AnnotationIPMode, "VIP"), annotation(AnnotationProxyProtocol, "true")),
		},
		v1.LoadBalancerIPModeProxy: {
			service(annotation(AnnotationIPMode, "Proxy")), service(annotation(AnnotationProxyProtocol, "true")),
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

func checkLine(c *simcloud.HealthCheck) string {
	return fmt.Sprintf("%d%s %ds %ds %d", c.Port, c.Path, c.IntervalSeconds, c.TimeoutSeconds, c.Threshold)
}
