package nova

import (
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"
)

// zone is an availability zone, as a user is shown it.
type zone struct {
	Name  string    `json:"zoneName"`
	State zoneState `json:"zoneState"`
	Hosts *struct{} `json:"hosts"` // for admins
}

type zoneState struct {
	Available bool `json:"available"`
}

func listAvailabilityZones(c service.Call) (any, error) {
	zones, err := service.All(c, c.Cloud.ListZones)
	if err != nil {
		return nil, err
	}
	shown := make([]zone, len(zones))
	for i, z := range zones {
		shown[i] = zone{Name: string(z.ID), State: zoneState{z.State != simcloud.ZoneDown}}
	}
	return map[string]any{"availabilityZoneInfo": shown}, nil
}
