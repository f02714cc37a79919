// Package ccm is the cloud provider "simcloud" of the Kubernetes cloud
// controller manager: it initialises Nodes, removes those whose instance is
// gone, and keeps load balancers and routes as Services and Nodes ask.
//
// This package wires its rooms: [github.com/simcloud-dev/simcloud/ccm/lb],
// node, route and volume each implement interfaces of k8s.io/cloud-provider over
// config, annotation, label, providerid and internal/call, and do not know each
// other. Whatever the provider makes carries labels that say for whom; what does
// not carry them is another client's and stays as it is. The tests here are of
// the wired provider in a simulated cloud; those of one room are in its folder.
package ccm

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	cloudprovider "k8s.io/cloud-provider"

	"github.com/simcloud-dev/simcloud/ccm/config"
	"github.com/simcloud-dev/simcloud/ccm/internal/call"
	"github.com/simcloud-dev/simcloud/ccm/lb"
	"github.com/simcloud-dev/simcloud/ccm/node"
	"github.com/simcloud-dev/simcloud/ccm/providerid"
	"github.com/simcloud-dev/simcloud/ccm/route"
	"github.com/simcloud-dev/simcloud/ccm/volume"
)

// CloudAPI is what this provider calls of simcloud.API.
type CloudAPI interface {
	config.API
	node.InstanceAPI
	lb.API
	route.API
	clusterAPI
	node.KeyAPI
	volume.API
}

// Cloud implements cloudprovider.Interface, cloudprovider.InformerUser and cloudprovider.PVLabeler.
type Cloud struct {
	api       CloudAPI
	config    config.Config
	events    *lb.Events
	turns     *call.Turns
	services  *lb.Services
	instances *node.Instances
	balancers *lb.Balancers
	routes    *route.Routes
	nodes     *node.Cache
	old       *node.InstancesV1
	clusters  *clusters
	volumes   *volume.Labeler
	health    *call.Health
	gate      *call.Gate

	initialized, informed sync.Once
	checked               atomic.Bool // the cloud has said whether the config fits it
}

var (
	_ cloudprovider.Interface    = (*Cloud)(nil)
	_ cloudprovider.InformerUser = (*Cloud)(nil)
	_ cloudprovider.PVLabeler    = (*Cloud)(nil)
)

// UserAgent is what the provider calls itself in the cloud's journal.
const UserAgent = "simcloud-ccm"

// New returns the provider for an open cloud. Time is for the grace of new Nodes and of answers that are overdue.
func New(api CloudAPI, cfg config.Config, now func() time.Time) *Cloud {
	return newCloud(api, cfg, node.SystemClock(now))
}

func newCloud(api CloudAPI, cfg config.Config, time node.Clock) *Cloud {
	c := &Cloud{
		api: api, config: cfg, events: &lb.Events{}, turns: &call.Turns{}, services: &lb.Services{}, nodes: &node.Cache{},
		health: &call.Health{}, gate: &call.Gate{}, clusters: &clusters{api: api},
	}
	regions := providerid.NewRegions(api, cfg.Region)
	c.instances = node.New(api, cfg, c.nodes, regions, time)
	c.old = node.NewV1(c.instances, c.nodes, api)
	c.volumes = volume.New(api, cfg.Region)
	c.balancers = lb.New(api, cfg, lb.Deps{
		Regions: regions, Services: c.services, Events: c.events, Turns: c.turns, Now: time.Now,
	})
	c.routes = route.New(api, cfg, c.instances, c.nodes, regions)
	return c
}

// Initialize begins to record Events, and to look after a cloud that does not
// answer. It runs before any controller; leader migration calls it once for each lease.
func (c *Cloud) Initialize(builder cloudprovider.ControllerClientBuilder, stop <-chan struct{}) {
	c.initialized.Do(func() {
		c.events.Start(builder.ClientOrDie(lb.EventSource), stop)
		go c.watchHealth(stop)
	})
}

// SetInformers lets the provider know the Nodes and Services without a call of the API server.
func (c *Cloud) SetInformers(factory informers.SharedInformerFactory) {
	c.informed.Do(func() {
		c.nodes.Use(factory.Core().V1().Nodes().Lister())
		c.services.Use(factory.Core().V1().Services().Lister())
	})
}

// ProviderName returns "simcloud".
func (c *Cloud) ProviderName() string { return providerid.Scheme }

// HasClusterID is true: what is made in the cloud carries the cluster's name.
func (c *Cloud) HasClusterID() bool { return true }

// InstancesV2 returns what Nodes are initialised and removed by, unless the config asks for the interfaces before it.
func (c *Cloud) InstancesV2() (cloudprovider.InstancesV2, bool) {
	return c.instances, !c.config.InstancesV1
}

// Instances returns what took care of Nodes before InstancesV2, if the config asks for it.
func (c *Cloud) Instances() (cloudprovider.Instances, bool) { return c.old, c.config.InstancesV1 }

// Zones returns what said zone and region before InstancesV2, if the config asks for it.
func (c *Cloud) Zones() (cloudprovider.Zones, bool) { return c.old, c.config.InstancesV1 }

// LoadBalancer returns what Services of type LoadBalancer are served by.
func (c *Cloud) LoadBalancer() (cloudprovider.LoadBalancer, bool) { return c.balancers, true }

// Routes returns what the pods' networks are routed by.
func (c *Cloud) Routes() (cloudprovider.Routes, bool) { return c.routes, true }

// Clusters returns the clusters that the cloud has been told of.
func (c *Cloud) Clusters() (cloudprovider.Clusters, bool) { return c.clusters, true }

// GetLabelsForVolume says where the volume of a PersistentVolume is.
func (c *Cloud) GetLabelsForVolume(ctx context.Context, pv *v1.PersistentVolume) (map[string]string, error) {
	return c.volumes.GetLabelsForVolume(ctx, pv)
}

// Finish is for a process that is about to end: it lets no more calls change
// the cloud, and returns when those under way have ended, or with the
// context's error. A controller that makes one later waits for the end of the process.
func (c *Cloud) Finish(ctx context.Context) error { return c.gate.Finish(ctx) }

// End is for a CCM that is a part of a process, as in simulated time, when it has ended and is cut
// off from the cloud: calls that wait for that return. It is called once.
func (c *Cloud) End() { c.gate.End() }
