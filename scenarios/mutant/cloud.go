package mutant

import (
	"fmt"
	"net/http"
	"time"

	"k8s.io/client-go/informers"
	cloudprovider "k8s.io/cloud-provider"

	"github.com/simcloud-dev/simcloud/ccm"
	"github.com/simcloud-dev/simcloud/ccm/config"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

// userAgent is what mutants call themselves in the cloud's journal.
const userAgent = "mutant-ccm"

// Open makes the provider of a mutant by a cloud config. A mistake in the config is an error.
// The transport carries its calls of the cloud; nil means one that the config describes.
func Open(m Mutant, configFile string, transport http.RoundTripper) (cloudprovider.Interface, error) {
	cfg, err := config.Load(configFile)
	if err != nil {
		return nil, err
	}
	change(m.config, &cfg)
	access := client.Config{
		Endpoint: cfg.Endpoint, TokenFile: cfg.TokenFile, CA: cfg.CAFile, UserAgent: userAgent,
		Timeout: cfg.Timeout, Retries: retries(cfg), Backoff: cfg.RetryBackoff, Transport: transport,
	}
	change(m.client, &access)
	api, err := client.New(access)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", configFile, err)
	}
	return newCloud(m, cfg, api), nil
}

// retries is the client's number for that of the config: the client's 0 is its default.
func retries(cfg config.Config) int {
	if cfg.Retries == 0 {
		return -1
	}
	return cfg.Retries
}

// change lets a mutant change a value, when it does.
func change[T any](by func(T), value T) {
	if by != nil {
		by(value)
	}
}

// cloud is simcloud-ccm's provider with the parts of a mutant. It makes each part once, because a part
// may remember something and the controllers ask for it often.
type cloud struct {
	*ccm.Cloud
	instances   part[cloudprovider.InstancesV2]
	instancesV1 part[cloudprovider.Instances]
	balancers   part[cloudprovider.LoadBalancer]
	routes      part[cloudprovider.Routes]
	// informed gets the informers of the controllers; nil for no one but simcloud-ccm's provider.
	informed func(informers.SharedInformerFactory)
}

// part is a part of a provider, and whether it has that part.
type part[T any] struct {
	part T
	has  bool
}

func partOf[T any](get func() (T, bool)) part[T] {
	p, has := get()
	return part[T]{p, has}
}

func newCloud(m Mutant, cfg config.Config, api *client.Client) *cloud {
	var calls ccm.CloudAPI = api
	if m.api != nil {
		calls = m.api(api)
	}
	right := ccm.New(calls, cfg, time.Now)
	c := &cloud{
		Cloud: right, instances: partOf(right.InstancesV2), instancesV1: partOf(right.Instances),
		balancers: partOf(right.LoadBalancer), routes: partOf(right.Routes),
	}
	if m.informers != nil {
		c.informed = func(factory informers.SharedInformerFactory) { m.informers(api, factory) }
	}
	if m.instances != nil {
		vms := newInstances(c.instances.part, api)
		m.instances(vms)
		c.instances.part = vms
	}
	if m.instancesV1 != nil {
		c.instancesV1.part = m.instancesV1(c.instancesV1.part)
	}
	if m.balancers != nil {
		lbs := newBalancers(c.balancers.part, api)
		m.balancers(lbs)
		c.balancers.part = lbs
	}
	if m.routes != nil {
		r := newRoutes(c.routes.part, api)
		m.routes(r)
		c.routes.part = r
	}
	change(m.parts, c)
	return c
}

// InstancesV2 returns the mutant's.
func (c *cloud) InstancesV2() (cloudprovider.InstancesV2, bool) {
	return c.instances.part, c.instances.has
}

// Instances returns the mutant's.
func (c *cloud) Instances() (cloudprovider.Instances, bool) {
	return c.instancesV1.part, c.instancesV1.has
}

// LoadBalancer returns the mutant's.
func (c *cloud) LoadBalancer() (cloudprovider.LoadBalancer, bool) {
	return c.balancers.part, c.balancers.has
}

// Routes returns the mutant's.
func (c *cloud) Routes() (cloudprovider.Routes, bool) { return c.routes.part, c.routes.has }

// SetInformers hands the informers of the controllers to simcloud-ccm's provider, and to the mutant.
func (c *cloud) SetInformers(factory informers.SharedInformerFactory) {
	c.Cloud.SetInformers(factory)
	change(c.informed, factory)
}
