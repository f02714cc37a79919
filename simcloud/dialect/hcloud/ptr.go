package hcloud

import (
	"net/netip"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/edge"
)

// ptr is the name of an address in reverse DNS.
type ptr struct {
	IP     string  `json:"ip"`
	DNSPtr *string `json:"dns_ptr"`
}

// ptrOf is the name of an address; nil when it has none.
func ptrOf(name string) *string {
	if name == "" {
		return nil
	}
	return &name
}

// ptrs reads the name that an address is to have: none for null.
func (c call) ptrs() (*map[string]string, error) {
	body, err := decode[ptr](c)
	if err != nil {
		return nil, err
	}
	addr, err := netip.ParseAddr(body.IP)
	if err != nil {
		return nil, wrong("ip", "%q is not an IP address", body.IP)
	}
	var name string
	set(&name, body.DNSPtr)
	return &map[string]string{addr.String(): name}, nil
}

func (c call) changeDNSPtr() (edge.Reply, error) {
	names, err := c.ptrs()
	if err != nil {
		return edge.Reply{}, err
	}
	result, err := c.cloud.UpdateLoadBalancer(c.ctx(), c.id, simcloud.LoadBalancerUpdate{PTRs: names})
	return c.balanced(result, err)
}

func (c call) changeServerDNSPtr() (edge.Reply, error) {
	names, err := c.ptrs()
	if err != nil {
		return edge.Reply{}, err
	}
	result, err := c.cloud.UpdateInstance(c.ctx(), c.id, simcloud.InstanceUpdate{PTRs: names})
	if err != nil {
		return edge.Reply{}, err
	}
	return c.acted(result.Operation, serverSubject(c.id)), nil
}
