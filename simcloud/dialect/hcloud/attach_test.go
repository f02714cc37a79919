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
