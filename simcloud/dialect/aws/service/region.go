package service

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/query"
)

// located returns the call as one of the region that it is signed for: an unknown one is refused, and of several regions it has what
// is in its own. A request without a signature names none, as those of AssumeRoleWithWebIdentity: it has all regions, and is
// answered as the first.
func (c Call) located() (Call, error) {
	page, err := c.Cloud.ListRegions(c.now(), simcloud.ListOptions{PageSize: simcloud.MaxPageSize})
	if err != nil {
		return c, err
	}
	regions := make([]string, len(page.Items))
	for i, r := range page.Items {
		regions[i] = string(r.ID)
	}
	if len(regions) > 0 {
		c.Region = simcloud.ID(regions[0])
	}
	signed := signedRegion(c.request)
	switch {
	case signed == "":
		return c, nil
	case !slices.Contains(regions, signed):
		return c, c.Service.wrongRegion(signed, regions)
	case len(regions) == 1:
		return c, nil
	}
	c.Region = simcloud.ID(signed)
	return c, c.narrow()
}

// now is a context whose reads are not behind: a fault rule for stale answers is about what they show, and not about which regions there are.
func (c Call) now() context.Context {
	return simcloud.WithStrongReads(simcloud.WithOverride(c.Ctx(), simcloud.Override{}))
}

// signedRegion is the region in the credential of a signature; empty without one.
func signedRegion(r *http.Request) string {
	const place = 2
	if scope := ScopeOf(r); len(scope) > place {
		return scope[place]
	}
	return ""
}

// wrongRegion is the error for a signature whose region the cloud does not have.
func (s *Service) wrongRegion(signed string, regions []string) error {
	code := Code{"SignatureDoesNotMatch", http.StatusForbidden}
	if s.Scope == "ec2" {
		code = Code{"AuthFailure", http.StatusUnauthorized}
	}
	return refuseAs(simcloud.Unauthenticated, code, "Credential should be scoped to a valid region, not '%s': must be one of %s", query.Clip(signed), strings.Join(regions, ", "))
}

// narrow lets the call see its region alone.
func (c *Call) narrow() error {
	zones, err := simcloud.ListAll(c.now(), c.Cloud.ListZones, simcloud.ListOptions{PageSize: simcloud.MaxPageSize})
	if err != nil {
		return err
	}
	r := regional{API: c.Cloud, region: c.Region}
	for _, z := range zones {
		if z.Region == c.Region {
			r.zones = append(r.zones, z.ID)
		}
	}
	c.shown = r.shows
	c.Cloud = r
	if t, ok := r.API.(simcloud.Transactor); ok {
		c.Cloud = regionalTransactor{r, t}
	}
	return nil
}

// Shows reports whether the region of the call has what is in a zone.
func (c Call) Shows(zone simcloud.ID) bool { return c.shown == nil || c.shown(zone) }

// regional is a cloud of which one region is seen: zones, and what is in them. Networks, and what has no zone, are in all regions.
type regional struct {
	simcloud.API
	region simcloud.ID
	zones  []simcloud.ID
}

// regionalTransactor is a regional cloud that can run several calls as one.
type regionalTransactor struct {
	regional
	simcloud.Transactor
}

func (r regional) shows(zone simcloud.ID) bool { return zone == "" || slices.Contains(r.zones, zone) }

// hasBalancer reports whether a load balancer is in the region: one without placements is in all.
func (r regional) hasBalancer(lb simcloud.LoadBalancer) bool {
	return !slices.ContainsFunc(lb.Placements(), func(p simcloud.LoadBalancerPlacement) bool { return !r.shows(p.Zone) })
}

// keep leaves out of a page what is elsewhere.
func keep[T any](page simcloud.Page[T], err error, has func(T) bool) (simcloud.Page[T], error) {
	page.Items = slices.DeleteFunc(slices.Clone(page.Items), func(item T) bool { return !has(item) })
	return page, err
}

// seen is what was read, or NotFound when it is elsewhere.
func seen[T any](r regional, item T, err error, has bool, ref string) (T, error) {
	if err == nil && !has {
		var none T
		return none, simcloud.Errorf(simcloud.NotFound, ref, "it is not in the region %s", r.region)
	}
	return item, err
}

// ListZones implements simcloud.API.
func (r regional) ListZones(ctx context.Context, opts simcloud.ListOptions) (simcloud.Page[simcloud.Zone], error) {
	page, err := r.API.ListZones(ctx, opts)
	return keep(page, err, func(z simcloud.Zone) bool { return z.Region == r.region })
}

// ListInstances implements simcloud.API.
func (r regional) ListInstances(ctx context.Context, opts simcloud.ListOptions) (simcloud.Page[simcloud.Instance], error) {
	page, err := r.API.ListInstances(ctx, opts)
	return keep(page, err, func(i simcloud.Instance) bool { return r.shows(i.Zone) })
}

// GetInstance implements simcloud.API.
func (r regional) GetInstance(ctx context.Context, id simcloud.ID) (simcloud.Instance, error) {
	i, err := r.API.GetInstance(ctx, id)
	return seen(r, i, err, r.shows(i.Zone), simcloud.Ref(simcloud.KindInstance, id))
}

// CreateInstance implements simcloud.API. Without a zone and a subnet the instance is in the first zone of the region.
func (r regional) CreateInstance(ctx context.Context, spec simcloud.InstanceSpec, opts ...simcloud.CallOption) (simcloud.Result[simcloud.Instance], error) {
	switch {
	case !r.shows(spec.Zone):
		return simcloud.Result[simcloud.Instance]{}, simcloud.InvalidFields(string(simcloud.KindInstance), []simcloud.FieldError{
			{Field: "zone", Detail: string(spec.Zone) + " is not in the region " + string(r.region)},
		})
	case spec.Zone == "" && spec.Subnet == "" && len(r.zones) > 0:
		spec.Zone = r.zones[0]
	}
	return r.API.CreateInstance(ctx, spec, opts...)
}

// ListSubnets implements simcloud.API.
func (r regional) ListSubnets(ctx context.Context, opts simcloud.ListOptions) (simcloud.Page[simcloud.Subnet], error) {
	page, err := r.API.ListSubnets(ctx, opts)
	return keep(page, err, func(s simcloud.Subnet) bool { return r.shows(s.Zone) })
}

// ListLoadBalancers implements simcloud.API.
func (r regional) ListLoadBalancers(ctx context.Context, opts simcloud.ListOptions) (simcloud.Page[simcloud.LoadBalancer], error) {
	page, err := r.API.ListLoadBalancers(ctx, opts)
	return keep(page, err, r.hasBalancer)
}

// GetLoadBalancer implements simcloud.API.
func (r regional) GetLoadBalancer(ctx context.Context, id simcloud.ID) (simcloud.LoadBalancer, error) {
	lb, err := r.API.GetLoadBalancer(ctx, id)
	return seen(r, lb, err, r.hasBalancer(lb), simcloud.Ref(simcloud.KindLoadBalancer, id))
}
