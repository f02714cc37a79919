package ccm

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"

	"github.com/simcloud-dev/simcloud/simcloud"
)

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
		{"two of a family", service(annotate(AnnotationAddresses, "127.77.0.9,127.77.0.8")),
			"annotation service.simcloud.dev/addresses: 127.77.0.9 and 127.77.0.8 are both IPv4: one address of each family is right"},
		{"and the field", service(at("127.77.0.9"), annotate(AnnotationAddresses, "127.77.0.8")),
			"annotation service.simcloud.dev/addresses: 127.77.0.9 and 127.77.0.8 are both IPv4"},
		{"a family that the Service does not have", service(annotate(AnnotationAddresses, "fd77::9")),
			"annotation service.simcloud.dev/addresses: fd77::9 is IPv6, and spec.ipFamilies has IPv4 alone"},
		{"such a field", service(at("127.77.0.9"), families(v1.IPv6Protocol)),
			"spec.loadBalancerIP: 127.77.0.9 is IPv4, and spec.ipFamilies has IPv6 alone"},
		{"a floating IP of an internal one", service(annotate(AnnotationInternal, "true"), annotate(AnnotationFloatingIPs, "fip-1")),
			"annotation service.simcloud.dev/floating-ips: an internal load balancer takes no floating IP"},
		{"timeout", service(annotate(AnnotationHealthCheckTimeout, "6s")),
			"annotation service.simcloud.dev/health-check-timeout: 6s is longer than the interval, which is 5s"},
		{"port", service(annotate(AnnotationHealthCheckPort, "81")),
			"annotation service.simcloud.dev/health-check-port: 81 is no TCP port of the Service"},
		{"port of udp", service(ports(port("UDP", 53, 30053)), annotate(AnnotationHealthCheckPort, "53")),
			"annotation service.simcloud.dev/health-check-port: 53 is no TCP port of the Service"},
		{"path with local", service(local, annotate(AnnotationHealthCheckPath, "/ready")),
			"annotations service.simcloud.dev/health-check-path and service.simcloud.dev/health-check-port: with externalTrafficPolicy Local kube-proxy is asked"},
		{"port with local", service(local, annotate(AnnotationHealthCheckPort, "80")),
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
		{"path", service(three, annotate(AnnotationHealthCheckPath, "/ready")),
			[]string{"30080/ready 5s 3s 3", "30080/ready 5s 3s 3", "30088/ready 5s 3s 3"}},
		{"port", service(three, annotate(AnnotationHealthCheckPort, "8080")),
			[]string{"30088 5s 3s 3", "30088 5s 3s 3", "30088 5s 3s 3"}},
		{"times", service(annotate(AnnotationHealthCheckInterval, "30s"), annotate(AnnotationHealthCheckTimeout, "10s"), annotate(AnnotationHealthCheckThreshold, "5")),
			[]string{"30080 30s 10s 5"}},
		{"a short interval shortens the time-out", service(annotate(AnnotationHealthCheckInterval, "2s")), []string{"30080 2s 2s 3"}},
		{"times with local", service(local, annotate(AnnotationHealthCheckInterval, "10s")), []string{"31000/healthz 10s 3s 3"}},
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

func checkLine(c *simcloud.HealthCheck) string {
	return fmt.Sprintf("%d%s %ds %ds %d", c.Port, c.Path, c.IntervalSeconds, c.TimeoutSeconds, c.Threshold)
}
