package elb

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/ec2"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/service"
)

type describeRequest struct {
	Names    []string `aws:"LoadBalancerNames"`
	Marker   string   `aws:"Marker"`
	PageSize *int     `aws:"PageSize"`
}

type descriptions struct {
	LoadBalancers []description `aws:"LoadBalancerDescriptions"`
	NextMarker    string        `aws:"NextMarker"`
}

// description is a load balancer as an answer has it. The CCM uses the check and the listeners without a look.
type description struct {
	Name      string                `aws:"LoadBalancerName"`
	DNSName   string                `aws:"DNSName"`
	Listeners []listenerDescription `aws:"ListenerDescriptions"`
	Backends  []backend             `aws:"BackendServerDescriptions"`
	Zones     []string              `aws:"AvailabilityZones"`
	Subnets   []string              `aws:"Subnets"`
	VPCID     string                `aws:"VPCId"`
	Instances []instance            `aws:"Instances"`
	Check     check                 `aws:"HealthCheck"`
	Groups    []string              `aws:"SecurityGroups"`
	Created   time.Time             `aws:"CreatedTime"`
	Scheme    string                `aws:"Scheme"`
}

type listenerDescription struct {
	Listener listener `aws:"Listener"`
	Policies []string `aws:"PolicyNames"`
}

// backend is a port of the instances that has policies.
type backend struct {
	Port     int      `aws:"InstancePort"`
	Policies []string `aws:"PolicyNames"`
}

// The schemes of a load balancer.
const (
	SchemePublic   = "internet-facing"
	SchemeInternal = "internal"
)

// pageSizes is how many load balancers a page has.
var pageSizes = service.PageSize{Least: 1, Most: 400}

func describe(c service.Call, in describeRequest) (out descriptions, err error) {
	all, err := service.All(c, c.Cloud.ListLoadBalancers)
	if err != nil {
		return out, err
	}
	all = slices.DeleteFunc(all, func(lb simcloud.LoadBalancer) bool {
		return !visible(lb) || len(in.Names) > 0 && !slices.Contains(in.Names, lb.Name)
	})
	for _, name := range in.Names {
		if !slices.ContainsFunc(all, func(lb simcloud.LoadBalancer) bool { return lb.Name == name }) {
			return out, notFound(name)
		}
	}
	page, next, err := service.Cut(c, all, func(lb simcloud.LoadBalancer) string { return string(lb.ID) },
		service.Pages{MaxResults: in.PageSize, NextToken: in.Marker}, pageSizes, in.Names)
	out.NextMarker = next
	for _, lb := range page {
		out.LoadBalancers = append(out.LoadBalancers, descriptionOf(lb))
	}
	return out, err
}

// ClassNetwork is the class of the load balancers that the second edition has. All others are classic.
const ClassNetwork = "network"

// visible reports whether a load balancer is shown: one that goes is gone.
func visible(lb simcloud.LoadBalancer) bool {
	return lb.State != simcloud.LoadBalancerDeleting && lb.Class != ClassNetwork
}

// find returns the load balancer that has a name, which is its key.
func find(c service.Call, name string) (simcloud.LoadBalancer, error) {
	named, err := simcloud.ListAll(c.Ctx(), c.Cloud.ListLoadBalancers, simcloud.ListOptions{Name: name, PageSize: simcloud.MaxPageSize})
	if err != nil {
		return simcloud.LoadBalancer{}, err
	}
	if i := slices.IndexFunc(named, visible); i >= 0 {
		return named[i], nil
	}
	return simcloud.LoadBalancer{}, notFound(name)
}

// named are the load balancers that a request names: by one name, or by a list.
func named(c service.Call) (ids []simcloud.ID) {
	names := service.Texts(c.Form, "LoadBalancerNames.member.")
	if one := c.Form.Text("LoadBalancerName"); one != "" {
		names = append(names, one)
	}
	for _, name := range names {
		if lb, err := find(c, name); err == nil {
			ids = append(ids, lb.ID)
		}
	}
	return ids
}

func notFound(name string) error {
	return service.Refuse(simcloud.NotFound, "LoadBalancerNotFound", "There is no ACTIVE Load Balancer named '%.100s'", name)
}

// descriptionOf shows a load balancer.
func descriptionOf(lb simcloud.LoadBalancer) description {
	d := description{
		Name: lb.Name, DNSName: lb.Hostname, Subnets: subnetsOf(lb), VPCID: ec2.VPCID(lb.Network), Instances: instancesOf(lb),
		Backends: backendsOf(lb), Check: checkOf(lb), Groups: groupIDs(lb), Created: lb.Created, Scheme: SchemeOf(lb),
	}
	for _, l := range lb.Listeners {
		if shown, ok := listenerOf(l); ok {
			d.Listeners = append(d.Listeners, listenerDescription{shown, strings.Fields(l.Options[optionPolicies])})
		}
	}
	slices.SortFunc(d.Listeners, func(a, b listenerDescription) int { return cmp.Compare(a.Listener.Port, b.Listener.Port) })
	return d
}

// SchemeOf is the scheme of a load balancer.
func SchemeOf(lb simcloud.LoadBalancer) string {
	if lb.Scheme == simcloud.SchemeInternal {
		return SchemeInternal
	}
	return SchemePublic
}

// dnsName is the name of a new load balancer. The CCM takes what ends in .elb.amazonaws.com for a classic one. One that
// another API has made has the name that it got there.
func dnsName(lb simcloud.LoadBalancerSpec, region simcloud.ID) string {
	name := lb.Name + "-" + simcloud.HostnameNumber + "." + string(region) + ".elb.amazonaws.com"
	if lb.Scheme == simcloud.SchemeInternal {
		return "internal-" + name
	}
	return name
}
