package mutant

import (
	"k8s.io/client-go/informers"
	cloudprovider "k8s.io/cloud-provider"

	"github.com/simcloud-dev/simcloud/ccm"
)

// cloud is the right provider with some of its parts changed; nil changes nothing.
type cloud struct {
	*ccm.Cloud
	instances   func(cloudprovider.InstancesV2) cloudprovider.InstancesV2
	instancesV1 func(cloudprovider.Instances) cloudprovider.Instances
	balancers   func(cloudprovider.LoadBalancer) cloudprovider.LoadBalancer
	routes      func(cloudprovider.Routes) cloudprovider.Routes
}

// InstancesV2 returns those of the provider, changed.
func (c cloud) InstancesV2() (cloudprovider.InstancesV2, bool) {
	right, ok := c.Cloud.InstancesV2()
	return changed(right, c.instances), ok
}

// Instances returns those of the provider, changed.
func (c cloud) Instances() (cloudprovider.Instances, bool) {
	right, ok := c.Cloud.Instances()
	return changed(right, c.instancesV1), ok
}

// LoadBalancer returns that of the provider, changed.
func (c cloud) LoadBalancer() (cloudprovider.LoadBalancer, bool) {
	right, ok := c.Cloud.LoadBalancer()
	return changed(right, c.balancers), ok
}

// Routes returns those of the provider, changed.
func (c cloud) Routes() (cloudprovider.Routes, bool) {
	right, ok := c.Cloud.Routes()
	return changed(right, c.routes), ok
}

func changed[T any](right T, change func(T) T) T {
	if change == nil {
		return right
	}
	return change(right)
}

// settled asks a provider for its parts once, as the controllers do often: a
// part that a bug has changed may remember something.
type settled struct {
	cloudprovider.Interface
	instances   part[cloudprovider.InstancesV2]
	instancesV1 part[cloudprovider.Instances]
	balancers   part[cloudprovider.LoadBalancer]
	routes      part[cloudprovider.Routes]
}

type part[T any] struct {
	part T
	has  bool
}

func settle[T any](get func() (T, bool)) part[T] {
	p, has := get()
	return part[T]{p, has}
}

func settleAll(c cloudprovider.Interface) settled {
	return settled{
		Interface: c, instances: settle(c.InstancesV2), instancesV1: settle(c.Instances),
		balancers: settle(c.LoadBalancer), routes: settle(c.Routes),
	}
}

// InstancesV2 returns those of the provider.
func (s settled) InstancesV2() (cloudprovider.InstancesV2, bool) {
	return s.instances.part, s.instances.has
}

// Instances returns those of the provider.
func (s settled) Instances() (cloudprovider.Instances, bool) {
	return s.instancesV1.part, s.instancesV1.has
}

// LoadBalancer returns that of the provider.
func (s settled) LoadBalancer() (cloudprovider.LoadBalancer, bool) {
	return s.balancers.part, s.balancers.has
}

// Routes returns those of the provider.
func (s settled) Routes() (cloudprovider.Routes, bool) { return s.routes.part, s.routes.has }

// SetInformers hands the informers on.
func (s settled) SetInformers(factory informers.SharedInformerFactory) {
	if user, ok := s.Interface.(cloudprovider.InformerUser); ok {
		user.SetInformers(factory)
	}
}
