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
	"github.com/simcloud-dev/simcloud/ccm/label"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// lines says what is desired, one fact a line.
func lines(d desired) []string {
	all := []string{fmt.Sprintf("%s %s affinity=%+v ip=%s mode=%s", d.Scheme, d.Algorithm, d.Affinity, d.Addresses.Asked[ipv4], d.IPMode)}
	for _, l := range d.Listeners {
		all = append(all, Describe(simcloud.ListenerID(l.Protocol, l.Port), l.ListenerConfig))
	}
	for _, target := range d.Targets {
		all = append(all, "target "+string(target.Instance))
	}
	return all
}

func TestDesire(t *testing.T) {
	t.Parallel()
	const plain = "public round_robin affinity={ClientIP:false TimeoutSeconds:0} ip= mode=VIP"
	tenMinutes := int32(600)
	for _, c := range []struct {
		name    string
		svc     *v1.Service
		targets []simcloud.ID
		want    []string
	}{
		{"plain", ccmtest.Service(), []simcloud.ID{"i-2", "i-1", "i-2"}, []string{plain, "tcp-80 to 30080, check tcp 30080", "target i-1", "target i-2"}},
		{"tcp and udp, in a steady order", ccmtest.Service(ccmtest.Ports(ccmtest.Port("UDP", 53, 30053), ccmtest.Port("TCP", 443, 30443), ccmtest.Port("TCP", 53, 30054))), nil,
			[]string{plain, "tcp-53 to 30054, check tcp 30054", "udp-53 to 30053, check tcp 30443", "tcp-443 to 30443, check tcp 30443"}},
		{"udp alone has no health check", ccmtest.Service(ccmtest.Ports(ccmtest.Port("UDP", 53, 30053))), nil, []string{plain, "udp-53 to 30053"}},
		{"local asks kube-proxy", ccmtest.Service(ccmtest.Local, ccmtest.Ports(ccmtest.Port("TCP", 80, 30080), ccmtest.Port("UDP", 53, 30053))), nil,
			[]string{plain, "udp-53 to 30053, check http 31000/healthz", "tcp-80 to 30080, check http 31000/healthz"}},
		{"internal", ccmtest.Service(ccmtest.Annotate(annotation.Internal, "true")), nil,
			[]string{strings.Replace(plain, "public", "internal", 1), "tcp-80 to 30080, check tcp 30080"}},
		{"address", ccmtest.Service(func(s *v1.Service) { s.Spec.LoadBalancerIP = "127.77.0.9" }), nil,
			[]string{strings.Replace(plain, "ip=", "ip=127.77.0.9", 1), "tcp-80 to 30080, check tcp 30080"}},
		{"affinity", ccmtest.Service(func(s *v1.Service) {
			s.Spec.SessionAffinity = v1.ServiceAffinityClientIP
			s.Spec.SessionAffinityConfig = &v1.SessionAffinityConfig{ClientIP: &v1.ClientIPConfig{TimeoutSeconds: &tenMinutes}}
		}), nil, []string{"public round_robin affinity={ClientIP:true TimeoutSeconds:600} ip= mode=VIP", "tcp-80 to 30080, check tcp 30080"}},
		{"affinity by default", ccmtest.Service(func(s *v1.Service) { s.Spec.SessionAffinity = v1.ServiceAffinityClientIP }), nil,
			[]string{"public round_robin affinity={ClientIP:true TimeoutSeconds:10800} ip= mode=VIP", "tcp-80 to 30080, check tcp 30080"}},
		{"source ranges", ccmtest.Service(func(s *v1.Service) {
			s.Spec.LoadBalancerSourceRanges = []string{"192.168.1.7/16", " 10.0.0.0/8", "10.0.0.0/8"}
		}), nil, []string{plain, "tcp-80 to 30080, check tcp 30080, from [10.0.0.0/8 192.168.0.0/16]"}},
		{"source ranges by annotation", ccmtest.Service(ccmtest.Annotate(v1.AnnotationLoadBalancerSourceRangesKey, "10.0.0.0/8, 172.16.0.0/12")), nil,
			[]string{plain, "tcp-80 to 30080, check tcp 30080, from [10.0.0.0/8 172.16.0.0/12]"}},
		{"annotations", ccmtest.Service(ccmtest.Annotate(annotation.Algorithm, "least_connections"), ccmtest.Annotate(annotation.IdleTimeout, "90s"),
			ccmtest.Annotate(annotation.ProxyProtocol, "true"), ccmtest.Ports(ccmtest.Port("TCP", 80, 30080), ccmtest.Port("UDP", 53, 30053))), nil,
			[]string{"public least_connections affinity={ClientIP:false TimeoutSeconds:0} ip= mode=Proxy",
				"udp-53 to 30053, check tcp 30080, idle 90s", "tcp-80 to 30080, check tcp 30080, proxy protocol, idle 90s"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			before := c.svc.DeepCopy()
			got, err := desire(ccmtest.Cluster, c.svc, c.targets, config.Default())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, lines(got)); diff != "" {
				t.Errorf("desired (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(before, c.svc); diff != "" {
				t.Errorf("the Service was changed:\n%s", diff)
			}
			if err := specOf(got).Validate(); err != nil {
				t.Errorf("the cloud would refuse it: %v", err)
			}
			for _, l := range got.Listeners {
				if !label.OwnedBy("uid-1", l.Labels) {
					t.Errorf("listener %s-%d is not labelled as ours", l.Protocol, l.Port)
				}
			}
		})
	}
}

func TestDesireRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		svc  *v1.Service
		want string
	}{
		{"internal", ccmtest.Service(ccmtest.Annotate(annotation.Internal, "yes")),
			`annotation service.simcloud.dev/internal: invalid value "yes": must be "true" or "false"`},
		{"algorithm", ccmtest.Service(ccmtest.Annotate(annotation.Algorithm, "random")),
			`annotation service.simcloud.dev/algorithm: invalid value "random": must be "round_robin" or "least_connections"`},
		{"proxy protocol", ccmtest.Service(ccmtest.Annotate(annotation.ProxyProtocol, "v2")),
			`annotation service.simcloud.dev/proxy-protocol: invalid value "v2": must be "true" or "false"`},
		{"idle timeout", ccmtest.Service(ccmtest.Annotate(annotation.IdleTimeout, "90")),
			`annotation service.simcloud.dev/idle-timeout: invalid value "90": must be a duration of whole seconds`},
		{"idle timeout too long", ccmtest.Service(ccmtest.Annotate(annotation.IdleTimeout, "25h")),
			`annotation service.simcloud.dev/idle-timeout: invalid value "25h"`},
		{"misspelt", ccmtest.Service(ccmtest.Annotate(annotation.Prefix+"intenal", "true")),
			`annotation service.simcloud.dev/intenal: invalid value "true": unknown annotation; known annotations: service.simcloud.dev/addresses, service.simcloud.dev/algorithm,`},
		{"sctp", ccmtest.Service(ccmtest.Ports(ccmtest.Port("SCTP", 80, 30080))), "spec.ports[0]: protocol SCTP: the cloud's load balancers speak TCP and UDP"},
		{"no node port", ccmtest.Service(ccmtest.Ports(ccmtest.Port("TCP", 80, 30080), ccmtest.Port("TCP", 81, 0))), "spec.ports[1]: port 81 has no node port"},
		{"source range", ccmtest.Service(func(s *v1.Service) { s.Spec.LoadBalancerSourceRanges = []string{"10.0.0.1"} }),
			`spec.loadBalancerSourceRanges: invalid value "10.0.0.1": must be a CIDR`},
		{"source range by annotation", ccmtest.Service(ccmtest.Annotate(v1.AnnotationLoadBalancerSourceRangesKey, "x")),
			`annotation service.beta.kubernetes.io/load-balancer-source-ranges: invalid value "x": must be a CIDR`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if _, err := desire(ccmtest.Cluster, c.svc, nil, config.Default()); err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("got  %v\nwant %s...", err, c.want)
			}
		})
	}
}

func TestAnnotationsOverrideTheConfig(t *testing.T) {
	t.Parallel()
	cfg := config.Default()
	cfg.LoadBalancer.Internal, cfg.LoadBalancer.Algorithm = true, simcloud.LeastConnections
	got, err := desire(ccmtest.Cluster, ccmtest.Service(ccmtest.Annotate(annotation.Internal, "false")), nil, cfg)
	if err != nil || got.Scheme != simcloud.SchemePublic || got.Algorithm != simcloud.LeastConnections {
		t.Errorf("got %s, %s, %v; want public, least_connections", got.Scheme, got.Algorithm, err)
	}
}
