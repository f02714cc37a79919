package scenarios

import (
	"context"
	"fmt"

	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"

	"github.com/simcloud-dev/simcloud/e2e"
)

// OnCluster makes scenarios run on a cluster of e2e.
func OnCluster(c *e2e.Cluster) Cluster { return onCluster{c} }

type onCluster struct{ *e2e.Cluster }

// CCMLog is the path of the CCM's log.
func (c onCluster) CCMLog() string { return c.CCM.Log() }

// clientRate is how many requests a second a scenario may make: it must never wait for itself.
const clientRate = 500

// World gives access to the cluster.
func (c onCluster) World() (World, error) {
	config := rest.CopyConfig(c.RESTConfig)
	config.QPS, config.Burst = clientRate, clientRate
	config.UserAgent = fieldManager
	kube, err := dynamic.NewForConfig(config)
	if err != nil {
		return World{}, fmt.Errorf("make a client of the cluster: %w", err)
	}
	kinds, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return World{}, fmt.Errorf("make a client of the cluster: %w", err)
	}
	return World{
		Cloud:    c.Cloud,
		Kube:     kube,
		Mapper:   restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(kinds)),
		CCM:      ccmOf{c.CCM},
		Machines: machinesOf{c.Machines},
		Harness:  c.IsHarness,
	}, nil
}

type ccmOf struct{ *e2e.CCM }

// Exits are the times that the CCM ended unasked, or panicked.
func (c ccmOf) Exits() []Exit {
	var exits []Exit
	for _, e := range c.CCM.Exits() {
		exits = append(exits, Exit{Reason: e.Reason, Log: e.Log})
	}
	return exits
}

type machinesOf struct{ *e2e.Machines }

// Boot boots a machine that has no instance.
func (m machinesOf) Boot(ctx context.Context, name string, labels map[string]string, light bool) error {
	return m.Machines.Boot(ctx, e2e.NodeSpec{Name: name, Labels: labels}, light)
}
