package hcloud_test

import (
	"net"
	"testing"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// TestReverseDNS: the addresses of load balancers and servers have names, which null removes.
func TestReverseDNS(t *testing.T) {
	t.Parallel()
	w := open(t)
	lb := w.balancer("a")
	for _, ip := range []net.IP{lb.PublicNet.IPv4.IP, lb.PublicNet.IPv6.IP} {
		w.does("change_dns_ptr")(w.hetz.LoadBalancer.ChangeDNSPtr(t.Context(), lb, ip.String(), hcloud.Ptr("a.example.com")))
	}
	if now := w.balancerNow(lb.ID).PublicNet; now.IPv4.DNSPtr != "a.example.com" || now.IPv6.DNSPtr != "a.example.com" {
		t.Errorf("its names are %+v", now)
	}
	w.does("change_dns_ptr")(w.hetz.LoadBalancer.ChangeDNSPtr(t.Context(), lb, lb.PublicNet.IPv4.IP.String(), nil))
	if now := w.balancerNow(lb.ID).PublicNet; now.IPv4.DNSPtr != "" || now.IPv6.DNSPtr != "a.example.com" {
		t.Errorf("then they are %+v", now)
	}
	for _, body := range []string{`{}`, `{"ip":"x","dns_ptr":"a.b"}`, `{"ip":"203.0.113.9","dns_ptr":"a.b"}`} {
		w.refuses("POST", "load_balancers/1/actions/change_dns_ptr", body, 422, "invalid_input")
	}
	instance := w.instance(simcloud.InstanceSpec{Name: "node-1"})
	address := addressOf(instance, simcloud.ScopePublic).String()
	w.does("change_dns_ptr")(w.hetz.Server.ChangeDNSPtr(t.Context(), &hcloud.Server{ID: 1}, address, hcloud.Ptr("node.example.com")))
	if s := got[*hcloud.Server](t)(w.hetz.Server.GetByID(t.Context(), 1)); s.PublicNet.IPv4.DNSPtr != "node.example.com" {
		t.Errorf("the server is %+v", s.PublicNet)
	}
}
