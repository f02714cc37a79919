package main

import (
	"path/filepath"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/kubernetes/cmd/kubelet/app/options"
	kubeletconfig "k8s.io/kubernetes/pkg/kubelet/apis/config"
)

// How often the kubelet says that it lives. The controller manager's grace
// period of 4 s rests on these: see the flags in package embedded.
const (
	statusPeriod  = time.Second
	leaseDuration = 4 // seconds; renewed four times in it
)

// kubeletConfig is the kubelet's default configuration with what a fake
// runtime cannot do switched off, and all paths below root.
func kubeletConfig(o kubeletOptions, root string) (*options.KubeletFlags, *kubeletconfig.KubeletConfiguration, error) {
	config, err := options.NewKubeletConfiguration()
	if err != nil {
		return nil, nil, err
	}
	setIdentity(config, o)
	setPaths(config, root)
	setNoCgroups(config)
	config.NodeStatusUpdateFrequency.Duration = statusPeriod
	config.NodeStatusReportFrequency.Duration = statusPeriod
	config.NodeLeaseDurationSeconds = leaseDuration
	return kubeletFlags(o, root), config, nil
}

func kubeletFlags(o kubeletOptions, root string) *options.KubeletFlags {
	f := options.NewKubeletFlags()
	f.RootDirectory = root
	f.CertDirectory = filepath.Join(root, "pki")
	f.HostnameOverride = o.name
	f.NodeLabels = o.labels
	f.CloudProvider = "external" // registers with the uninitialized taint
	f.MinimumGCAge = metav1.Duration{Duration: time.Minute}
	f.MaxPerPodContainerCount = 1
	f.MaxContainerCount = 100
	return f
}

// setIdentity leaves the providerID and the node's addresses to the cloud controller manager.
func setIdentity(c *kubeletconfig.KubeletConfiguration, o kubeletOptions) {
	c.ProviderID = ""
	c.RegisterNode = true
	c.Address = "127.0.0.1"
	c.Port = int32(o.port)
	c.ReadOnlyPort = 0
	c.EnableServer = o.port != 0
	c.EnableDebuggingHandlers = false // no logs and no exec: nothing really runs
	c.ClusterDNS = nil
	c.MaxPods = 110
}

func setPaths(c *kubeletconfig.KubeletConfiguration, root string) {
	c.StaticPodPath = ""
	c.StaticPodURL = ""
	c.PodLogsDir = filepath.Join(root, "pod-logs")
	c.VolumePluginDir = filepath.Join(root, "volume-plugins")
	c.ResolverConfig = "" // the machine's own is none of the cluster's business
}

func setNoCgroups(c *kubeletconfig.KubeletConfiguration) {
	c.CgroupsPerQOS = false
	c.CgroupRoot = ""
	c.EnforceNodeAllocatable = nil
	c.EvictionHard = nil // nothing is measured, and so no pod is evicted
	c.LocalStorageCapacityIsolation = false
	c.FailSwapOn = false
	c.MaxOpenFiles = 4096 // the default is more than an ordinary user may have
	c.EnableControllerAttachDetach = true
}
