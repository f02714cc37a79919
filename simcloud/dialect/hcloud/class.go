package hcloud

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

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
	Deprecation     *ending `json:"deprecation"`
	Prices          []any   `json:"prices"`
}

// ending says since when a class is deprecated, and until when it can be had.
type ending struct {
	Announced        time.Time `json:"announced"`
	UnavailableAfter time.Time `json:"unavailable_after"`
}

// anyNumber is the limit of what a class of the cloud does not limit: Hetzner has no word for that.
const anyNumber = math.MaxInt32

// hetznersClasses are those of Hetzner, which a cloud without classes of its own offers in this dialect.
func hetznersClasses() []simcloud.LoadBalancerClass {
	return []simcloud.LoadBalancerClass{
		{Name: "lb11", MaxListeners: 5, MaxTargets: 25, MaxCertificates: 10, MaxConnections: 10_000},
		{Name: "lb21", MaxListeners: 15, MaxTargets: 75, MaxCertificates: 25, MaxConnections: 20_000},
		{Name: "lb31", MaxListeners: 30, MaxTargets: 150, MaxCertificates: 50, MaxConnections: 40_000},
	}
}

// loadBalancerTypeOf is a class as Hetzner shows it. The cloud does not know when a
// deprecated one ends: long ago and long from now are as good as any other times.
func loadBalancerTypeOf(class simcloud.LoadBalancerClass) loadBalancerType {
	t := loadBalancerType{
		ID: numberOfName(class.Name), Name: class.Name, Description: cmp.Or(class.Description, class.Name),
		MaxConnections: cmp.Or(class.MaxConnections, anyNumber), MaxServices: cmp.Or(class.MaxListeners, anyNumber),
		MaxTargets: cmp.Or(class.MaxTargets, anyNumber), MaxCertificates: cmp.Or(class.MaxCertificates, anyNumber), Prices: []any{},
	}
	if class.Deprecated {
		t.Deprecation = &ending{
			Announced:        time.Date(2000, time.January, 1, 0, 0, 0, 0, time.UTC),
			UnavailableAfter: time.Date(2100, time.January, 1, 0, 0, 0, 0, time.UTC),
		}
		until := t.Deprecation.UnavailableAfter.Format(time.RFC3339)
		t.Deprecated = &until
	}
	return t
}

// types are the classes that the cloud offers: those of its configuration, or else Hetzner's. There is always one.
func (c call) types(ctx context.Context) ([]loadBalancerType, error) {
	config, err := c.config.read(ctx)
	if err != nil {
		return nil, err
	}
	classes := config.LoadBalancerClasses
	if len(classes) == 0 {
		classes = hetznersClasses()
	}
	return each(classes, loadBalancerTypeOf), nil
}

// typeOfNow is the class of a load balancer, as the cloud offers it now.
func (c call) typeOfNow(ctx context.Context, lb simcloud.LoadBalancer) (loadBalancerType, error) {
	types, err := c.types(ctx)
	if err != nil {
		return loadBalancerType{}, err
	}
	return typeOf(types, lb), nil
}

// typeOf is the class of a load balancer. One that was not made through this dialect may
// have a class that the cloud does not offer: it has the limits of the first.
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
func (c call) chosenType(ctx context.Context, by *reference) (loadBalancerType, error) {
	if by == nil {
		return loadBalancerType{}, missing("load_balancer_type")
	}
	types, err := c.types(ctx)
	if err != nil {
		return loadBalancerType{}, err
	}
	i := slices.IndexFunc(types, func(t loadBalancerType) bool { return by.is(t.Name) })
	if i < 0 {
		return loadBalancerType{}, wrong("load_balancer_type", "load balancer type %s not found", by)
	}
	return types[i], nil
}

func missing(field string) error { return wrong(field, "missing data for required field") }

func (c call) listLoadBalancerTypes() (edge.Reply, error) {
	types, err := c.types(c.ctx())
	if err != nil {
		return edge.Reply{}, err
	}
	if name := c.r.URL.Query().Get("name"); name != "" {
		types = slices.DeleteFunc(types, func(t loadBalancerType) bool { return t.Name != name })
	}
	return page(c, "load_balancer_types", types, func(part []loadBalancerType) (any, error) { return part, nil })
}

func (c call) getLoadBalancerType() (edge.Reply, error) {
	types, err := c.types(c.ctx())
	if err != nil {
		return edge.Reply{}, err
	}
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
	to, err := c.chosenType(c.ctx(), body.Type)
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
