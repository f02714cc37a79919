package hcloud

import (
	"context"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/edge"
)

// loadBalancerType is a class of load balancers, with its limits.
type loadBalancerType struct {
	ID              int64   `json:"id"`
	Name            string  `json:"name"`
	Description     string  `json:"description"`
	MaxConnections  int     `json:"max_connections"`
	MaxServices     int     `json:"max_services"`
	MaxTargets      int     `json:"max_targets"`
	MaxCertificates int     `json:"max_assigned_certificates"`
	Deprecated      *string `json:"deprecated"`
	Deprecation     *string `json:"deprecation"`
	Prices          []any   `json:"prices"`
}

// hetznersTypes are those of Hetzner.
func hetznersTypes() []loadBalancerType {
	return []loadBalancerType{
		newType("lb11", 5, 25, 10, 10_000), newType("lb21", 15, 75, 25, 20_000), newType("lb31", 30, 150, 50, 40_000),
	}
}

func newType(name string, services, targets, certificates, connections int) loadBalancerType {
	return loadBalancerType{
		ID: numberOfName(name), Name: name, Description: name, MaxConnections: connections, MaxServices: services,
		MaxTargets: targets, MaxCertificates: certificates, Prices: []any{},
	}
}

// types are the classes that the cloud offers.
func (call) types() []loadBalancerType { return hetznersTypes() }

// typeOf is the class of a load balancer. One that was not made through this dialect may
// have a class that Hetzner does not know: it has the limits of the smallest.
func typeOf(types []loadBalancerType, lb simcloud.LoadBalancer) loadBalancerType {
	if i := slices.IndexFunc(types, func(t loadBalancerType) bool { return t.Name == lb.Class }); i >= 0 {
		return types[i]
	}
	if lb.Class == "" {
		return types[0]
	}
	other := types[0]
	other.ID, other.Name, other.Description = numberOfName(lb.Class), lb.Class, lb.Class
	return other
}

// chosenType finds the class that a request names.
func (c call) chosenType(by *reference) (loadBalancerType, error) {
	if by == nil {
		return loadBalancerType{}, missing("load_balancer_type")
	}
	types := c.types()
	i := slices.IndexFunc(types, func(t loadBalancerType) bool { return by.is(t.Name) })
	if i < 0 {
		return loadBalancerType{}, wrong("load_balancer_type", "load balancer type %s not found", by)
	}
	return types[i], nil
}

func missing(field string) error { return wrong(field, "missing data for required field") }

func (c call) listLoadBalancerTypes() (edge.Reply, error) {
	types := c.types()
	if name := c.r.URL.Query().Get("name"); name != "" {
		types = slices.DeleteFunc(types, func(t loadBalancerType) bool { return t.Name != name })
	}
	return page(c, "load_balancer_types", types, func(part []loadBalancerType) (any, error) { return part, nil })
}

func (c call) getLoadBalancerType() (edge.Reply, error) {
	types := c.types()
	i := slices.IndexFunc(types, func(t loadBalancerType) bool { return t.ID == numberOf(c.id) })
	if i < 0 {
		return edge.Reply{}, simcloud.Errorf(simcloud.NotFound, "", "load balancer type with ID '%d' not found", numberOf(c.id))
	}
	return answered(200, "load_balancer_type", types[i]), nil
}

// changeType gives a load balancer another class. One that is too small for it is refused.
func (c call) changeType() (edge.Reply, error) {
	body, err := decode[struct {
		Type *reference `json:"load_balancer_type"`
	}](c)
	if err != nil {
		return edge.Reply{}, err
	}
	to, err := c.chosenType(body.Type)
	if err != nil {
		return edge.Reply{}, err
	}
	result, err := c.editing(func(ctx context.Context, lb simcloud.LoadBalancer, opts ...simcloud.CallOption) (loadBalancerResult, error) {
		if len(lb.Targets) > to.MaxTargets || len(lb.Listeners) > to.MaxServices {
			return loadBalancerResult{}, refuse(simcloud.Conflict, codeInvalidType,
				"%s takes %d targets and %d services, and the load balancer has %d and %d", to.Name, to.MaxTargets, to.MaxServices, len(lb.Targets), len(lb.Listeners))
		}
		if n := len(certificatesOf(lb.Listeners)); n > to.MaxCertificates {
			return loadBalancerResult{}, refuse(simcloud.Conflict, codeInvalidType,
				"%s takes %d certificates, and the load balancer has %d", to.Name, to.MaxCertificates, n)
		}
		return c.cloud.UpdateLoadBalancer(ctx, lb.ID, simcloud.LoadBalancerUpdate{Class: &to.Name}, opts...)
	})
	return c.balanced(result, err)
}
