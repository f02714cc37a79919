package octavia

import (
	"cmp"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"
)

// balancer is a load balancer as Octavia shows it.
type balancer struct {
	common
	Provider       string          `json:"provider"`
	VIPAddress     string          `json:"vip_address"`
	VIPPortID      string          `json:"vip_port_id"`
	VIPSubnetID    string          `json:"vip_subnet_id"`
	VIPNetworkID   string          `json:"vip_network_id"`
	VIPQoSPolicyID *string         `json:"vip_qos_policy_id"`
	VIPVNICType    string          `json:"vip_vnic_type"`
	AdditionalVIPs []additionalVIP `json:"additional_vips"` // the further addresses of a port; otherwise a load balancer has one VIP of each family
	Listeners      []any           `json:"listeners"`
	Pools          []any           `json:"pools"`
	FlavorID       *string         `json:"flavor_id"`
	Zone           *string         `json:"availability_zone"`
}

// common is what all resources of Octavia have.
type common struct {
	ID                 string   `json:"id"`
	Name               string   `json:"name"`
	Description        string   `json:"description"`
	AdminStateUp       bool     `json:"admin_state_up"`
	ProvisioningStatus string   `json:"provisioning_status"`
	OperatingStatus    string   `json:"operating_status"`
	ProjectID          string   `json:"project_id"`
	TenantID           string   `json:"tenant_id"`
	Tags               []string `json:"tags"`
	CreatedAt          string   `json:"created_at"`
	UpdatedAt          *string  `json:"updated_at"`
}

// reference is a resource of which an answer has the id alone.
type reference struct {
	ID string `json:"id"`
}

// commonOf is what a resource has with a name and options in the cloud; id and operating status come from the caller.
func (t tree) commonOf(uuid, operating string, meta simcloud.Meta, options map[string]string) common {
	project := service.ProjectUUID(t.Project)
	return common{
		ID: uuid, Name: service.NameOf(meta.Name, options), Description: options[optionDescription], AdminStateUp: true,
		ProvisioningStatus: provisioning[t.State], OperatingStatus: operating, ProjectID: project, TenantID: project,
		Tags: listIn(options, optionTags), CreatedAt: service.TimeText(meta.Created), UpdatedAt: updatedText(meta.Created, meta.Updated),
	}
}

// show is a load balancer with the ids of what is a part of it, or with the whole of that.
func (t tree) show(whole bool) balancer {
	vip, subnet, network := t.vip()
	b := balancer{
		common:   t.commonOf(t.uuid(), operating(t.LoadBalancer, t.pools...), t.Meta, t.Options),
		Provider: cmp.Or(t.Options[optionProvider], amphora), VIPAddress: vip, VIPPortID: service.VIPPortUUID(t.LoadBalancer),
		VIPSubnetID: subnet, VIPNetworkID: network, VIPVNICType: "normal", AdditionalVIPs: t.additionalVIPs(),
		Listeners: []any{}, Pools: []any{}, FlavorID: textOrNull(t.Options[optionFlavor]), Zone: textOrNull(t.Options[optionZone]),
	}
	for _, l := range t.Listeners {
		if whole {
			b.Listeners = append(b.Listeners, t.showListener(l))
		} else {
			b.Listeners = append(b.Listeners, reference{t.listenerUUID(l)})
		}
	}
	for _, p := range t.pools {
		if whole {
			b.Pools = append(b.Pools, t.showPool(p))
		} else {
			b.Pools = append(b.Pools, reference{service.Pools.UUID(p.ID)})
		}
	}
	return b
}

// vip is the address of the load balancer that Octavia shows, and the ids of its subnet and network: the private address in the
// subnet that it was made in. Of a network without subnets each range is one, and the load balancer has an address of each.
// One that another client has made has the first of its private addresses, or else of its own public ones.
func (t tree) vip() (address, subnet, network string) {
	subnet, network = t.Options[optionSubnet], service.Networks.UUID(t.Network)
	var public *simcloud.VIP
	parts := map[simcloud.ID]uint64{}
	for i, vip := range t.VIPs {
		if vip.Network == "" {
			if public == nil && vip.Pool != "" {
				public = &t.VIPs[i]
			}
			continue
		}
		if vip.Document != "" {
			return vip.Address, subnet, service.Networks.UUID(vip.Network)
		}
		whole := service.WholeSubnets.UUIDOfPart(vip.Network, parts[vip.Network])
		own := whole
		if vip.Subnet != "" { // also when the request named the network, and an address of the subnet
			own = service.Subnets.UUID(vip.Subnet)
		}
		parts[vip.Network]++
		if subnet == "" || subnet == own || subnet == whole {
			return vip.Address, own, service.Networks.UUID(vip.Network)
		}
	}
	if subnet == "" && public != nil {
		return public.Address, service.NamedUUID("subnet", public.Pool), service.NamedUUID("network", public.Pool)
	}
	return "", subnet, network
}

func getBalancer(c service.Call) (any, error) {
	t, err := treeOf(c, c.ID)
	return map[string]any{"loadbalancer": t.show(false)}, err
}

func listBalancers(c service.Call) (any, error) {
	all, err := trees(c, func(simcloud.LoadBalancer) bool { return true })
	if err != nil {
		return nil, err
	}
	shown := make([]balancer, len(all))
	for i, t := range all {
		shown[i] = t.show(false)
	}
	return listed(c, "loadbalancers", shown, func(b balancer) string { return b.ID })
}
