package ec2

import (
	"slices"
	"strconv"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/query"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/service"
)

type describeTypesRequest struct {
	Names   []string         `aws:"InstanceType"`
	Filters []service.Filter `aws:"Filter"`
	service.Pages
}

type instanceTypes struct {
	Types     []instanceType `aws:"instanceTypeSet"`
	NextToken string         `aws:"nextToken"`
}

type instanceType struct {
	Name       string     `aws:"instanceType"`
	Current    bool       `aws:"currentGeneration"`
	BareMetal  bool       `aws:"bareMetal"`
	Hypervisor string     `aws:"hypervisor"`
	VCPUs      vcpuInfo   `aws:"vCpuInfo"`
	Memory     memoryInfo `aws:"memoryInfo"`
}

type vcpuInfo struct {
	Default int `aws:"defaultVCpus"`
}

type memoryInfo struct {
	MiB int `aws:"sizeInMiB"`
}

// typePages is how many types a page has.
var typePages = service.PageSize{Least: 5, Most: 100}

func describeInstanceTypes(c service.Call, in describeTypesRequest) (out instanceTypes, err error) {
	all, err := service.All(c, c.Cloud.ListInstanceTypes)
	if err != nil {
		return out, err
	}
	missing := slices.DeleteFunc(slices.Clone(in.Names), func(name string) bool {
		return slices.ContainsFunc(all, func(t simcloud.InstanceType) bool { return string(t.ID) == name })
	})
	if len(missing) > 0 {
		return out, service.Refuse(simcloud.Invalid, "InvalidInstanceType", "The following supplied instance types do not exist: [%s]", query.Clip(strings.Join(missing, ", ")))
	}
	all = slices.DeleteFunc(all, func(t simcloud.InstanceType) bool {
		return len(in.Names) > 0 && !slices.Contains(in.Names, string(t.ID))
	})
	if all, err = typeFilters.Choose(all, in.Filters); err != nil {
		return out, err
	}
	page, next, err := service.Cut(c, all, func(t simcloud.InstanceType) string { return string(t.ID) }, in.Pages, typePages, []any{in.Names, in.Filters})
	out.NextToken = next
	for _, t := range page {
		out.Types = append(out.Types, instanceType{
			Name: string(t.ID), Current: true, Hypervisor: "nitro", VCPUs: vcpuInfo{t.VCPUs}, Memory: memoryInfo{t.MemoryMiB},
		})
	}
	return out, err
}

// typeFilters are the filters of types, which have no tags.
var typeFilters = service.Filters[simcloud.InstanceType]{
	Tags: func(simcloud.InstanceType) map[string]string { return nil },
	Facts: map[string]service.Facts[simcloud.InstanceType]{
		"bare-metal":              func(simcloud.InstanceType) []string { return []string{"false"} },
		"current-generation":      func(simcloud.InstanceType) []string { return []string{"true"} },
		"instance-type":           func(t simcloud.InstanceType) []string { return []string{string(t.ID)} },
		"memory-info.size-in-mib": func(t simcloud.InstanceType) []string { return []string{strconv.Itoa(t.MemoryMiB)} },
		"vcpu-info.default-vcpus": func(t simcloud.InstanceType) []string { return []string{strconv.Itoa(t.VCPUs)} },
	},
}
