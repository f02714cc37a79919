package hcloud

import (
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud/dialect"
	"github.com/simcloud-dev/simcloud/simcloud/edge"
)

// unsupportedOperations are those of Hetzner that answer unsupported_error.
func unsupportedOperations() []operation {
	var ops []operation
	for _, line := range strings.Split(strings.TrimSpace(unsupportedTable), "\n") {
		words := strings.Fields(line)
		ops = append(ops, operation{
			method: words[0], path: words[1], name: words[2], prefix: prefixOf(words[1]), standing: dialect.Unsupported,
			handle: func(call) (edge.Reply, error) { return edge.Reply{}, unsupported("%s", words[2]) },
		})
	}
	return ops
}

// prefixOf is the prefix of what a path below a resource of the cloud names.
func prefixOf(path string) string {
	kind, _, _ := strings.Cut(path, "/")
	if !strings.Contains(path, "{id}") {
		return ""
	}
	return map[string]string{"servers": instancePrefix, "load_balancers": loadBalancerPrefix, "networks": networkPrefix}[kind]
}

// unsupportedTable has a method, a path and a name a line.
const unsupportedTable = `
GET load_balancers/{id}/metrics get_load_balancer_metrics
POST networks/{id}/actions/change_ip_range change_ip_range
GET servers/{id}/metrics get_server_metrics
POST servers/{id}/actions/change_type change_server_type
POST servers/{id}/actions/create_image create_image
POST servers/{id}/actions/enable_backup enable_backup
POST servers/{id}/actions/disable_backup disable_backup
POST servers/{id}/actions/enable_rescue enable_rescue
POST servers/{id}/actions/disable_rescue disable_rescue
POST servers/{id}/actions/attach_iso attach_iso
POST servers/{id}/actions/detach_iso detach_iso
POST servers/{id}/actions/request_console request_console
POST servers/{id}/actions/reset_password reset_password
POST servers/{id}/actions/add_to_placement_group add_to_placement_group
POST servers/{id}/actions/remove_from_placement_group remove_from_placement_group
GET datacenters list_datacenters
GET firewalls list_firewalls
POST firewalls create_firewall
GET floating_ips list_floating_ips
POST floating_ips create_floating_ip
GET images list_images
GET isos list_isos
GET placement_groups list_placement_groups
POST placement_groups create_placement_group
GET pricing get_pricing
GET primary_ips list_primary_ips
POST primary_ips create_primary_ip
GET ssh_keys list_ssh_keys
POST ssh_keys create_ssh_key
GET volumes list_volumes
POST volumes create_volume
GET zones list_dns_zones
POST zones create_dns_zone
`
