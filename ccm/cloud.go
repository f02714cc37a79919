package ccm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/informers"
	cloudprovider "k8s.io/cloud-provider"
	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/legacyregistry"
	"k8s.io/klog/v2"

	"github.com/simcloud-dev/simcloud/simcloud/client"
)

// Cloud implements cloudprovider.Interface and cloudprovider.InformerUser.
type Cloud struct {
	api       CloudAPI
	config    Config
	events    *events
	instances *instances
	balancers *loadBalancers
	routes    *routes
	recheck   bool // the cloud could not be asked whether the config fits it
}

var (
	_ cloudprovider.Interface    = (*Cloud)(nil)
	_ cloudprovider.InformerUser = (*Cloud)(nil)
	_ cloudprovider.InstancesV2  = (*instances)(nil)
	_ cloudprovider.LoadBalancer = (*loadBalancers)(nil)
	_ cloudprovider.Routes       = (*routes)(nil)
)

// UserAgent is what the provider calls itself in the cloud's journal.
const UserAgent = "simcloud-ccm"

// Open reads the cloud config and connects to the cloud. A mistake in the
// config is an error that names the key; a cloud that does not answer is not,
// because it may be up in a moment, and the controllers come back to it.
func Open(ctx context.Context, configFile string) (*Cloud, error) {
	cfg, err := LoadConfig(configFile)
	if err != nil {
		return nil, err
	}
	api, err := connect(cfg)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", configFile, err)
	}
	recorded, err := newCallMetrics(func(m metrics.Registerable) error { return legacyregistry.Register(m) })
	if err != nil {
		return nil, fmt.Errorf("register the metrics: %w", err)
	}
	cloud := New(intercepted{api, recorded.around}, cfg, time.Now)
	err = check(ctx, cloud.api, cfg)
	var mistake *ConfigError
	switch {
	case errors.As(err, &mistake):
		return nil, fmt.Errorf("%s: %w", configFile, err)
	case err != nil:
		klog.ErrorS(err, "The cloud does not answer yet; going on, and asking again", "config", configFile)
		cloud.recheck = true
	}
	return cloud, nil
}

func connect(cfg Config) (*client.Client, error) {
	secret, err := os.ReadFile(cfg.TokenFile)
	if err != nil {
		return nil, &ConfigError{"tokenFile", err}
	}
	if strings.TrimSpace(string(secret)) == "" {
		return nil, &ConfigError{"tokenFile", fmt.Errorf("%s is empty: the token of the cloud is right", cfg.TokenFile)}
	}
	if cfg.CAFile != "" {
		if _, err := os.Stat(cfg.CAFile); err != nil {
			return nil, &ConfigError{"caFile", err}
		}
	}
	return client.New(client.Config{
		Endpoint: cfg.Endpoint, TokenFile: cfg.TokenFile, CA: cfg.CAFile, Timeout: cfg.Timeout, UserAgent: UserAgent,
	})
}

// New returns the provider for an open cloud. Time is for the grace of new Nodes and of answers that are overdue.
func New(api CloudAPI, cfg Config, now func() time.Time) *Cloud {
	c := &Cloud{api: api, config: cfg, events: &events{}}
	regions := &regions{api: api, only: cfg.Region}
	c.instances = &instances{api: api, regions: regions, grace: cfg.NodeGracePeriod, now: now}
	c.balancers = newLoadBalancers(api, cfg, regions, c.events, now)
	c.routes = &routes{api: api, instances: c.instances, regions: regions, network: cfg.Network, table: cfg.RouteTable}
	return c
}

// Initialize begins to record Events. It runs before any controller.
func (c *Cloud) Initialize(builder cloudprovider.ControllerClientBuilder, stop <-chan struct{}) {
	c.events.start(builder.ClientOrDie(eventSource), stop)
	if c.recheck {
		go c.checkUntilAnswered(stop)
	}
}

// recheckPeriod is how often a cloud that was down at the start is asked whether the config fits it.
const recheckPeriod = 5 * time.Second

// checkUntilAnswered tells of a mistake in the config that could not be seen at the start.
func (c *Cloud) checkUntilAnswered(stop <-chan struct{}) {
	ctx := wait.ContextForChannel(stop)
	_ = wait.PollUntilContextCancel(ctx, recheckPeriod, true, func(ctx context.Context) (bool, error) {
		err := check(ctx, c.api, c.config)
		var mistake *ConfigError
		switch {
		case errors.As(err, &mistake):
			klog.ErrorS(err, "The cloud answers now, and the cloud config does not fit it")
		case err != nil:
			klog.ErrorS(err, "The cloud still does not answer")
			return false, nil
		default:
			klog.InfoS("The cloud answers now", "endpoint", c.config.Endpoint)
		}
		return true, nil
	})
}

// SetInformers lets routes know which instance a Node is without asking anybody.
func (c *Cloud) SetInformers(factory informers.SharedInformerFactory) {
	c.routes.nodes = factory.Core().V1().Nodes().Lister()
}

// ProviderName returns "simcloud".
func (c *Cloud) ProviderName() string { return ProviderName }

// HasClusterID is true: what is made in the cloud carries the cluster's name.
func (c *Cloud) HasClusterID() bool { return true }

// InstancesV2 returns what Nodes are initialised and removed by.
func (c *Cloud) InstancesV2() (cloudprovider.InstancesV2, bool) { return c.instances, true }

// LoadBalancer returns what Services of type LoadBalancer are served by.
func (c *Cloud) LoadBalancer() (cloudprovider.LoadBalancer, bool) { return c.balancers, true }

// Routes returns what the pods' networks are routed by.
func (c *Cloud) Routes() (cloudprovider.Routes, bool) { return c.routes, true }

// Instances is not there: InstancesV2 takes its place.
func (c *Cloud) Instances() (cloudprovider.Instances, bool) { return nil, false }

// Zones is not there: InstancesV2 says zone and region.
func (c *Cloud) Zones() (cloudprovider.Zones, bool) { return nil, false }

// Clusters is not there: the cloud knows machines, not clusters.
func (c *Cloud) Clusters() (cloudprovider.Clusters, bool) { return nil, false }
