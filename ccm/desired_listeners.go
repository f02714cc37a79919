package ccm

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// The health check says its times, which are the cloud's defaults, so that
// what is read back can be compared.
const (
	healthIntervalSeconds = 5
	healthTimeoutSeconds  = 3
	healthThreshold       = 3
	// kubeProxyHealthPath is answered by kube-proxy on the healthCheckNodePort.
	kubeProxyHealthPath = "/healthz"
)

// listeners returns a listener for each port of the Service, by port and protocol.
func listeners(svc *v1.Service, settings LoadBalancerDefaults) ([]simcloud.ListenerSpec, error) {
	allowed, err := allowedCIDRs(svc)
	if err != nil {
		return nil, err
	}
	specs := []simcloud.ListenerSpec{}
	for i, port := range svc.Spec.Ports {
		spec, err := listener(port)
		if err != nil {
			return nil, fmt.Errorf("spec.ports[%d]: %w", i, err)
		}
		spec.HealthCheck = healthCheck(svc, port)
		spec.AllowedCIDRs = allowed
		spec.ProxyProtocol = settings.ProxyProtocol && spec.Protocol == simcloud.ProtocolTCP
		spec.IdleTimeoutSeconds = seconds(settings.IdleTimeout)
		spec.Labels = partLabels(svc.UID)
		specs = append(specs, spec)
	}
	slices.SortFunc(specs, func(a, b simcloud.ListenerSpec) int {
		return cmp.Or(cmp.Compare(a.Port, b.Port), cmp.Compare(a.Protocol, b.Protocol))
	})
	return specs, nil
}

func listener(port v1.ServicePort) (spec simcloud.ListenerSpec, err error) {
	switch port.Protocol {
	case v1.ProtocolTCP, "":
		spec.Protocol = simcloud.ProtocolTCP
	case v1.ProtocolUDP:
		spec.Protocol = simcloud.ProtocolUDP
	default:
		return spec, fmt.Errorf("protocol %s: the cloud's load balancers speak TCP and UDP", port.Protocol)
	}
	if port.NodePort == 0 {
		return spec, fmt.Errorf("port %d has no node port: spec.allocateLoadBalancerNodePorts true is right, because the load balancer reaches the pods through it", port.Port)
	}
	spec.Port = int(port.Port)
	spec.TargetPort = int(port.NodePort)
	return spec, nil
}

// healthCheck asks kube-proxy whether the node has endpoints under
// externalTrafficPolicy Local; otherwise any node that listens will do. UDP
// cannot be asked, so there a TCP port of the same Service stands in, if any.
func healthCheck(svc *v1.Service, port v1.ServicePort) *simcloud.HealthCheck {
	check := &simcloud.HealthCheck{
		Protocol:        simcloud.HealthCheckTCP,
		Port:            int(port.NodePort),
		IntervalSeconds: healthIntervalSeconds,
		TimeoutSeconds:  healthTimeoutSeconds,
		Threshold:       healthThreshold,
	}
	switch {
	case svc.Spec.ExternalTrafficPolicy == v1.ServiceExternalTrafficPolicyLocal && svc.Spec.HealthCheckNodePort != 0:
		check.Protocol, check.Port, check.Path = simcloud.HealthCheckHTTP, int(svc.Spec.HealthCheckNodePort), kubeProxyHealthPath
	case port.Protocol == v1.ProtocolUDP:
		i := slices.IndexFunc(svc.Spec.Ports, func(p v1.ServicePort) bool { return p.Protocol == v1.ProtocolTCP || p.Protocol == "" })
		if i < 0 {
			return nil
		}
		check.Port = int(svc.Spec.Ports[i].NodePort)
	}
	return check
}

// allowedCIDRs are the sources that may connect: spec.loadBalancerSourceRanges,
// or else the annotation that Kubernetes has for it. None means all.
func allowedCIDRs(svc *v1.Service) ([]string, error) {
	from, ranges := "spec.loadBalancerSourceRanges", svc.Spec.LoadBalancerSourceRanges
	if len(ranges) == 0 {
		from = "annotation " + v1.AnnotationLoadBalancerSourceRangesKey
		if value := strings.TrimSpace(svc.Annotations[v1.AnnotationLoadBalancerSourceRangesKey]); value != "" {
			ranges = strings.Split(value, ",")
		}
	}
	var cidrs []string
	for _, r := range ranges {
		prefix, err := netip.ParsePrefix(strings.TrimSpace(r))
		if err != nil {
			return nil, fmt.Errorf("%s: %q is wrong: a CIDR such as 10.0.0.0/8 is right", from, r)
		}
		cidrs = append(cidrs, prefix.Masked().String())
	}
	slices.Sort(cidrs)
	return slices.Compact(cidrs), nil
}
