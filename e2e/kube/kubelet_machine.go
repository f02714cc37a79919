package main

import (
	cadvisorapi "github.com/google/cadvisor/lib/model"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
	apitest "k8s.io/cri-api/pkg/apis/testing"
	"k8s.io/klog/v2"
	cadvisortest "k8s.io/kubernetes/pkg/kubelet/cadvisor/testing"
	"k8s.io/kubernetes/pkg/kubelet/cm"
)

// diskBytes is the size of the machine's only disk, which nothing fills.
const diskBytes = 20 << 30

// machine is what the kubelet takes for its hardware.
type machine struct {
	*cadvisortest.Fake
	cpus, memoryMiB int
}

// MachineInfo gives the Node its capacity.
func (m machine) MachineInfo(log klog.Logger) (*cadvisorapi.MachineInfo, error) {
	info, err := m.Fake.MachineInfo(log)
	if err != nil {
		return nil, err
	}
	info.NumCores = m.cpus
	info.MemoryCapacity = uint64(m.memoryMiB) << 20
	return info, nil
}

// VersionInfo tells those who look at the Node what it is.
func (machine) VersionInfo() (*cadvisorapi.VersionInfo, error) {
	return &cadvisorapi.VersionInfo{KernelVersion: "0.0.0-simcloud", ContainerOsVersion: "simcloud (pods run on paper)"}, nil
}

// GetDirFsInfo is the disk that images, and everything else, are on.
func (machine) GetDirFsInfo(string) (cadvisorapi.FsInfo, error) {
	return cadvisorapi.FsInfo{Device: "disk", Mountpoint: "/", Capacity: diskBytes, Available: diskBytes}, nil
}

// containers is a container manager that manages none, on the machine's disk.
type containers struct{ cm.ContainerManager }

func newContainers() containers { return containers{cm.NewStubContainerManager()} }

// GetCapacity tells the size of the disk, although nothing on it is accounted for.
func (containers) GetCapacity(klog.Logger, bool) v1.ResourceList {
	return v1.ResourceList{v1.ResourceEphemeralStorage: *resource.NewQuantity(diskBytes, resource.BinarySI)}
}

// newFakeImages returns an image service that has every image at once, on the machine's disk.
func newFakeImages() *apitest.FakeImageService {
	images := apitest.NewFakeImageService()
	images.SetFakeFilesystemUsage([]*runtimeapi.FilesystemUsage{{
		FsId:      &runtimeapi.FilesystemIdentifier{Mountpoint: "/"},
		UsedBytes: &runtimeapi.UInt64Value{},
	}})
	return images
}
