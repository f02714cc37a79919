package hcloud_test

import (
	"net"
	"testing"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// TestAttachment: a load balancer is in one network at most, with an address of its own choice.
func TestAttachment(t *testing.T) {
	t.Parallel()
	w := open(t)
	must[simcloud.Result[simcloud.Subnet]](t)(w.native.CreateSubnet(t.Context(), simcloud.SubnetSpec{Name: "a", Network: "net-1", CIDR: "10.0.77.0/24"}))
	must[simcloud.Result[simcloud.Subnet]](t)(w.native.CreateSubnet(t.Context(), simcloud.SubnetSpec{Name: "b", Network: "net-1", CIDR: "10.0.78.0/24"}))
	lb, n := w.balancer("a"), &hcloud.Network{ID: 1}
	attach := func(opts hcloud.LoadBalancerAttachToNetworkOpts) (*hcloud.Action, *hcloud.Response, error) {
		opts.Network = n
		return w.hetz.LoadBalancer.AttachToNetwork(t.Context(), lb, opts)
	}
	for _, test := range []struct {
		opts hcloud.LoadBalancerAttachToNetworkOpts
		in   string
	}{
		{hcloud.LoadBalancerAttachToNetworkOpts{}, "10.0.77.0/24"},
		{hcloud.LoadBalancerAttachToNetworkOpts{IPRange: cidr(t, "10.0.78.0/24")}, "10.0.78.0/24"},
		{hcloud.LoadBalancerAttachToNetworkOpts{IP: net.ParseIP("10.0.78.99")}, "10.0.78.99/32"},
		{hcloud.LoadBalancerAttachToNetworkOpts{IP: net.ParseIP("10.0.77.7"), IPRange: cidr(t, "10.0.77.0/24")}, "10.0.77.7/32"},
	} {
		w.does("attach_to_network")(attach(test.opts))
		now := w.balancerNow(lb.ID)
		if len(now.PrivateNet) != 1 || now.PrivateNet[0].Network.ID != 1 || !cidr(t, test.in).Contains(now.PrivateNet[0].IP) || !now.PublicNet.Enabled {
			t.Errorf("%+v: attached as %+v", test.opts, now.PrivateNet)
		}
		if in := got[*hcloud.Network](t)(w.hetz.Network.GetByID(t.Context(), 1)); len(in.LoadBalancers) != 1 || in.LoadBalancers[0].ID != lb.ID {
			t.Errorf("the network has %+v", in.LoadBalancers)
		}
		_, _, err := attach(hcloud.LoadBalancerAttachToNetworkOpts{})
		refused(t, err, hcloud.ErrorCodeLoadBalancerAlreadyAttached)
		w.refuses("POST", "load_balancers/1/actions/detach_from_network", `{"network":1,"ip":"10.0.0.9"}`, 422, "invalid_input")
		w.does("detach_from_network")(w.hetz.LoadBalancer.DetachFromNetwork(t.Context(), lb, hcloud.LoadBalancerDetachFromNetworkOpts{Network: n}))
	}
	_, _, err := w.hetz.LoadBalancer.DetachFromNetwork(t.Context(), lb, hcloud.LoadBalancerDetachFromNetworkOpts{Network: n})
	refused(t, err, hcloud.ErrorCodeLoadBalancerNotAttachedToNetwork)
	_, _, err = attach(hcloud.LoadBalancerAttachToNetworkOpts{IP: net.ParseIP("10.1.0.1")})
	refused(t, err, hcloud.ErrorCodeIPNotAvailable)
	_, _, err = attach(hcloud.LoadBalancerAttachToNetworkOpts{IPRange: cidr(t, "10.0.79.0/24")})
	refused(t, err, hcloud.ErrorCodeInvalidInput)
	other := w.balancer("b")
	w.does("attach_to_network")(w.hetz.LoadBalancer.AttachToNetwork(t.Context(), other, hcloud.LoadBalancerAttachToNetworkOpts{Network: n, IP: net.ParseIP("10.0.77.7")}))
	_, _, err = attach(hcloud.LoadBalancerAttachToNetworkOpts{IP: net.ParseIP("10.0.77.7")})
	refused(t, err, hcloud.ErrorCodeIPNotAvailable)
	w.refuses("POST", "load_balancers/1/actions/attach_to_network", `{}`, 422, "invalid_input")
	w.refuses("POST", "load_balancers/1/actions/attach_to_network", `{"network":9}`, 422, "invalid_input")
}

func TestAttachedFromTheBeginning(t *testing.T) {
	t.Parallel()
	w := open(t)
	made := got[hcloud.LoadBalancerCreateResult](t)(w.hetz.LoadBalancer.Create(t.Context(), hcloud.LoadBalancerCreateOpts{
		Name: "a", LoadBalancerType: &hcloud.LoadBalancerType{Name: "lb11"}, Location: &hcloud.Location{Name: "zone-a"}, Network: &hcloud.Network{ID: 1},
	}))
	if nets := made.LoadBalancer.PrivateNet; len(nets) != 1 || !cidr(t, "10.0.0.0/16").Contains(nets[0].IP) {
		t.Errorf("it is attached to %+v", nets)
	}
}

// TestPrivateTargets: a target by its private address needs both in one network, and goes with the attachment.
func TestPrivateTargets(t *testing.T) {
	t.Parallel()
	w := open(t)
	lb, n := w.balancer("a"), &hcloud.Network{ID: 1}
	other := must[simcloud.Result[simcloud.Network]](t)(w.native.CreateNetwork(t.Context(), simcloud.NetworkSpec{Name: "b", CIDRs: []string{"10.32.0.0/16"}})).Resource
	w.instance(simcloud.InstanceSpec{Name: "node-1"})
	w.instance(simcloud.InstanceSpec{Name: "node-2", Network: other.ID})
	_, _, err := w.hetz.LoadBalancer.DisablePublicInterface(t.Context(), lb)
	refused(t, err, hcloud.ErrorCodeLoadBalancerNotAttachedToNetwork)
	_, _, err = w.hetz.LoadBalancer.AddServerTarget(t.Context(), lb, serverTarget(1, true))
	refused(t, err, hcloud.ErrorCodeLoadBalancerNotAttachedToNetwork)
	w.does("attach_to_network")(w.hetz.LoadBalancer.AttachToNetwork(t.Context(), lb, hcloud.LoadBalancerAttachToNetworkOpts{Network: n}))
	_, _, err = w.hetz.LoadBalancer.AddServerTarget(t.Context(), lb, serverTarget(2, true))
	refused(t, err, hcloud.ErrorCodeServerNotAttachedToNetwork)
	w.does("add_target")(w.hetz.LoadBalancer.AddServerTarget(t.Context(), lb, serverTarget(1, true)))
	w.does("add_target")(w.hetz.LoadBalancer.AddServerTarget(t.Context(), lb, serverTarget(2, false)))
	if targets := w.balancerNow(lb.ID).Targets; len(targets) != 2 || !targets[0].UsePrivateIP || targets[1].UsePrivateIP {
		t.Errorf("the targets are %+v", targets)
	}
	_, _, err = w.hetz.LoadBalancer.DisablePublicInterface(t.Context(), lb)
	refused(t, err, hcloud.ErrorCodeTargetsWithoutUsePrivateIP)
	w.does("remove_target")(w.hetz.LoadBalancer.RemoveServerTarget(t.Context(), lb, &hcloud.Server{ID: 2}))
	w.does("disable_public_interface")(w.hetz.LoadBalancer.DisablePublicInterface(t.Context(), lb))
	if now := w.balancerNow(lb.ID); now.PublicNet.Enabled || len(now.PrivateNet) != 1 {
		t.Errorf("it is %+v", now)
	}
	_, _, err = w.hetz.LoadBalancer.AddServerTarget(t.Context(), lb, serverTarget(2, false))
	refused(t, err, "load_balancer_public_interface_disabled")
	w.does("enable_public_interface")(w.hetz.LoadBalancer.EnablePublicInterface(t.Context(), lb))
	if now := w.balancerNow(lb.ID); !now.PublicNet.Enabled || !now.PublicNet.IPv4.IP.Equal(lb.PublicNet.IPv4.IP) {
		t.Errorf("enabled again it is %+v", now.PublicNet)
	}
	w.does("detach_from_network")(w.hetz.LoadBalancer.DetachFromNetwork(t.Context(), lb, hcloud.LoadBalancerDetachFromNetworkOpts{Network: n}))
	if now := w.balancerNow(lb.ID); len(now.Targets) != 0 || len(now.PrivateNet) != 0 {
		t.Errorf("detached it is %+v", now)
	}
}

// TestPrivateFromTheBeginning: a load balancer can be made without public interface, in a network, with private targets.
func TestPrivateFromTheBeginning(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.instance(simcloud.InstanceSpec{Name: "node-1"})
	made := got[hcloud.LoadBalancerCreateResult](t)(w.hetz.LoadBalancer.Create(t.Context(), hcloud.LoadBalancerCreateOpts{
		Name: "a", LoadBalancerType: &hcloud.LoadBalancerType{Name: "lb11"}, Location: &hcloud.Location{Name: "zone-a"},
		Network: &hcloud.Network{ID: 1}, PublicInterface: hcloud.Ptr(false),
		Targets: []hcloud.LoadBalancerCreateOptsTarget{{
			Type: hcloud.LoadBalancerTargetTypeServer, Server: hcloud.LoadBalancerCreateOptsTargetServer{Server: &hcloud.Server{ID: 1}}, UsePrivateIP: hcloud.Ptr(true),
		}},
	}))
	if lb := made.LoadBalancer; lb.PublicNet.Enabled || len(lb.PrivateNet) != 1 || len(lb.Targets) != 1 || !lb.Targets[0].UsePrivateIP {
		t.Errorf("it is %+v", lb)
	}
}
