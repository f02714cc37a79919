package lb

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"

	"github.com/simcloud-dev/simcloud/ccm/annotation"
	"github.com/simcloud-dev/simcloud/ccm/label"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// listeners returns a listener for each port of the Service, by port and protocol.
func listeners(svc *v1.Service, annotations annotation.Settings) ([]simcloud.ListenerSpec, error) {
	allowed, err := allowedCIDRs(svc)
	if err != nil {
		return nil, err
	}
	check, err := healthChecks(svc, annotations.Health)
	if err != nil {
		return nil, err
	}
	specs := []simcloud.ListenerSpec{}
	for i, port := range svc.Spec.Ports {
		spec, err := listener(port)
		if err != nil {
			return nil, fmt.Errorf("spec.ports[%d]: %w", i, err)
		}
		spec.HealthCheck = check.of(port)
		spec.AllowedCIDRs = allowed
		spec.ProxyProtocol = annotations.ProxyProtocol && spec.Protocol == simcloud.ProtocolTCP
		spec.IdleTimeoutSeconds = seconds(annotations.IdleTimeout)
		spec.Labels = label.OfPart(svc.UID)
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
		return spec, fmt.Errorf("port %d has no node port, through which the load balancer reaches the pods: set spec.allocateLoadBalancerNodePorts to true", port.Port)
	}
	spec.Port = int(port.Port)
	spec.TargetPort = int(port.NodePort)
	return spec, nil
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
			return nil, fmt.Errorf("%s: invalid value %q: must be a CIDR such as 10.0.0.0/8", from, r)
		}
		cidrs = append(cidrs, prefix.Masked().String())
	}
	slices.Sort(cidrs)
	return slices.Compact(cidrs), nil
}
