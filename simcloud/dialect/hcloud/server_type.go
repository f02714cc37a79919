package hcloud

import (
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/edge"
)

// serverType is an instance type of the cloud. What the cloud does not know of it is fixed.
type serverType struct {
	ID              int64   `json:"id"`
	Name            string  `json:"name"`
	Description     string  `json:"description"`
	Category        string  `json:"category"`
	Cores           int     `json:"cores"`
	Memory          float64 `json:"memory"`
	Disk            int     `json:"disk"`
	StorageType     string  `json:"storage_type"`
	CPUType         string  `json:"cpu_type"`
	Architecture    string  `json:"architecture"`
	IncludedTraffic int64   `json:"included_traffic"`
	Prices          []any   `json:"prices"`
	Deprecated      bool    `json:"deprecated"`
	Deprecation     *string `json:"deprecation"`
	Locations       []any   `json:"locations"`
}

// diskGB is the disk that all servers have.
const diskGB = 40

func serverTypeOf(t simcloud.InstanceType) serverType {
	return serverType{
		ID: numberOfName(t.Name), Name: t.Name, Description: t.Name, Category: "Shared vCPU", Cores: t.VCPUs,
		Memory: float64(t.MemoryMiB) / 1024, Disk: diskGB, StorageType: "local", CPUType: "shared", Architecture: "x86",
		Prices: []any{}, Locations: []any{},
	}
}

func (c call) listServerTypes() (edge.Reply, error) {
	return list(c, "server_types", c.cloud.ListInstanceTypes, func(types []simcloud.InstanceType) (any, error) {
		return each(types, serverTypeOf), nil
	}, nil)
}

func (c call) getServerType() (edge.Reply, error) {
	types, err := all(c.ctx(), c.cloud.ListInstanceTypes)
	if err != nil {
		return edge.Reply{}, err
	}
	i := slices.IndexFunc(types, func(t simcloud.InstanceType) bool { return numberOfName(t.Name) == numberOf(c.id) })
	if i < 0 {
		return edge.Reply{}, simcloud.Errorf(simcloud.NotFound, "", "server type with ID '%d' not found", numberOf(c.id))
	}
	return answered(200, "server_type", serverTypeOf(types[i])), nil
}
