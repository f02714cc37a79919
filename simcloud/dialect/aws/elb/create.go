package elb

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/query"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/service"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
)

type createRequest struct {
	Name      string     `aws:"LoadBalancerName,required"`
	Listeners []listener `aws:"Listeners,required"`
	Zones     []string   `aws:"AvailabilityZones"`
	Subnets   []string   `aws:"Subnets"`
	Groups    []string   `aws:"SecurityGroups"`
	Scheme    string     `aws:"Scheme"`
	Tags      []Tag      `aws:"Tags"`
}

type created struct {
	DNSName string `aws:"DNSName"`
}

// names are what the name of a load balancer may be.
var names = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9-]{0,30}[A-Za-z0-9])?$`)

// ValidName reports whether a load balancer or target group may have a name.
func ValidName(name string) bool { return names.MatchString(name) }

// subjectOf is what a request says of the load balancer that it creates.
func subjectOf(f query.Form) fault.Subject {
	return fault.Subject{Name: f.Text("LoadBalancerName"), Labels: service.LabelsIn(f, "Tags.member.")}
}

// create makes a load balancer, or answers one that has the name and these settings already.
func create(c service.Call, in createRequest) (out created, _ *simcloud.Meta, err error) {
	if err := in.chooseSubnets(c); err != nil {
		return out, nil, err
	}
	spec, err := in.spec(c)
	if err != nil {
		return out, nil, err
	}
	spec.Hostname = dnsName(spec, c.Region)
	have, err := find(c, in.Name)
	switch {
	case err == nil && in.describes(have, spec.SecurityGroups):
		return created{have.Hostname}, &have.Meta, nil
	case err == nil:
		return out, nil, service.Refuse(simcloud.AlreadyExists, "DuplicateLoadBalancerName",
			"Load Balancer named %s already exists and it is configured with different parameters.", in.Name)
	case simcloud.CodeOf(err) != simcloud.NotFound:
		return out, nil, err
	}
	made, err := c.Cloud.CreateLoadBalancer(c.Ctx(), spec)
	if err != nil {
		return out, nil, Placed(err, spec.Scheme)
	}
	return created{made.Resource.Hostname}, &made.Resource.Meta, nil
}

// spec is what the cloud is asked for: a load balancer with an address in each subnet, of the subnet for an internal one. The
// addresses of a public one are deleted with it.
func (in createRequest) spec(c service.Call) (spec simcloud.LoadBalancerSpec, err error) {
	spec = simcloud.LoadBalancerSpec{Name: in.Name, Scheme: simcloud.SchemePublic}
	switch {
	case !ValidName(in.Name):
		return spec, service.Refuse(simcloud.Invalid, "ValidationError", "LoadBalancerName is %.100q: must have 1 to 32 letters, digits and inner hyphens", in.Name)
	case in.Scheme == SchemeInternal:
		spec.Scheme = simcloud.SchemeInternal
	case in.Scheme != "" && in.Scheme != SchemePublic:
		return spec, service.Refuse(simcloud.Invalid, "InvalidScheme", "Scheme is %.40q: must be %s or %s", in.Scheme, SchemePublic, SchemeInternal)
	}
	if spec.Network, spec.Placements, err = placements(c, in.Subnets); err != nil {
		return spec, err
	}
	if spec.SecurityGroups, err = groupsOf(c, spec.Network, in.Groups); err != nil {
		return spec, err
	}
	if spec.Labels, err = in.labels(); err != nil {
		return spec, err
	}
	check, err := firstCheck(in.Listeners[0].InstancePort).core()
	if err != nil {
		return spec, err
	}
	for _, l := range in.Listeners {
		made, err := l.spec(check, firstIdle)
		if err != nil {
			return spec, err
		}
		spec.Listeners = append(spec.Listeners, made)
	}
	return spec, nil
}

// labels are those of a new load balancer: its tags, and what the cloud does not know.
func (in createRequest) labels() (map[string]string, error) {
	tags, err := TagLabels(in.Tags)
	if err != nil {
		return nil, err
	}
	all := labels(tags)
	if err := all.put(labelSubnets, strings.Join(in.Subnets, " "), "Subnets"); err != nil {
		return nil, err
	}
	err = all.putJSON(labelCheck, firstCheck(in.Listeners[0].InstancePort), "HealthCheck")
	return all, err
}

// TagLabels are the labels that tags are.
func TagLabels(tags []Tag) (map[string]string, error) {
	all := map[string]string{}
	for _, t := range tags {
		if err := checkTag(t.Key); err != nil {
			return nil, err
		}
		all[t.Key] = t.Value
	}
	return all, nil
}

// describes reports whether the request, with these groups, asks for a load balancer as it is.
func (in createRequest) describes(lb simcloud.LoadBalancer, groups []simcloud.ID) bool {
	asked := map[int]listener{}
	for _, l := range in.Listeners {
		asked[l.Port] = l.normal()
	}
	return maps.Equal(asked, listenersOf(lb)) && (in.Scheme == SchemeInternal) == (lb.Scheme == simcloud.SchemeInternal) &&
		SameWords(in.Subnets, subnetsOf(lb)) && SameWords(groups, lb.SecurityGroups)
}

// SameWords compares texts in any order.
func SameWords[T ~string](a, b []T) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

type deleteRequest struct {
	Name string `aws:"LoadBalancerName,required"`
}

// remove deletes a load balancer. One that is not there is deleted already.
func remove(c service.Call, in deleteRequest) (out done, _ *simcloud.Meta, err error) {
	lb, err := find(c, in.Name)
	if simcloud.CodeOf(err) == simcloud.NotFound {
		return out, nil, nil
	}
	if err != nil {
		return out, nil, err
	}
	if _, err := c.Cloud.DeleteLoadBalancer(c.Ctx(), lb.ID); err != nil {
		return out, nil, err
	}
	return out, &lb.Meta, nil
}
