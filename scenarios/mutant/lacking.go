package mutant

import (
	"context"
	"fmt"
	"net/netip"
	"slices"

	corev1 "k8s.io/api/core/v1"
	cloudprovider "k8s.io/cloud-provider"

	"github.com/simcloud-dev/simcloud/ccm"
	"github.com/simcloud-dev/simcloud/ccm/annotation"
	"github.com/simcloud-dev/simcloud/ccm/config"
	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

// lackingPrefix begins the name of a provider that lacks a capability.
const lackingPrefix = "lacks-"

// Lacking returns providers each of which lacks one capability, and so does its cloud where the capability is the cloud's. They
// have no bug, and declare all else: each scenario must pass with them, or not apply.
func Lacking() []Mutant {
	all := []Mutant{
		{lacks: "nodes", parts: func(c *cloud) {
			c.instances, c.instancesV1 = part[cloudprovider.InstancesV2]{}, part[cloudprovider.Instances]{}
		}},
		{lacks: "loadBalancers", parts: func(c *cloud) { c.balancers = part[cloudprovider.LoadBalancer]{} }},
		{lacks: "routes", parts: func(c *cloud) { c.routes = part[cloudprovider.Routes]{} }},
		{lacks: "nodeLabels", config: func(c *config.Config) { c.NodeLabelPrefix = "" }},
		{lacks: "newNodeGrace", config: func(c *config.Config) { c.NodeGracePeriod = 0 }},
		{lacks: "addressRoutes", config: func(c *config.Config) { c.RouteNextHop = config.RouteToInstance }},
		{lacks: "cloudConfig", config: unconfigured},
		{lacks: "tokenRenewal", client: func(c *client.Config) { c.Transport = &firstToken{RoundTripper: carrier(c)} }},
		{lacks: "severalAddresses", instances: func(vms *instances) { vms.changeMetadata(firstAddresses) }},
		{lacks: "sameNames", rules: &simcloud.ConfigUpdate{UniqueNames: &[]simcloud.Kind{simcloud.KindInstance, simcloud.KindLoadBalancer}}},
		{lacks: "provisioningState", rules: &simcloud.ConfigUpdate{
			Progressions: &map[simcloud.Kind]simcloud.Progression{simcloud.KindLoadBalancer: {Mode: simcloud.ProgressionImmediate}},
		}},
		{
			// Each load balancer has an address of the network for as long as it exists.
			lacks: "floatingIPs", also: []string{"errorState", "ipv6", "dualStack", "requestedAddress", "adoptedLoadBalancers", "sharedLoadBalancers"}, config: func(c *config.Config) { c.LoadBalancer.Internal = true },
			api: func(c *client.Client) ccm.CloudAPI { return noFloatingIPs{c} },
		},
		{lacks: "udp", balancers: refusing(func(svc *corev1.Service) string {
			if slices.ContainsFunc(svc.Spec.Ports, func(p corev1.ServicePort) bool { return p.Protocol == corev1.ProtocolUDP }) {
				return "UDP ports"
			}
			return ""
		})},
		{lacks: "ipv6", balancers: refusing(func(svc *corev1.Service) string {
			if slices.Equal(svc.Spec.IPFamilies, []corev1.IPFamily{corev1.IPv6Protocol}) {
				return "IPv6"
			}
			return ""
		})},
		{
			lacks: "dualStack", instances: func(vms *instances) { vms.changeMetadata(onlyIPv4) },
			balancers: seeing(func(svc *corev1.Service) {
				svc.Spec.IPFamilies = svc.Spec.IPFamilies[:min(1, len(svc.Spec.IPFamilies))]
			}),
		},
		{lacks: "sourceRanges", balancers: seeing(func(svc *corev1.Service) {
			svc.Spec.LoadBalancerSourceRanges = nil
			delete(svc.Annotations, corev1.AnnotationLoadBalancerSourceRangesKey)
		})},
		{lacks: "sessionAffinity", balancers: seeing(func(svc *corev1.Service) { svc.Spec.SessionAffinity = corev1.ServiceAffinityNone })},
		{lacks: "trafficPolicyLocal", balancers: seeing(func(svc *corev1.Service) {
			svc.Spec.ExternalTrafficPolicy, svc.Spec.HealthCheckNodePort = corev1.ServiceExternalTrafficPolicyCluster, 0
		})},
		{lacks: "requestedAddress", balancers: seeing(func(svc *corev1.Service) { svc.Spec.LoadBalancerIP = "" })},
		{lacks: "sharedLoadBalancers", balancers: seeing(func(svc *corev1.Service) { delete(svc.Annotations, annotation.Share) })},
		{lacks: "adoptedLoadBalancers", balancers: seeing(func(svc *corev1.Service) { delete(svc.Annotations, annotation.LoadBalancerID) })},
		{lacks: "internalLoadBalancers", balancers: seeing(func(svc *corev1.Service) { delete(svc.Annotations, annotation.Internal) })},
	}
	for i := range all {
		all[i].Name, all[i].Title = lackingPrefix+all[i].lacks, "nothing: the provider lacks "+all[i].lacks
	}
	return all
}

// notLacked are the capabilities that no provider in simulated time can lack, and why.
var notLacked = map[string]string{
	"errorState":     "each load balancer of the cloud can be in a state of error, and a provider that does not look at it has a bug",
	"leaderElection": "it is the process of the CCM that elects, and in simulated time there is none",
	"tokenCheck":     "it is the process of the CCM that ends, and in simulated time there is none",
	"flags":          "it is the process of the CCM that takes flags, and in simulated time there is none",
	"metrics":        "it is the process of the CCM that serves them: no run in simulated time has them",
}

// capabilities are what the provider declares; nil means all.
func (m Mutant) capabilities() scenarios.CapabilitySet {
	if m.lacks == "" {
		return nil
	}
	all := scenarios.AllCapabilities()
	for _, name := range append([]string{m.lacks, "tokenCheck"}, m.also...) { // only a process checks its token
		delete(all, name)
	}
	return all
}

// unconfigured takes back all that a scenario can set.
func unconfigured(c *config.Config) {
	whole := *c
	*c = config.Default()
	c.Endpoint, c.TokenFile, c.CAFile, c.Project, c.Network, c.RouteTable = whole.Endpoint, whole.TokenFile, whole.CAFile, whole.Project, whole.Network, whole.RouteTable
}

// firstAddresses leaves the first address of each type.
func firstAddresses(found *cloudprovider.InstanceMetadata) {
	seen := map[corev1.NodeAddressType]bool{}
	found.NodeAddresses = slices.DeleteFunc(slices.Clone(found.NodeAddresses), func(a corev1.NodeAddress) bool {
		known := seen[a.Type]
		seen[a.Type] = true
		return known
	})
}

// onlyIPv4 leaves out addresses of IPv6.
func onlyIPv4(found *cloudprovider.InstanceMetadata) {
	found.NodeAddresses = slices.DeleteFunc(slices.Clone(found.NodeAddresses), func(a corev1.NodeAddress) bool {
		address, err := netip.ParseAddr(a.Address)
		return err == nil && address.Is6()
	})
}

// seeing lets the provider see each Service without what it cannot do.
func seeing(change func(*corev1.Service)) func(*balancers) {
	return func(b *balancers) {
		seen := func(svc *corev1.Service) *corev1.Service {
			other := svc.DeepCopy()
			change(other)
			return other
		}
		b.get = func(ctx context.Context, cluster string, svc *corev1.Service) (*corev1.LoadBalancerStatus, bool, error) {
			return b.right.GetLoadBalancer(ctx, cluster, seen(svc))
		}
		b.ensure = func(ctx context.Context, cluster string, svc *corev1.Service, nodes []*corev1.Node) (*corev1.LoadBalancerStatus, error) {
			return b.right.EnsureLoadBalancer(ctx, cluster, seen(svc), nodes)
		}
		b.update = func(ctx context.Context, cluster string, svc *corev1.Service, nodes []*corev1.Node) error {
			return b.right.UpdateLoadBalancer(ctx, cluster, seen(svc), nodes)
		}
		b.remove = func(ctx context.Context, cluster string, svc *corev1.Service) error {
			return b.right.EnsureLoadBalancerDeleted(ctx, cluster, seen(svc))
		}
	}
}

// refusing lets the provider report what it cannot do; "" for a Service that it can serve.
func refusing(cannot func(*corev1.Service) string) func(*balancers) {
	return func(b *balancers) {
		b.beforeEnsure(func(_ context.Context, _ string, svc *corev1.Service) error {
			if what := cannot(svc); what != "" {
				return fmt.Errorf("load balancers with %s are not supported", what)
			}
			return nil
		})
	}
}

// noFloatingIPs is a cloud without floating IPs: there are none, and none can be made.
type noFloatingIPs struct{ *client.Client }

func (noFloatingIPs) refused() error {
	return simcloud.Errorf(simcloud.Unimplemented, "floating_ip", "the cloud has no floating IPs")
}

// CreateFloatingIP refuses.
func (c noFloatingIPs) CreateFloatingIP(context.Context, simcloud.FloatingIPSpec, ...simcloud.CallOption) (made simcloud.Result[simcloud.FloatingIP], err error) {
	return made, c.refused()
}

// AttachFloatingIP refuses.
func (c noFloatingIPs) AttachFloatingIP(context.Context, simcloud.ID, simcloud.Attachment, ...simcloud.CallOption) (changed simcloud.Result[simcloud.FloatingIP], err error) {
	return changed, c.refused()
}

// DetachFloatingIP refuses.
func (c noFloatingIPs) DetachFloatingIP(context.Context, simcloud.ID, ...simcloud.CallOption) (changed simcloud.Result[simcloud.FloatingIP], err error) {
	return changed, c.refused()
}

// DeleteFloatingIP refuses.
func (c noFloatingIPs) DeleteFloatingIP(context.Context, simcloud.ID, ...simcloud.CallOption) (op simcloud.Operation, err error) {
	return op, c.refused()
}
