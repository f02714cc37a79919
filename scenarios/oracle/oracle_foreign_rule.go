package oracle

import (
	"encoding/json"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// servicePort is a port of a node or of a load balancer at which a Service is reached, or asked whether it works.
type servicePort struct {
	protocol simcloud.Protocol
	port     int
}

// kubeProxyHealth is where kube-proxy answers whether a node serves. Some CCMs let health checks ask there.
const kubeProxyHealth = 10256

// portsOf are the ports of a Service of type LoadBalancer; none for another Service.
func portsOf(service map[string]any) (ports []servicePort) {
	var spec struct {
		Type  string
		Ports []struct {
			Protocol       string
			Port, NodePort int
		}
		HealthCheckNodePort int
	}
	raw, err := json.Marshal(service["spec"])
	if err != nil || json.Unmarshal(raw, &spec) != nil || spec.Type != "LoadBalancer" {
		return nil
	}
	for _, p := range spec.Ports {
		protocol := simcloud.ProtocolTCP
		if p.Protocol == "UDP" {
			protocol = simcloud.ProtocolUDP
		}
		ports = append(ports, servicePort{protocol, p.Port}, servicePort{protocol, p.NodePort}, servicePort{simcloud.ProtocolTCP, p.NodePort})
	}
	return append(ports, servicePort{simcloud.ProtocolTCP, spec.HealthCheckNodePort}, servicePort{simcloud.ProtocolTCP, kubeProxyHealth})
}

// forService reports whether a rule is for a Service of type LoadBalancer that there was: it lets in what has a group that the
// CCM has made or that a Service names for its load balancer, or is for a port of the Service, or for the ICMP that comes
// with its connections.
func (o *foreignOracle) forService(rule map[string]any) bool {
	var spec simcloud.SecurityGroupRuleSpec
	raw, err := json.Marshal(rule)
	if err != nil || json.Unmarshal(raw, &spec) != nil || len(o.ports) == 0 {
		return false
	}
	switch {
	case spec.Group != "" && o.forBalancer(simcloud.Ref(simcloud.KindSecurityGroup, spec.Group)), spec.Protocol == simcloud.RuleICMP:
		return true
	case spec.Protocol == simcloud.RuleTCP, spec.Protocol == simcloud.RuleUDP:
		for p := range o.ports {
			if p.port != 0 && spec.Covers(p.protocol, p.port) {
				return true
			}
		}
	}
	return false
}

// forBalancer reports whether a security group is one that the CCM gives load balancers: it has made the group, or a Service names it.
func (o *foreignOracle) forBalancer(group string) bool {
	return o.made[group] || o.askedFor(group, o.resources[group])
}
