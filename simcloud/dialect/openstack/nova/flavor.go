package nova

import (
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"
)

// flavor is a type of instance.
type flavor struct {
	ID         string         `json:"id"`
	Name       string         `json:"name"`
	VCPUs      int            `json:"vcpus"`
	RAM        int            `json:"ram"` // MiB
	Disk       int            `json:"disk"`
	Swap       string         `json:"swap"` // empty: none
	RxTxFactor float64        `json:"rxtx_factor"`
	Public     bool           `json:"os-flavor-access:is_public"`
	Ephemeral  int            `json:"OS-FLV-EXT-DATA:ephemeral"`
	Disabled   bool           `json:"OS-FLV-DISABLED:disabled"`
	Links      []service.Link `json:"links"`
}

// FlavorUUID is the id of a flavor. The cloud knows types by their names.
func FlavorUUID(id simcloud.ID) string { return service.NamedUUID("flavor", string(id)) }

// VolumeUUID is the id of a volume that a server has.
func VolumeUUID(id simcloud.ID) string { return service.NamedUUID("volume", string(id)) }

func flavorLinks(c service.Call, id simcloud.ID) []service.Link {
	return []service.Link{{Rel: "self", Href: c.Endpoint() + "/compute" + flavorsPath + "/" + FlavorUUID(id)}}
}

func flavorReference(c service.Call, id simcloud.ID) reference {
	return reference{FlavorUUID(id), flavorLinks(c, id)}
}

func flavorDetailOf(c service.Call, t simcloud.InstanceType) any {
	return flavor{
		ID: FlavorUUID(t.ID), Name: t.Name, VCPUs: t.VCPUs, RAM: t.MemoryMiB, Disk: diskGB, RxTxFactor: 1, Public: true, Links: flavorLinks(c, t.ID),
	}
}

// diskGB is the disk of each flavor: the cloud's types have none.
const diskGB = 20

func flavorOf(c service.Call, t simcloud.InstanceType) any {
	return brief{FlavorUUID(t.ID), t.Name, flavorLinks(c, t.ID)}
}

// listFlavors lists flavors, each as show has it.
func listFlavors(show func(service.Call, simcloud.InstanceType) any) func(service.Call) (any, error) {
	return func(c service.Call) (any, error) {
		types, err := service.All(c, c.Cloud.ListInstanceTypes)
		if err != nil {
			return nil, err
		}
		return service.ListAs(c, "flavors", types, func(t simcloud.InstanceType) string { return FlavorUUID(t.ID) },
			func(t simcloud.InstanceType) any { return show(c, t) }, pages)
	}
}

func getFlavor(c service.Call) (any, error) {
	types, err := service.All(c, c.Cloud.ListInstanceTypes)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(types, func(t simcloud.InstanceType) bool { return FlavorUUID(t.ID) == c.UUID })
	if i < 0 {
		return nil, c.Service.Missing(simcloud.KindInstanceType, "Flavor", c.UUID)
	}
	t, err := c.Cloud.GetInstanceType(c.Ctx(), types[i].ID)
	return map[string]any{"flavor": flavorDetailOf(c, t)}, err
}
