package lb

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"

	"github.com/simcloud-dev/simcloud/ccm/annotation"
	"github.com/simcloud-dev/simcloud/ccm/config"
	"github.com/simcloud-dev/simcloud/ccm/internal/ccmtest"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// A value that is valid by itself can still be invalid for the Service.
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
		{"two of a family", ccmtest.Service(ccmtest.Annotate(annotation.Addresses, "127.77.0.9,127.77.0.8")),
			"annotation service.simcloud.dev/addresses: 127.77.0.9 and 127.77.0.8 are both IPv4: at most one address of each family is allowed"},
		{"and the field", ccmtest.Service(at("127.77.0.9"), ccmtest.Annotate(annotation.Addresses, "127.77.0.8")),
			"annotation service.simcloud.dev/addresses: 127.77.0.9 and 127.77.0.8 are both IPv4"},
		{"a family that the Service does not have", ccmtest.Service(ccmtest.Annotate(annotation.Addresses, "fd77::9")),
			"annotation service.simcloud.dev/addresses: fd77::9 is IPv6, and spec.ipFamilies has IPv4 alone"},
		{"such a field", ccmtest.Service(at("127.77.0.9"), ccmtest.Families(v1.IPv6Protocol)),
			"spec.loadBalancerIP: 127.77.0.9 is IPv4, and spec.ipFamilies has IPv6 alone"},
		{"a floating IP of an internal one", ccmtest.Service(ccmtest.Annotate(annotation.Internal, "true"), ccmtest.Annotate(annotation.FloatingIPs, "fip-1")),
			"annotation service.simcloud.dev/floating-ips: an internal load balancer takes no floating IP"},
		{"timeout", ccmtest.Service(ccmtest.Annotate(annotation.HealthCheckTimeout, "6s")),
			"annotation service.simcloud.dev/health-check-timeout: 6s is longer than the interval, which is 5s"},
		{"port", ccmtest.Service(ccmtest.Annotate(annotation.HealthCheckPort, "81")),
			"annotation service.simcloud.dev/health-check-port: 81 is not a TCP port of the Service"},
		{"port of udp", ccmtest.Service(ccmtest.Ports(ccmtest.Port("UDP", 53, 30053)), ccmtest.Annotate(annotation.HealthCheckPort, "53")),
			"annotation service.simcloud.dev/health-check-port: 53 is not a TCP port of the Service"},
		{"path with local", ccmtest.Service(ccmtest.Local, ccmtest.Annotate(annotation.HealthCheckPath, "/ready")),
			"annotations service.simcloud.dev/health-check-path and service.simcloud.dev/health-check-port: with externalTrafficPolicy Local kube-proxy is asked"},
		{"port with local", ccmtest.Service(ccmtest.Local, ccmtest.Annotate(annotation.HealthCheckPort, "80")),
			"annotations service.simcloud.dev/health-check-path and service.simcloud.dev/health-check-port: with externalTrafficPolicy Local kube-proxy is asked"},
	} {
		if _, err := desire(ccmtest.Cluster, c.svc, nil, config.Default()); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s:\ngot  %v\nwant %s...", c.name, err, c.want)
		}
	}
}

func TestHealthCheckAnnotations(t *testing.T) {
	t.Parallel()
	three := ccmtest.Ports(ccmtest.Port("TCP", 80, 30080), ccmtest.Port("TCP", 8080, 30088), ccmtest.Port("UDP", 53, 30053))
	for _, c := range []struct {
		name string
		svc  *v1.Service
		want []string
	}{
		{"path", ccmtest.Service(three, ccmtest.Annotate(annotation.HealthCheckPath, "/ready")),
			[]string{"30080/ready 5s 3s 3", "30080/ready 5s 3s 3", "30088/ready 5s 3s 3"}},
		{"port", ccmtest.Service(three, ccmtest.Annotate(annotation.HealthCheckPort, "8080")),
			[]string{"30088 5s 3s 3", "30088 5s 3s 3", "30088 5s 3s 3"}},
		{"times", ccmtest.Service(ccmtest.Annotate(annotation.HealthCheckInterval, "30s"), ccmtest.Annotate(annotation.HealthCheckTimeout, "10s"), ccmtest.Annotate(annotation.HealthCheckThreshold, "5")),
			[]string{"30080 30s 10s 5"}},
		{"a short interval shortens the time-out", ccmtest.Service(ccmtest.Annotate(annotation.HealthCheckInterval, "2s")), []string{"30080 2s 2s 3"}},
		{"times with local", ccmtest.Service(ccmtest.Local, ccmtest.Annotate(annotation.HealthCheckInterval, "10s")), []string{"31000/healthz 10s 3s 3"}},
		{"local without a port for it, as a cluster without kube-proxy has it", ccmtest.Service(func(svc *v1.Service) {
			svc.Spec.ExternalTrafficPolicy = v1.ServiceExternalTrafficPolicyLocal
		}), []string{"30080 5s 3s 3"}},
	} {
		got, err := desire(ccmtest.Cluster, c.svc, nil, config.Default())
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
