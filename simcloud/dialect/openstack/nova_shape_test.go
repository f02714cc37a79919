package openstack_test

import (
	"encoding/json"
	"errors"

	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/availabilityzones"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/flavors"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"
)

var (
	serverShape = shape{
		types:   []any{servers.Server{}},
		besides: []string{"hostId", "image", "config_drive", "OS-SRV-USG:launched_at", "OS-SRV-USG:terminated_at"},
		optional: []string{
			"hostid", "adminPass", "security_groups", "fault", "tags", "server_groups", "locked", "OS-EXT-SRV-ATTR:host", "OS-EXT-SRV-ATTR:instance_name",
			"OS-EXT-SRV-ATTR:hypervisor_hostname", "OS-EXT-SRV-ATTR:reservation_id", "OS-EXT-SRV-ATTR:launch_index", "OS-EXT-SRV-ATTR:ramdisk_id",
			"OS-EXT-SRV-ATTR:kernel_id", "OS-EXT-SRV-ATTR:hostname", "OS-EXT-SRV-ATTR:root_device_name", "OS-EXT-SRV-ATTR:user_data",
			// A list without details has ids, names and links alone.
			"tenant_id", "user_id", "updated", "created", "status", "progress", "accessIPv4", "accessIPv6", "flavor", "addresses", "metadata", "key_name",
			"os-extended-volumes:volumes_attached", "OS-EXT-STS:task_state", "OS-EXT-STS:vm_state", "OS-EXT-STS:power_state", "OS-DCF:diskConfig", "OS-EXT-AZ:availability_zone",
		},
	}
	flavorShape = shape{
		types: []any{flavors.Flavor{}}, besides: []string{"swap", "links", "OS-FLV-DISABLED:disabled"},
		optional: []string{"description", "extra_specs", "disk", "ram", "rxtx_factor", "vcpus", "os-flavor-access:is_public", "OS-FLV-EXT-DATA:ephemeral"},
	}
	novaVersion = shape{besides: []string{"id", "status", "version", "min_version", "updated", "links"}}
	novaShapes  = map[string]shape{
		"versions": novaVersion, "version": novaVersion, "server": serverShape, "servers": serverShape, "flavor": flavorShape, "flavors": flavorShape,
		"availabilityZoneInfo": {types: []any{availabilityzones.AvailabilityZone{}}},
	}
)

// novaError checks an error of Nova.
func novaError(parts map[string]json.RawMessage) error {
	for _, raw := range parts {
		var e struct {
			Code    int    `json:"code"`
			Message string `json:"message"`
		}
		if err := json.Unmarshal(raw, &e); err != nil {
			return err
		}
		if e.Code != 0 && e.Message != "" && len(parts) == 1 {
			return nil
		}
	}
	return errors.New("must have one key with code and message")
}
