package openstack_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gophercloud/gophercloud/v2/openstack/loadbalancer/v2/listeners"
	"github.com/gophercloud/gophercloud/v2/openstack/loadbalancer/v2/loadbalancers"
	"github.com/gophercloud/gophercloud/v2/openstack/loadbalancer/v2/monitors"
	"github.com/gophercloud/gophercloud/v2/openstack/loadbalancer/v2/pools"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"
)

// native makes a load balancer as another client does.
func (l lab) nativeBalancer(spec simcloud.LoadBalancerSpec) string {
	l.Helper()
	return service.LoadBalancers.UUID(must[simcloud.Result[simcloud.LoadBalancer]](l)(l.native.CreateLoadBalancer(l.Context(), spec)).Resource.ID)
}

// TestForeignLoadBalancers: what another client has made is shown as well as Octavia can, and can be changed.
func TestForeignLoadBalancers(t *testing.T) {
	t.Parallel()
	l := openLab(t, 1)
	public := l.nativeBalancer(simcloud.LoadBalancerSpec{
		Name: "public", PublicFamilies: []int{4}, Targets: []simcloud.TargetSpec{{Instance: "i-1"}},
		Listeners: []simcloud.ListenerSpec{
			{Protocol: simcloud.ProtocolTCP, Port: 80, ListenerConfig: simcloud.ListenerConfig{TargetPort: 80}},
			{Protocol: simcloud.ProtocolTCPUDP, Port: 53, ListenerConfig: simcloud.ListenerConfig{TargetPort: 53}},
		},
	})
	internal := l.nativeBalancer(simcloud.LoadBalancerSpec{Name: "internal", Scheme: simcloud.SchemeInternal})
	bare := l.nativeBalancer(simcloud.LoadBalancerSpec{Name: "bare"})
	core := l.core(public)
	if lb := l.balancer(public); lb.Name != "public" || lb.Provider != "amphora" || lb.VipAddress != core.VIPs[0].Address || lb.ProvisioningStatus != "ACTIVE" ||
		lb.VipNetworkID != service.NamedUUID("network", core.VIPs[0].Pool) || lb.VipSubnetID != service.NamedUUID("subnet", core.VIPs[0].Pool) || len(lb.Pools) != 0 || len(lb.Listeners) != 1 {
		t.Errorf("the public one is %+v", lb)
	}
	if got := all(l.world, listeners.List(l.lbaas, nil), listeners.ExtractListeners); len(got) != 1 || got[0].Protocol != "TCP" || got[0].DefaultPoolID != "" ||
		!cmp.Equal(*l.listener(got[0].ID), got[0]) {
		t.Errorf("the listeners are %+v", got)
	}
	if lb := l.balancer(internal); lb.VipAddress != l.core(internal).VIPs[0].Address || lb.VipSubnetID != subnet4 || lb.VipNetworkID != service.Networks.UUID("net-1") {
		t.Errorf("the internal one is %+v", lb)
	}
	if lb := l.balancer(bare); lb.VipAddress != "" || lb.VipNetworkID != service.Networks.UUID("net-1") {
		t.Errorf("the one without addresses is %+v", lb)
	}
	name := "renamed"
	if lb := must[*loadbalancers.LoadBalancer](t)(loadbalancers.Update(t.Context(), l.lbaas, public, loadbalancers.UpdateOpts{Name: &name}).Extract()); lb.Name != name {
		t.Errorf("it is renamed to %s", lb.Name)
	}
	if after := l.core(public); len(after.Listeners) != 2 || len(after.Targets) != 1 {
		t.Errorf("after the change the cloud has %+v", after)
	}
	for _, lb := range []string{public, internal, bare} {
		if err := loadbalancers.Delete(t.Context(), l.lbaas, lb, loadbalancers.DeleteOpts{Cascade: true}).ExtractErr(); err != nil {
			t.Errorf("delete: %v", err)
		}
	}
}

// TestForeignPools: a group of another client is a pool when it is a part of a load balancer.
func TestForeignPools(t *testing.T) {
	t.Parallel()
	l := openLab(t, 2)
	lb := l.create(loadbalancers.CreateOpts{Name: "lb"}).ID
	check := simcloud.HealthCheck{Protocol: simcloud.HealthCheckHTTP, Path: "/h", StatusCodes: []string{"200"}, IntervalSeconds: 7, TimeoutSeconds: 2, Threshold: 4}
	spec := simcloud.TargetGroupSpec{
		Name: "g", Protocol: simcloud.ProtocolTCP, Port: 8080, PartOf: service.LoadBalancers.ID(lb), HealthCheck: &check, ProxyProtocol: true,
		Targets: []simcloud.GroupTargetSpec{{Instance: "i-1"}, {Instance: "i-2", Port: 81}},
	}
	group := must[simcloud.Result[simcloud.TargetGroup]](t)(l.native.CreateTargetGroup(t.Context(), spec)).Resource
	spec.Name, spec.PartOf = "free", ""
	free := must[simcloud.Result[simcloud.TargetGroup]](t)(l.native.CreateTargetGroup(t.Context(), spec)).Resource
	p := l.pool(service.Pools.UUID(group.ID))
	if p.Name != "g" || p.Protocol != "PROXY" || p.LBMethod != "ROUND_ROBIN" || len(p.Members) != 2 || p.Members[0].ID == p.Members[1].ID {
		t.Errorf("the pool is %+v", p)
	}
	members := l.members(p.ID)
	if members[0].Address != l.addresses[0] || members[0].ProtocolPort != 8080 || members[1].Address != l.addresses[1] || members[1].ProtocolPort != 81 || members[0].ID != p.Members[0].ID {
		t.Errorf("the members are %+v", members)
	}
	m := l.monitor(p.MonitorID)
	if m.Type != "HTTP" || m.Delay != 7 || m.Timeout != 2 || m.MaxRetries != 4 || m.URLPath != "/h" || m.ExpectedCodes != "200" {
		t.Errorf("the monitor is %+v", m)
	}
	name := "m"
	if m = must[*monitors.Monitor](t)(monitors.Update(t.Context(), l.lbaas, m.ID, monitors.UpdateOpts{Name: &name}).Extract()); m.Name != "m" || m.Delay != 7 {
		t.Errorf("the monitor with a name is %+v", m)
	}
	if err := pools.DeleteMember(t.Context(), l.lbaas, p.ID, members[0].ID).ExtractErr(); err != nil {
		t.Fatal(err)
	}
	if left := l.members(p.ID); len(left) != 1 || left[0].ID != members[1].ID {
		t.Errorf("the members that are left are %+v", left)
	}
	uuid := service.Pools.UUID(free.ID)
	refused(t, pools.Get(t.Context(), l.lbaas, uuid).Err, http.StatusNotFound, "Pool "+uuid+" not found.")
	if body := l.send(http.MethodGet, "/load-balancer/v2.0/lbaas/pools", "").body; strings.Contains(body, uuid) {
		t.Errorf("the list has the group of no load balancer: %s", body)
	}
	// A listener that forwards to it has no pool in Octavia.
	must[simcloud.Result[simcloud.LoadBalancer]](t)(l.native.CreateListener(t.Context(), service.LoadBalancers.ID(lb), simcloud.ListenerSpec{
		Protocol: simcloud.ProtocolTCP, Port: 80, ListenerConfig: simcloud.ListenerConfig{TargetGroup: free.ID},
	}))
	if got := l.listener(l.balancer(lb).Listeners[0].ID); got.DefaultPoolID != "" {
		t.Errorf("the listener has the pool %s", got.DefaultPoolID)
	}
}

// TestForeignProject: a client sees only what is of its own project.
func TestForeignProject(t *testing.T) {
	t.Parallel()
	l := openLab(t, 0)
	lb, listener, pool := l.simple()
	l.balancer(lb) // is remembered
	must[simcloud.Result[simcloud.Project]](t)(l.native.CreateProject(t.Context(), simcloud.ProjectSpec{Name: "other"}))
	token := must[simcloud.Result[simcloud.Token]](t)(l.native.CreateToken(t.Context(), simcloud.TokenSpec{Name: "other", Project: "other", Role: simcloud.RoleWriter})).Resource
	session := strings.Split(l.send(http.MethodPost, "/identity/v3/auth/tokens",
		`{"auth": {"identity": {"methods": ["application_credential"], "application_credential": {"id": "simcloud", "secret": "`+token.Secret+`"}}}}`).header.Get("X-Subject-Token"), ",")[0]
	for path, status := range map[string]int{
		"loadbalancers/" + lb: 404, "listeners/" + listener: 404, "pools/" + pool: 404, "pools/" + pool + "/members": 404, "loadbalancers": 200, "listeners": 200, "pools": 200,
	} {
		got := l.send(http.MethodGet, "/load-balancer/v2.0/lbaas/"+path, "", "X-Auth-Token", session)
		if got.status != status || status == 200 && strings.Contains(got.body, `"id"`) {
			t.Errorf("%s: got %d %s", path, got.status, got.body)
		}
	}
}
