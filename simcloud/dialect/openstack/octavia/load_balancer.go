package octavia

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"
)

// balancer is a load balancer as Octavia shows it.
type balancer struct {
	common
	Provider       string   `json:"provider"`
	VIPAddress     string   `json:"vip_address"`
	VIPPortID      string   `json:"vip_port_id"`
	VIPSubnetID    string   `json:"vip_subnet_id"`
	VIPNetworkID   string   `json:"vip_network_id"`
	VIPQoSPolicyID *string  `json:"vip_qos_policy_id"`
	VIPVNICType    string   `json:"vip_vnic_type"`
	AdditionalVIPs []string `json:"additional_vips"` // none: a load balancer has one VIP of each family
	Listeners      []any    `json:"listeners"`
	Pools          []any    `json:"pools"`
	FlavorID       *string  `json:"flavor_id"`
	Zone           *string  `json:"availability_zone"`
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

// pages are those of Octavia. The link to the next one lacks the filters of the first.
var pages = service.Pages{Default: 1000, Max: 1000, LosesFilters: true}

// commonOf is what a resource has with a name and options in the cloud; id and operating status come from the caller.
func (t tree) commonOf(uuid, operating string, meta simcloud.Meta, options map[string]string) common {
	project := service.ProjectUUID(t.Project)
	return common{
		ID: uuid, Name: service.NameOf(meta.Name, options), Description: options[optionDescription], AdminStateUp: true,
		ProvisioningStatus: provisioning[t.State], OperatingStatus: operating, ProjectID: project, TenantID: project,
		Tags: listIn(options, optionTags), CreatedAt: timeText(meta.Created), UpdatedAt: updatedText(meta.Created, meta.Updated),
	}
}

// show is a load balancer with the ids of what is a part of it, or with the whole of that.
func (t tree) show(whole bool) balancer {
	vip, subnet := t.vip()
	b := balancer{
		common:   t.commonOf(t.uuid(), operating(t.LoadBalancer, t.pools...), t.Meta, t.Options),
		Provider: cmp.Or(t.Options[optionProvider], amphora), VIPAddress: vip.Address, VIPPortID: service.VIPPorts.UUID(t.ID),
		VIPSubnetID: subnet, VIPNetworkID: service.Networks.UUID(t.Network), VIPVNICType: "normal", AdditionalVIPs: []string{},
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

// vip is the private address of the load balancer in the subnet that it was made in, and the id of that subnet. Of a
// network without subnets each range is one, and the load balancer has an address of each.
func (t tree) vip() (simcloud.VIP, string) {
	subnet := t.Options[optionSubnet]
	var private []simcloud.VIP
	for _, vip := range t.VIPs {
		if vip.Network == "" {
			continue
		}
		if vip.Subnet != "" && vip.Subnet == service.Subnets.ID(subnet) {
			return vip, subnet
		}
		private = append(private, vip)
	}
	if _, part := service.WholeSubnets.IDOfPart(subnet); part < uint64(len(private)) {
		return private[part], subnet
	}
	return simcloud.VIP{}, subnet
}

func getBalancer(c service.Call) (any, error) {
	t, err := treeOf(c, c.ID)
	return map[string]any{"loadbalancer": t.show(false)}, err
}

// balancerFilters are what a list of load balancers can be filtered by.
var balancerFilters = []string{"id", "name", "description", "provisioning_status", "operating_status", "vip_address", "vip_port_id", "vip_subnet_id", "vip_network_id", "provider", "project_id"}

func listBalancers(c service.Call) (any, error) {
	if err := known(c.Query(), balancerFilters...); err != nil {
		return nil, err
	}
	all, err := trees(c)
	if err != nil {
		return nil, err
	}
	var shown []balancer
	for _, t := range all {
		if b := t.show(false); b.matches(c.Query()) {
			shown = append(shown, b)
		}
	}
	return service.List(c, "loadbalancers", shown, func(b balancer) string { return b.ID }, pages)
}

func (b balancer) matches(query url.Values) bool {
	return b.common.matches(query) && matchAll(query, map[string]string{
		"vip_address": b.VIPAddress, "vip_port_id": b.VIPPortID, "vip_subnet_id": b.VIPSubnetID, "vip_network_id": b.VIPNetworkID, "provider": b.Provider,
	})
}

func (b common) matches(query url.Values) bool {
	return matchAll(query, map[string]string{
		"id": b.ID, "name": b.Name, "description": b.Description, "provisioning_status": b.ProvisioningStatus,
		"operating_status": b.OperatingStatus, "project_id": b.ProjectID,
	}) && b.hasTags(query)
}

// hasTags reports whether it has the tags that a list asks for: all of tags, and one of tags-any.
func (b common) hasTags(query url.Values) bool {
	has := func(tag string) bool { return slices.Contains(b.Tags, tag) }
	for _, tag := range split(query.Get("tags")) {
		if !has(tag) {
			return false
		}
	}
	return !query.Has("tags-any") || slices.ContainsFunc(split(query.Get("tags-any")), has)
}

func split(list string) []string {
	if list == "" {
		return nil
	}
	return strings.Split(list, ",")
}

func matchAll(query url.Values, values map[string]string) bool {
	for filter, value := range values {
		if !service.Matches(query, filter, value) {
			return false
		}
	}
	return true
}

// known refuses filters that the list does not have.
func known(query url.Values, filters ...string) error {
	general := []string{"limit", "marker", "sort", "sort_key", "sort_dir", "fields", "page_reverse", "tags", "tags-any", "admin_state_up", "created_at", "updated_at", "tenant_id"}
	for filter := range query {
		if !slices.Contains(filters, filter) && !slices.Contains(general, filter) {
			return service.Refuse(simcloud.Invalid, service.Code{Status: http.StatusBadRequest}, "Unknown filter %s: must be one of %v", strconv.Quote(filter), filters)
		}
	}
	return nil
}
