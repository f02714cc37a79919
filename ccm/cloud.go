package ccm

import (
	"context"
	"os"
	"sync"
	"sync/atomic"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	cloudprovider "k8s.io/cloud-provider"
)

// CloudAPI is what this provider calls of simcloud.API.
type CloudAPI interface {
	startAPI
	instanceAPI
	loadBalancerAPI
	routeAPI
	clusterAPI
	sshKeyAPI
	volumeAPI
}

// Cloud implements cloudprovider.Interface, cloudprovider.InformerUser and cloudprovider.PVLabeler.
type Cloud struct {
	api       CloudAPI
	config    Config
	events    *events
	instances *instances
	balancers *loadBalancers
	routes    *routes
	nodes     *nodeCache
	old       *instancesV1
	clusters  *clusters
	volumes   *volumes
	health    *health
	gate      *gate

	initialized, informed sync.Once
	checked               atomic.Bool // the cloud has said whether the config fits it
}

var (
	_ cloudprovider.Interface    = (*Cloud)(nil)
	_ cloudprovider.InformerUser = (*Cloud)(nil)
	_ cloudprovider.PVLabeler    = (*Cloud)(nil)
	_ cloudprovider.InstancesV2  = (*instances)(nil)
	_ cloudprovider.LoadBalancer = (*loadBalancers)(nil)
	_ cloudprovider.Routes       = (*routes)(nil)
)

// UserAgent is what the provider calls itself in the cloud's journal.
const UserAgent = "simcloud-ccm"

// New returns the provider for an open cloud. Time is for the grace of new Nodes and of answers that are overdue.
func New(api CloudAPI, cfg Config, now func() time.Time) *Cloud {
	c := &Cloud{api: api, config: cfg, events: &events{}, nodes: &nodeCache{}, health: &health{}, gate: &gate{}}
	regions := &regions{api: api, only: cfg.Region}
	c.instances = &instances{
		lookups: newLookups(api, cfg.InstanceListAge, now, c.nodes), regions: regions,
		owner:  owner{api: api, project: cfg.Project},
		labels: cfg.NodeLabelPrefix, grace: cfg.NodeGracePeriod, now: now,
	}
	c.old = &instancesV1{instances: c.instances, nodes: c.nodes, keys: api, hostname: os.Hostname}
	c.clusters = &clusters{api: api}
	c.volumes = &volumes{api: api, region: cfg.Region}
	c.balancers = newLoadBalancers(api, cfg, regions, c.events, now)
	c.routes = &routes{
		api: api, instances: c.instances, regions: regions, network: cfg.Network, table: cfg.RouteTable, hop: cfg.RouteNextHop, nodes: c.nodes,
	}
	return c
}

// Initialize begins to record Events, and to look after a cloud that does not
// answer. It runs before any controller; leader migration calls it once for each lease.
func (c *Cloud) Initialize(builder cloudprovider.ControllerClientBuilder, stop <-chan struct{}) {
	c.initialized.Do(func() {
		c.events.start(builder.ClientOrDie(eventSource), stop)
		go c.watchHealth(stop)
	})
}

// SetInformers lets the provider know the Nodes and Services without asking anybody.
func (c *Cloud) SetInformers(factory informers.SharedInformerFactory) {
	c.informed.Do(func() {
		c.nodes.lister = factory.Core().V1().Nodes().Lister()
		c.balancers.services.lister = factory.Core().V1().Services().Lister()
	})
}

// ProviderName returns "simcloud".
func (c *Cloud) ProviderName() string { return ProviderName }

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
