package octavia

import (
	"encoding/json"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"
)

// createRequest is a load balancer to create, with all that is to be a part of it.
type createRequest struct {
	Balancer balancerSpec `json:"loadbalancer"`
}

type balancerSpec struct {
	Name         string         `json:"name"`
	Description  string         `json:"description"`
	ProjectID    string         `json:"project_id"`
	AdminStateUp *bool          `json:"admin_state_up"`
	Provider     string         `json:"provider"`
	VIPSubnetID  string         `json:"vip_subnet_id"`
	VIPNetworkID string         `json:"vip_network_id"`
	VIPPortID    string         `json:"vip_port_id"`
	VIPAddress   string         `json:"vip_address"`
	FlavorID     string         `json:"flavor_id"`
	Zone         string         `json:"availability_zone"`
	Tags         []string       `json:"tags"`
	Listeners    []listenerSpec `json:"listeners"`
	Pools        []poolSpec     `json:"pools"`
	// VIPQoSPolicyID and AdditionalVIPs are refused.
	VIPQoSPolicyID *string           `json:"vip_qos_policy_id"`
	AdditionalVIPs []json.RawMessage `json:"additional_vips"`
}

// bad is the error for a request that Octavia does not take.
func bad(format string, args ...any) error {
	return service.Refuse(simcloud.Invalid, service.Code{Status: http.StatusBadRequest}, "Validation failure: "+format, args...)
}

// unsupported is the error for what simcloud does not simulate.
func unsupported(message string) error {
	return service.Refuse(simcloud.Unimplemented, service.Code{Status: http.StatusNotImplemented}, "%s", message)
}

// beyondOVN is the error for what the provider ovn does not have, at any Octavia.
func beyondOVN(format string, args ...any) error {
	return service.Refuse(simcloud.Invalid, service.Code{Status: http.StatusNotImplemented}, "Provider 'ovn' does not support a requested option: "+format, args...)
}

// balancerName is the name in the cloud of a load balancer whose own name has nothing that the cloud takes.
const balancerName = "loadbalancer"

func createBalancer(c service.Call, in createRequest) (any, *simcloud.Meta, error) {
	spec := in.Balancer
	if err := spec.check(); err != nil {
		return nil, nil, err
	}
	at, err := spec.place(c)
	if err != nil {
		return nil, nil, err
	}
	kept := options{}
	kept.text(optionDescription, spec.Description)
	kept.text(optionProvider, spec.Provider)
	kept.text(optionFlavor, spec.FlavorID)
	kept.text(optionZone, spec.Zone)
	kept.text(optionSubnet, at.subnet)
	kept.json(optionTags, spec.Tags, len(spec.Tags) == 0)
	create := simcloud.LoadBalancerSpec{
		Name: service.KeepName(spec.Name, balancerName, kept), Options: kept, Network: at.network, Networks: at.networks, Reservation: at.reservation,
	}
	made, pools, err := spec.parts(c, &create)
	if err != nil {
		return nil, nil, err
	}
	create.Algorithm, create.Affinity = balancing(made)
	result, err := c.Cloud.CreateLoadBalancer(c.Ctx(), create)
	if err != nil {
		return nil, nil, err
	}
	lb := result.Resource
	for _, pool := range pools {
		if _, err := c.Cloud.UpdateTargetGroup(c.Ctx(), pool, simcloud.TargetGroupUpdate{PartOf: &lb.ID}); err != nil {
			return nil, nil, err
		}
	}
	t, err := treeOf(c, lb.ID)
	return map[string]any{"loadbalancer": t.show(true)}, &lb.Meta, err
}

// check judges what a request says of the load balancer itself.
func (s balancerSpec) check() error {
	known := slices.ContainsFunc(providers, func(p struct{ Name, Description string }) bool { return p.Name == s.Provider })
	switch {
	case s.Provider != "" && !known:
		return bad("Provider '%.40s' is not enabled.", s.Provider)
	case s.VIPPortID == "" && s.VIPNetworkID == "" && s.VIPSubnetID == "":
		return bad("VIP must contain one of: vip_port_id, vip_network_id, vip_subnet_id.")
	case len(s.AdditionalVIPs) > 0:
		return unsupported("simcloud does not simulate additional_vips: give vip_port_id of a port with several fixed addresses")
	case s.VIPAddress != "" && !isAddress(s.VIPAddress):
		return bad("vip_address '%.60s' is not an IP address", s.VIPAddress)
	}
	if err := settable(s.AdminStateUp, s.VIPQoSPolicyID); err != nil {
		return err
	}
	return checkTexts(&s.Name, &s.Description, &s.Tags)
}

func isAddress(text string) bool {
	_, err := netip.ParseAddr(text)
	return err == nil
}

// settable refuses what simcloud does not simulate of a load balancer.
func settable(up *bool, policy *string) error {
	switch {
	case up != nil && !*up:
		return unsupported("simcloud does not simulate admin_state_up false")
	case policy != nil && *policy != "":
		return unsupported("simcloud does not simulate vip_qos_policy_id")
	}
	return nil
}

// checkTexts checks a name, a description and tags: Octavia takes 255 characters.
func checkTexts(name, description *string, tags *[]string) error {
	const longest = 255
	tooLong := func(text string) bool { return utf8.RuneCountInString(text) > longest }
	switch {
	case name != nil && tooLong(*name):
		return bad("name has %d characters: must have at most %d", utf8.RuneCountInString(*name), longest)
	case description != nil && tooLong(*description):
		return bad("description has %d characters: must have at most %d", utf8.RuneCountInString(*description), longest)
	case tags != nil && slices.ContainsFunc(*tags, tooLong):
		return bad("a tag has more than %d characters", longest)
	}
	return nil
}

// attachment is the network and the subnet that a request names, and the id of the subnet.
func (s balancerSpec) attachment(c service.Call) (to simcloud.NetworkAttachment, subnet string, err error) {
	to.Address = s.VIPAddress
	switch id, part := service.WholeSubnets.IDOfPart(s.VIPSubnetID); {
	case s.VIPSubnetID == "":
		if to.Network = service.Networks.ID(s.VIPNetworkID); to.Network == "" {
			return to, "", bad("Network %.60s not found.", s.VIPNetworkID)
		}
		network, err := c.Cloud.GetNetwork(c.Ctx(), to.Network)
		if err != nil {
			return to, "", bad("Network %.60s not found.", s.VIPNetworkID)
		}
		return to, service.WholeSubnets.UUIDOfPart(to.Network, s.rangeOf(network)), nil
	case id != "":
		network, err := c.Cloud.GetNetwork(c.Ctx(), id)
		if err != nil || part >= uint64(len(network.CIDRs)) {
			return to, "", noSubnet(s.VIPSubnetID)
		}
		if s.VIPAddress != "" && s.rangeOf(network) != part {
			return to, "", bad("vip_address %s is not in the subnet %s", s.VIPAddress, s.VIPSubnetID)
		}
		to.Network = id
		return to, s.VIPSubnetID, nil
	default:
		found, err := c.Cloud.GetSubnet(c.Ctx(), service.Subnets.ID(s.VIPSubnetID))
		if err != nil {
			return to, "", noSubnet(s.VIPSubnetID)
		}
		to.Network, to.Subnet = found.Network, found.ID
		return to, s.VIPSubnetID, nil
	}
}

// rangeOf is the index of the range of a network that the address of the request is in; 0, the first, without an address.
func (s balancerSpec) rangeOf(n simcloud.Network) uint64 {
	addr, err := netip.ParseAddr(s.VIPAddress)
	for i, cidr := range n.CIDRs {
		if prefix, errRange := netip.ParsePrefix(cidr); err == nil && errRange == nil && prefix.Contains(addr) {
			return uint64(i) //nolint:gosec // an index is not negative
		}
	}
	return 0
}

func noSubnet(id string) error { return bad("Subnet %.60s not found.", id) }

// parts makes the pools of a request, and puts its listeners into the spec of the load balancer.
func (s balancerSpec) parts(c service.Call, create *simcloud.LoadBalancerSpec) (made []simcloud.TargetGroup, ids []simcloud.ID, err error) {
	for _, listener := range s.Listeners {
		if listener.LoadBalancerID != "" {
			return nil, nil, elsewhere("loadbalancer_id", "a listener")
		}
		spec, err := listener.spec(s.Provider)
		if err != nil {
			return nil, nil, err
		}
		if err := listener.checkCertificates(c); err != nil {
			return nil, nil, err
		}
		if listener.DefaultPoolID.value != nil {
			return nil, nil, bad("default_pool_id of a listener that is created with its load balancer must not be set: use default_pool")
		}
		if slices.ContainsFunc(create.Listeners, spec.collides) {
			return nil, nil, portTaken(listener.ProtocolPort)
		}
		if listener.DefaultPool != nil {
			pool, err := listener.DefaultPool.createIn(c, create.Network, s.Provider, listener.Protocol)
			if err != nil {
				return nil, nil, err
			}
			made, ids = append(made, pool), append(ids, pool.ID)
			spec.forward(pool.ID)
		}
		create.Listeners = append(create.Listeners, spec.ListenerSpec)
	}
	for _, spec := range s.Pools {
		pool, err := spec.createIn(c, create.Network, s.Provider, "")
		if err != nil {
			return nil, nil, err
		}
		made, ids = append(made, pool), append(ids, pool.ID)
	}
	return made, ids, nil
}

// createIn makes the pool of a load balancer that is created with it, for a listener with that protocol.
func (s poolSpec) createIn(c service.Call, network simcloud.ID, provider, listener string) (simcloud.TargetGroup, error) {
	switch {
	case s.LoadBalancerID != "":
		return simcloud.TargetGroup{}, elsewhere("loadbalancer_id", "a pool")
	case s.ListenerID != "":
		return simcloud.TargetGroup{}, elsewhere("listener_id", "a pool")
	}
	return s.create(c, network, provider, listener, "")
}

// elsewhere is the error for an attribute that says where a part belongs, of one that is created with its load balancer.
func elsewhere(attribute, part string) error {
	return bad("%s of %s that is created with its load balancer must not be set", attribute, part)
}

// updateRequest is what is to change of a load balancer: what is not there stays.
type updateRequest struct {
	Balancer struct {
		Name         *string   `json:"name"`
		Description  *string   `json:"description"`
		AdminStateUp *bool     `json:"admin_state_up"`
		Tags         *[]string `json:"tags"`
		// VIPQoSPolicyID is refused.
		VIPQoSPolicyID *string `json:"vip_qos_policy_id"`
	} `json:"loadbalancer"`
}

func updateBalancer(c service.Call, in updateRequest) (any, *simcloud.Meta, error) {
	t, err := treeOf(c, c.ID)
	if err != nil {
		return nil, nil, err
	}
	if err := t.in(simcloud.LoadBalancerActive); err != nil {
		return nil, nil, err
	}
	if err := settable(in.Balancer.AdminStateUp, in.Balancer.VIPQoSPolicyID); err != nil {
		return nil, nil, err
	}
	if err := checkTexts(in.Balancer.Name, in.Balancer.Description, in.Balancer.Tags); err != nil {
		return nil, nil, err
	}
	kept := copyOptions(t.Options)
	name := t.Name
	if in.Balancer.Name != nil {
		name = service.KeepName(*in.Balancer.Name, balancerName, kept)
	}
	if in.Balancer.Description != nil {
		kept.text(optionDescription, *in.Balancer.Description)
	}
	if tags := in.Balancer.Tags; tags != nil {
		named := slices.DeleteFunc(slices.Clone(*tags), func(tag string) bool { return tag == "" }) // a client empties the list by [""]
		kept.json(optionTags, named, len(named) == 0)
	}
	plain := map[string]string(kept)
	if _, err := c.Cloud.UpdateLoadBalancer(c.Ctx(), c.ID, simcloud.LoadBalancerUpdate{Name: &name, Options: &plain}); err != nil {
		return nil, nil, err
	}
	return shown(c, c.ID)
}

// shown answers a load balancer that was changed.
func shown(c service.Call, id simcloud.ID) (any, *simcloud.Meta, error) {
	t, err := treeOf(c, id)
	return map[string]any{"loadbalancer": t.show(false)}, &t.Meta, err
}

func deleteBalancer(c service.Call) (any, *simcloud.Meta, error) {
	t, err := treeOf(c, c.ID)
	if err != nil {
		return nil, nil, err
	}
	if cascade := strings.EqualFold(c.Query().Get("cascade"), "true"); !cascade && len(t.Listeners)+len(t.pools) > 0 {
		return nil, nil, bad("Cannot delete Load Balancer %s - it has children", t.uuid())
	}
	if err := t.in(simcloud.LoadBalancerActive, simcloud.LoadBalancerError); err != nil {
		return nil, nil, err
	}
	_, err = c.Cloud.DeleteLoadBalancer(c.Ctx(), c.ID)
	return nil, &t.Meta, err
}

func failover(c service.Call) (any, *simcloud.Meta, error) {
	t, err := treeOf(c, c.ID)
	if err != nil {
		return nil, nil, err
	}
	if err := t.in(simcloud.LoadBalancerActive, simcloud.LoadBalancerError); err != nil {
		return nil, nil, err
	}
	_, err = c.Cloud.FailoverLoadBalancer(c.Ctx(), c.ID)
	return nil, &t.Meta, err
}
