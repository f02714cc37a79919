// Package manager runs the cloud controller manager (CCM) under test: as a
// process of this host, as pods of the cluster, or as a function of this process. It
// starts, kills and pauses it, takes its rights, delays what it asks of the cluster,
// and reports the ends that no one asked for.
package manager

import (
	"log/slog"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/simcloud-dev/simcloud/simcloud/client"
	"github.com/simcloud-dev/simcloud/simcloud/sim"
	"github.com/simcloud-dev/simcloud/simcloud/wire"
)

// Deps are what a CCM needs of the cloud and of the cluster.
type Deps struct {
	Cloud Cloud
	Kube  Kube
	// Wire is the network in memory of a CCM in this process; nil where it has sockets. Each replica is a host of its own.
	Wire *wire.Network
	// RunProvider runs a provider on Wire with its controllers; nil without Wire.
	RunProvider ProviderRunner
	// Dir is the folder of the cluster: the files of a CCM are below it.
	Dir     string
	Timings Timings
	Log     *slog.Logger
}

// Cloud is the cloud that a CCM works with.
type Cloud struct {
	// Admin is an admin's access to it, at URL.
	Admin *client.Client
	URL   string
	// Local is where a process of this host finds it. The SDK of AWS takes credentials from no other address.
	Local string
	// Sim returns the cloud as it runs in this process now: a restart replaces it.
	Sim func() *sim.Cloud
}

// Kube is the cluster that a CCM works with.
type Kube struct {
	// Name is the cluster's name, which the CCM marks its cloud resources with.
	Name string
	// PodCIDR is what the pods have their addresses from.
	PodCIDR string
	// Config and Client are an admin's access to it.
	Config *rest.Config
	Client kubernetes.Interface
}

// Timings are the periods of a CCM and the bounds of its waiting.
type Timings struct {
	// NodeMonitor is how often the CCM looks after nodes that are not ready.
	NodeMonitor time.Duration
	// NodeStatusUpdate is how often it compares addresses.
	NodeStatusUpdate time.Duration
	// RouteReconciliation is how often it compares routes.
	RouteReconciliation time.Duration
	// Start bounds the time until it is healthy, Stop that between asking and killing it.
	Start, Stop time.Duration
}
