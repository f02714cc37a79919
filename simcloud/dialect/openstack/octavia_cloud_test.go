package openstack_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/loadbalancer/v2/apiversions"
	"github.com/gophercloud/gophercloud/v2/openstack/loadbalancer/v2/listeners"
	"github.com/gophercloud/gophercloud/v2/openstack/loadbalancer/v2/loadbalancers"
	"github.com/gophercloud/gophercloud/v2/openstack/loadbalancer/v2/monitors"
	"github.com/gophercloud/gophercloud/v2/openstack/loadbalancer/v2/pools"
	"github.com/gophercloud/gophercloud/v2/openstack/loadbalancer/v2/providers"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"
	"github.com/simcloud-dev/simcloud/simcloud/simtest"
)

// octaviaCommon are fields of all resources of Octavia that Gophercloud does not read, or not of all.
var octaviaCommon = []string{"tenant_id", "created_at", "updated_at", "description"}

var (
	balancerShape = shape{types: []any{loadbalancers.LoadBalancer{}}, besides: append([]string{"vip_vnic_type"}, octaviaCommon...)}
	listenerShape = shape{types: []any{listeners.Listener{}}, besides: octaviaCommon, optional: []string{"default_pool", "pools"}}
	poolShape     = shape{types: []any{pools.Pool{}}, besides: octaviaCommon, optional: []string{"subnet_id", "provider", "healthmonitor"}}
	memberShape   = shape{types: []any{pools.Member{}}, besides: octaviaCommon, optional: []string{"pool_id"}}
	monitorShape  = shape{types: []any{monitors.Monitor{}}, besides: append([]string{"http_version"}, octaviaCommon...), optional: []string{"status"}}
	octaviaShapes = map[string]shape{
		"versions": {types: []any{apiversions.APIVersion{}}, besides: []string{"updated", "links"}}, "providers": {types: []any{providers.Provider{}}},
		"loadbalancer": balancerShape, "loadbalancers": balancerShape, "listener": listenerShape, "listeners": listenerShape,
		"pool": poolShape, "pools": poolShape, "member": memberShape, "members": memberShape,
		"healthmonitor": monitorShape, "healthmonitors": monitorShape,
	}
)

// octaviaError checks an error of Octavia.
func octaviaError(parts map[string]json.RawMessage) error {
	var code, text string
	if err := errors.Join(json.Unmarshal(parts["faultcode"], &code), json.Unmarshal(parts["faultstring"], &text)); err != nil {
		return err
	}
	if len(parts) != 3 || string(parts["debuginfo"]) != "null" || code != "Client" && code != "Server" || text == "" {
		return errors.New("must have faultcode, faultstring and debuginfo")
	}
	return nil
}

// subnet4 is the whole of the network that each cloud has.
var subnet4 = service.WholeSubnets.UUID("net-1")

// lab is a world with a client of Octavia, and servers that members can be.
type lab struct {
	world
	lbaas *gophercloud.ServiceClient
	// addresses are the private IPv4 addresses of the servers.
	addresses []string
}

// openLab opens a world with some servers.
func openLab(t *testing.T, servers int, opts ...simtest.Option) lab {
	t.Helper()
	l := lab{world: open(t, opts...)}
	l.lbaas = l.clientOf(openstack.NewLoadBalancerV2)
	for range servers {
		l.addresses = append(l.addresses, privateOf(l.instance(simcloud.InstanceSpec{Name: "node"})))
	}
	return l
}

// slowLab is openLab for a cloud where each change takes a minute.
func slowLab(t *testing.T, servers int) lab {
	t.Helper()
	l := openLab(t, servers, simtest.ManualClock(), simtest.Slow(time.Minute))
	l.settle()
	return l
}

// settle lets all that runs come to its end.
func (l lab) settle() {
	l.Helper()
	for range 3 { // a change may consist of several operations, which run one after the other
		must[simcloud.ClockAdvance](l)(l.native.AdvanceClock(l.Context(), simcloud.Duration(time.Minute)))
	}
}

// privateOf is the private IPv4 address of an instance.
func privateOf(i simcloud.Instance) string {
	for _, a := range i.Addresses {
		if a.Scope == simcloud.ScopePrivate && len(a.Address) < len("255.255.255.255")+1 {
			return a.Address
		}
	}
	return ""
}

// create makes a load balancer, and fails the test when that is refused.
func (l lab) create(opts loadbalancers.CreateOpts) *loadbalancers.LoadBalancer {
	l.Helper()
	if opts.VipSubnetID == "" && opts.VipNetworkID == "" {
		opts.VipSubnetID = subnet4
	}
	return must[*loadbalancers.LoadBalancer](l)(loadbalancers.Create(l.Context(), l.lbaas, opts).Extract())
}

func (l lab) balancer(id string) *loadbalancers.LoadBalancer {
	l.Helper()
	return must[*loadbalancers.LoadBalancer](l)(loadbalancers.Get(l.Context(), l.lbaas, id).Extract())
}

func (l lab) listener(id string) *listeners.Listener {
	l.Helper()
	return must[*listeners.Listener](l)(listeners.Get(l.Context(), l.lbaas, id).Extract())
}

func (l lab) pool(id string) *pools.Pool {
	l.Helper()
	return must[*pools.Pool](l)(pools.Get(l.Context(), l.lbaas, id).Extract())
}

func (l lab) members(pool string) []pools.Member {
	l.Helper()
	return all(l.world, pools.ListMembers(l.lbaas, pool, nil), pools.ExtractMembers)
}

func (l lab) monitor(id string) *monitors.Monitor {
	l.Helper()
	return must[*monitors.Monitor](l)(monitors.Get(l.Context(), l.lbaas, id).Extract())
}

// core is a load balancer as the cloud has it.
func (l lab) core(uuid string) simcloud.LoadBalancer {
	l.Helper()
	return must[simcloud.LoadBalancer](l)(l.native.GetLoadBalancer(l.Context(), service.LoadBalancers.ID(uuid)))
}

// group is a pool as the cloud has it.
func (l lab) group(uuid string) simcloud.TargetGroup {
	l.Helper()
	return must[simcloud.TargetGroup](l)(l.native.GetTargetGroup(l.Context(), service.Pools.ID(uuid)))
}

// wholeTree are the options of a load balancer as the CCM makes it: one listener with a pool, a monitor and members.
func (l lab) wholeTree() loadbalancers.CreateOpts {
	limit, client, port := -1, 60_000, 10256
	var members []pools.CreateMemberOpts
	for _, address := range l.addresses {
		members = append(members, pools.CreateMemberOpts{Name: "node", Address: address, ProtocolPort: 30080, SubnetID: subnet4, MonitorPort: &port})
	}
	return loadbalancers.CreateOpts{
		Name: "kube_service_c_default_web", Description: "Kubernetes external service default/web from cluster c", Provider: "amphora", VipSubnetID: subnet4,
		Tags: []string{"kube_service_c_default_web"},
		Listeners: []listeners.CreateOpts{{
			Name: "listener_0_kube_service_c_default_web", Protocol: listeners.ProtocolTCP, ProtocolPort: 80, ConnLimit: &limit, TimeoutClientData: &client,
			AllowedCIDRs: []string{"10.1.0.0/16", "192.0.2.0/24"}, Tags: []string{"kube_service_c_default_web"},
			DefaultPool: &pools.CreateOpts{
				Name: "pool_0_kube_service_c_default_web", Protocol: pools.ProtocolPROXY, LBMethod: pools.LBMethodRoundRobin,
				Persistence: &pools.SessionPersistence{Type: "SOURCE_IP"}, Members: members,
				Monitor: monitors.CreateOpts{
					Name: "monitor_0_kube_service_c_default_web", Type: monitors.TypeHTTP, Delay: 5, Timeout: 3, MaxRetries: 1, MaxRetriesDown: 3,
					URLPath: "/healthz", HTTPMethod: "GET", ExpectedCodes: "200",
				},
			},
		}},
	}
}

// simple is a load balancer with one listener for TCP, at port 80, and its pool.
func (l lab) simple() (lb, listener, pool string) {
	l.Helper()
	made := l.create(loadbalancers.CreateOpts{Name: "lb", Listeners: []listeners.CreateOpts{{
		Protocol: listeners.ProtocolTCP, ProtocolPort: 80, DefaultPool: &pools.CreateOpts{Protocol: pools.ProtocolTCP, LBMethod: pools.LBMethodRoundRobin},
	}}})
	return made.ID, made.Listeners[0].ID, made.Pools[0].ID
}

func (l lab) post(path, body string, status int, text string) {
	l.Helper()
	l.answers(http.MethodPost, path, body, status, text)
}

func (l lab) put(path, body string, status int, text string) {
	l.Helper()
	l.answers(http.MethodPut, path, body, status, text)
}

// answers sends a request as no library would, and compares the answer.
func (l lab) answers(method, path, body string, status int, text string) {
	l.Helper()
	if got := l.send(method, "/load-balancer/v2.0/lbaas/"+path, body); got.status != status || !strings.Contains(got.body, text) {
		l.Errorf("%s %s %s: got %d %s, want %d and %q", method, path, body, got.status, got.body, status, text)
	}
}

// dual makes a network of both families with a server.
func (l lab) dual() {
	l.Helper()
	net := must[simcloud.Result[simcloud.Network]](l)(l.native.CreateNetwork(l.Context(), simcloud.NetworkSpec{Name: "dual", CIDRs: []string{"10.50.0.0/16", "fd00:50::/64"}})).Resource.ID
	l.instance(simcloud.InstanceSpec{Name: "node", Network: net})
}

// dualPool makes a pool in that network.
func (l lab) dualPool() string {
	l.Helper()
	lb := l.create(loadbalancers.CreateOpts{Name: "six", VipSubnetID: service.WholeSubnets.UUIDOfPart("net-2", 1)})
	return must[*pools.Pool](l)(pools.Create(l.Context(), l.lbaas, pools.CreateOpts{LoadbalancerID: lb.ID, Protocol: "TCP", LBMethod: "ROUND_ROBIN"}).Extract()).ID
}
