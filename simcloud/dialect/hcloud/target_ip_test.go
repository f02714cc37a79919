package hcloud_test

import (
	"net"
	"testing"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"

	"github.com/simcloud-dev/simcloud/simcloud"
)

func ipTarget(address string) hcloud.LoadBalancerAddIPTargetOpts {
	return hcloud.LoadBalancerAddIPTargetOpts{IP: net.ParseIP(address)}
}

// TestIPTargets: a dedicated server becomes a target by its address in the network, or by its public one.
func TestIPTargets(t *testing.T) {
	t.Parallel()
	w := open(t)
	lb := w.balancer("a")
	w.service(lb, 80, 30080)
	node := w.instance(simcloud.InstanceSpec{Name: "node-1"})
	_, _, err := w.hetz.LoadBalancer.AddIPTarget(t.Context(), lb, ipTarget("10.0.200.21"))
	refused(t, err, hcloud.ErrorCodeLoadBalancerNotAttachedToNetwork)
	w.does("attach_to_network")(w.hetz.LoadBalancer.AttachToNetwork(t.Context(), lb, hcloud.LoadBalancerAttachToNetworkOpts{Network: &hcloud.Network{ID: 1}}))
	w.does("add_target")(w.hetz.LoadBalancer.AddIPTarget(t.Context(), lb, ipTarget("10.0.200.21")))
	w.does("add_target")(w.hetz.LoadBalancer.AddIPTarget(t.Context(), lb, ipTarget("198.51.100.7")))
	w.does("add_target")(w.hetz.LoadBalancer.AddServerTarget(t.Context(), lb, serverTarget(1, true)))
	targets := w.balancerNow(lb.ID).Targets
	if len(targets) != 3 || targets[0].Type != hcloud.LoadBalancerTargetTypeIP || targets[0].IP.IP != "10.0.200.21" || targets[0].UsePrivateIP ||
		targets[1].IP.IP != "198.51.100.7" || targets[2].Server == nil || targets[2].IP != nil || targets[0].Server != nil {
		t.Fatalf("the targets are %+v", targets)
	}
	if h := targets[0].HealthStatus; len(h) != 1 || h[0].Status != hcloud.LoadBalancerTargetHealthStatusStatusHealthy {
		t.Errorf("its health is %+v", h)
	}
	_, _, err = w.hetz.LoadBalancer.AddIPTarget(t.Context(), lb, ipTarget("10.0.200.21"))
	refused(t, err, hcloud.ErrorCodeTargetAlreadyDefined)
	for _, address := range []string{"172.16.0.1", node.Addresses[0].Address, lb.PublicNet.IPv4.IP.String()} {
		_, _, err = w.hetz.LoadBalancer.AddIPTarget(t.Context(), lb, ipTarget(address))
		refused(t, err, hcloud.ErrorCode("ip_not_owned"))
	}
	w.does("remove_target")(w.hetz.LoadBalancer.RemoveIPTarget(t.Context(), lb, net.ParseIP("198.51.100.7")))
	_, _, err = w.hetz.LoadBalancer.RemoveIPTarget(t.Context(), lb, net.ParseIP("198.51.100.7"))
	refused(t, err, hcloud.ErrorCodeNotFound)
	w.does("detach_from_network")(w.hetz.LoadBalancer.DetachFromNetwork(t.Context(), lb, hcloud.LoadBalancerDetachFromNetworkOpts{Network: &hcloud.Network{ID: 1}}))
	if left := w.balancerNow(lb.ID).Targets; len(left) != 0 {
		t.Errorf("without the network it has the targets %+v", left)
	}
	for body, code := range map[string]string{
		`{"type":"ip"}`: "invalid_input", `{"type":"ip","ip":{"ip":"x"}}`: "invalid_input",
		`{"type":"ip","ip":{"ip":"198.51.100.8"},"use_private_ip":true}`: "invalid_input",
	} {
		w.refuses("POST", "load_balancers/1/actions/add_target", body, 422, code)
	}
}
