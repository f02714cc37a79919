package run

import (
	"fmt"

	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"

	"github.com/simcloud-dev/simcloud/e2e"
	"github.com/simcloud-dev/simcloud/scenarios/step"
)

// OnCluster makes scenarios run on a cluster of e2e.
func OnCluster(c *e2e.Cluster) Cluster { return onCluster{c} }

type onCluster struct{ *e2e.Cluster }

// CCMLog is the path of the CCM's log.
func (c onCluster) CCMLog() string { return c.CCM.Log() }

// clientRate is how many requests a second a scenario may make: it must never wait for itself.
const clientRate = 500

// World gives access to the cluster.
func (c onCluster) World() (step.World, error) {
	config := rest.CopyConfig(c.RESTConfig)
	config.QPS, config.Burst = clientRate, clientRate
	config.UserAgent = step.FieldManager
	kube, err := dynamic.NewForConfig(config)
	if err != nil {
		return step.World{}, fmt.Errorf("make a client of the cluster: %w", err)
	}
	kinds, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return step.World{}, fmt.Errorf("make a client of the cluster: %w", err)
	}
	return step.World{
		Cloud:        c.Cloud,
		Kube:         kube,
		Only:         c.Selector(),
		Hiding:       e2e.LabelControlPlane,
		Mapper:       restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(kinds)),
		CCM:          c.CCM,
		Machines:     c.Machines,
		Standby:      c.Standby(),
		ControlPlane: c.Cluster,
		Simulator:    c.Cluster,
		Pods:         podsOf{config, c.Kube},
		Packets:      c.Packets(),
		InProcess:    c.CCM.Spec().InProcess(),
		InCluster:    c.CCM.InCluster(),
		TestImage:    c.TestImage(),
		Harness:      c.IsHarness,
		Logs:         []string{c.CCM.Log(), c.Standby().Log()},
		Secrets:      c.CCM.Secrets,
		Factor:       c.Factor(),
		Access:       step.Access{Kubeconfig: c.Kubeconfig, CloudURL: c.CloudURL, TokenFile: c.TokenFile, CCMLog: c.CCMLog()},
	}, nil
}
