package openstack_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/loadbalancer/v2/apiversions"
	"github.com/gophercloud/gophercloud/v2/openstack/loadbalancer/v2/listeners"
	"github.com/gophercloud/gophercloud/v2/openstack/loadbalancer/v2/loadbalancers"
	"github.com/gophercloud/gophercloud/v2/openstack/loadbalancer/v2/monitors"
	"github.com/gophercloud/gophercloud/v2/openstack/loadbalancer/v2/pools"
	"github.com/gophercloud/gophercloud/v2/openstack/loadbalancer/v2/providers"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
)

func TestOctaviaVersions(t *testing.T) {
	t.Parallel()
	l := openLab(t, 0)
	root := l.clientOf(openstack.NewLoadBalancerV2)
	versions := all(l.world, apiversions.List(root), apiversions.ExtractAPIVersions)
	if last := versions[len(versions)-1]; versions[0] != (apiversions.APIVersion{ID: "v2.0", Status: "SUPPORTED"}) || last.Status != "CURRENT" {
		t.Errorf("the versions are %v", versions)
	}
	older := map[string]string{simcloud.VariantOpenStackOctavia: "v2.4"}
	must[simcloud.Config](t)(l.native.UpdateConfig(t.Context(), simcloud.ConfigUpdate{DialectVariants: &older}))
	versions = all(l.world, apiversions.List(root), apiversions.ExtractAPIVersions)
	if len(versions) != 5 || versions[4] != (apiversions.APIVersion{ID: "v2.4", Status: "CURRENT"}) {
		t.Errorf("the versions of an older one are %v", versions)
	}
	if got := all(l.world, providers.List(l.lbaas, nil), providers.ExtractProviders); len(got) != 3 || got[0].Name != "amphora" || got[2].Name != "ovn" {
		t.Errorf("the providers are %v", got)
	}
}

// TestWholeTree: a load balancer is created with all that is a part of it, which comes back as it was sent.
func TestWholeTree(t *testing.T) {
	t.Parallel()
	l := slowLab(t, 2)
	made := l.create(l.wholeTree())
	if made.ProvisioningStatus != "PENDING_CREATE" || made.OperatingStatus != "OFFLINE" || made.VipAddress == "" || made.VipPortID == "" {
		t.Errorf("the new load balancer is %+v", made)
	}
	if len(made.Listeners) != 1 || made.Listeners[0].ProtocolPort != 80 || len(made.Pools) != 1 || made.Pools[0].ProvisioningStatus != "PENDING_CREATE" {
		t.Errorf("the answer has the listeners %+v and the pools %+v in full", made.Listeners, made.Pools)
	}
	before := l.balancer(made.ID)
	if before.Listeners[0].ProtocolPort != 0 || before.Listeners[0].ID != made.Listeners[0].ID || before.ProvisioningStatus != "PENDING_CREATE" {
		t.Errorf("a read has %+v, want the ids of listeners alone", before)
	}
	l.settle()
	lb := l.balancer(made.ID)
	if lb.ProvisioningStatus != "ACTIVE" || lb.OperatingStatus != "ONLINE" || lb.Name != "kube_service_c_default_web" || lb.Provider != "amphora" ||
		lb.VipSubnetID != subnet4 || lb.VipNetworkID != service.Networks.UUID("net-1") || lb.VipPortID != service.VIPPorts.UUID("lb-1") ||
		lb.Description != "Kubernetes external service default/web from cluster c" || lb.CreatedAt.IsZero() {
		t.Errorf("the load balancer is %+v", lb)
	}
	l.sameListener(l.listener(lb.Listeners[0].ID), lb)
	l.samePool(l.pool(lb.Pools[0].ID), lb)
	l.sameCore(lb)
}

func (l lab) sameListener(got *listeners.Listener, lb *loadbalancers.LoadBalancer) {
	l.Helper()
	want := &listeners.Listener{
		ID: got.ID, ProjectID: service.ProjectUUID("default"), Name: "listener_0_kube_service_c_default_web", Protocol: "TCP", ProtocolPort: 80,
		DefaultPoolID: lb.Pools[0].ID, Loadbalancers: []listeners.LoadBalancerID{{ID: lb.ID}}, ConnLimit: -1, SniContainerRefs: []string{},
		AdminStateUp: true, L7Policies: got.L7Policies, ProvisioningStatus: "ACTIVE", TimeoutClientData: 60_000, TimeoutMemberData: 50_000,
		TimeoutMemberConnect: 5_000, InsertHeaders: map[string]string{}, AllowedCIDRs: []string{"10.1.0.0/16", "192.0.2.0/24"},
		Tags: []string{"kube_service_c_default_web"}, ClientAuthentication: "NONE", OperatingStatus: "ONLINE",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		l.Errorf("the listener (-want +got):\n%s", diff)
	}
}

func (l lab) samePool(got *pools.Pool, lb *loadbalancers.LoadBalancer) {
	l.Helper()
	if got.Name != "pool_0_kube_service_c_default_web" || got.Protocol != "PROXY" || got.LBMethod != "ROUND_ROBIN" || got.Persistence.Type != "SOURCE_IP" ||
		got.Listeners[0].ID != lb.Listeners[0].ID || got.Loadbalancers[0].ID != lb.ID || got.ProvisioningStatus != "ACTIVE" || len(got.Members) != 2 {
		l.Errorf("the pool is %+v", got)
	}
	members := l.members(got.ID)
	for i, m := range members {
		if m.ID != got.Members[i].ID || m.Name != "node" || m.Address != l.addresses[i] || m.ProtocolPort != 30080 || m.MonitorPort != 10256 || m.Weight != 1 ||
			m.SubnetID != subnet4 || m.ProvisioningStatus != "ACTIVE" || m.OperatingStatus != "ONLINE" || m.CreatedAt.IsZero() || m.Backup {
			l.Errorf("member %d is %+v", i, m)
		}
		if one := must[*pools.Member](l)(pools.GetMember(l.Context(), l.lbaas, got.ID, m.ID).Extract()); cmp.Diff(m, *one) != "" {
			l.Errorf("by itself member %d is %+v", i, one)
		}
	}
	m := l.monitor(got.MonitorID)
	if m.Name != "monitor_0_kube_service_c_default_web" || m.Type != "HTTP" || m.Delay != 5 || m.Timeout != 3 || m.MaxRetries != 1 || m.MaxRetriesDown != 3 ||
		m.URLPath != "/healthz" || m.HTTPMethod != "GET" || m.ExpectedCodes != "200" || m.Pools[0].ID != got.ID || !m.AdminStateUp {
		l.Errorf("the monitor is %+v", m)
	}
}

// sameCore: the cloud forwards as Octavia shows.
func (l lab) sameCore(lb *loadbalancers.LoadBalancer) {
	l.Helper()
	core, group := l.core(lb.ID), l.group(lb.Pools[0].ID)
	if core.Name != lb.Name || core.VIPs[0].Address != lb.VipAddress || core.Algorithm != simcloud.RoundRobin || !core.Affinity.ClientIP || len(core.Targets) != 0 {
		l.Errorf("the cloud has the load balancer %+v", core)
	}
	if got := core.Listeners[0]; got.ID != "tcp-80" || got.TargetGroup != group.ID || !cmp.Equal(got.AllowedCIDRs, []string{"10.1.0.0/16", "192.0.2.0/24"}) {
		l.Errorf("the cloud has the listener %+v", got)
	}
	check := simcloud.HealthCheck{
		Protocol: simcloud.HealthCheckHTTP, Port: 10256, Path: "/healthz", StatusCodes: []string{"200"}, IntervalSeconds: 5, TimeoutSeconds: 3, Threshold: 1,
	}
	if diff := cmp.Diff(&check, group.HealthCheck); diff != "" || !group.ProxyProtocol || group.PartOf != core.ID || group.LoadBalancer != core.ID {
		l.Errorf("the cloud has the group %+v, its check differs (-want +got):\n%s", group, diff)
	}
	for i, target := range group.Targets {
		if target.Instance != simcloud.ID([]string{"i-1", "i-2"}[i]) || target.Port != 30080 || target.Weight != 1 {
			l.Errorf("target %d of the cloud is %+v", i, target)
		}
	}
}

// writes are all that changes a load balancer that is there, by what they change of it.
func (l lab) writes(lb, listener, pool, member, monitor string) map[string]func() error {
	ctx, c, name := l.Context(), l.lbaas, "other"
	return map[string]func() error{
		"CreateListener": func() error {
			return listeners.Create(ctx, c, listeners.CreateOpts{LoadbalancerID: lb, Protocol: "TCP", ProtocolPort: 81}).Err
		},
		"UpdateListener": func() error { return listeners.Update(ctx, c, listener, listeners.UpdateOpts{Name: &name}).Err },
		"DeleteListener": func() error { return listeners.Delete(ctx, c, listener).Err },
		"CreatePool": func() error {
			return pools.Create(ctx, c, pools.CreateOpts{LoadbalancerID: lb, Protocol: "TCP", LBMethod: "ROUND_ROBIN"}).Err
		},
		"UpdatePool": func() error { return pools.Update(ctx, c, pool, pools.UpdateOpts{Name: &name}).Err },
		"DeletePool": func() error { return pools.Delete(ctx, c, pool).Err },
		"CreateMember": func() error {
			return pools.CreateMember(ctx, c, pool, pools.CreateMemberOpts{Address: l.addresses[0], ProtocolPort: 81}).Err
		},
		"UpdateMembers": func() error {
			return pools.BatchUpdateMembers(ctx, c, pool, []pools.BatchUpdateMemberOpts{}).Err
		},
		"DeleteMember": func() error { return pools.DeleteMember(ctx, c, pool, member).Err },
		"CreateHealthMonitor": func() error {
			return monitors.Create(ctx, c, monitors.CreateOpts{PoolID: pool, Type: "TCP", Delay: 5, Timeout: 3, MaxRetries: 1}).Err
		},
		"UpdateHealthMonitor": func() error { return monitors.Update(ctx, c, monitor, monitors.UpdateOpts{Name: &name}).Err },
		"DeleteHealthMonitor": func() error { return monitors.Delete(ctx, c, monitor).Err },
	}
}

// TestLifeOfALoadBalancer: what can be done in which status.
func TestLifeOfALoadBalancer(t *testing.T) {
	t.Parallel()
	l := slowLab(t, 1)
	made := l.create(l.wholeTree())
	pool := made.Pools[0]
	writes := l.writes(made.ID, made.Listeners[0].ID, pool.ID, pool.Members[0].ID, pool.MonitorID)
	name := "renamed"
	rename := func() error {
		return loadbalancers.Update(t.Context(), l.lbaas, made.ID, loadbalancers.UpdateOpts{Name: &name}).Err
	}
	remove := func() error {
		return loadbalancers.Delete(t.Context(), l.lbaas, made.ID, loadbalancers.DeleteOpts{Cascade: true}).Err
	}
	failover := func() error { return loadbalancers.Failover(t.Context(), l.lbaas, made.ID).Err }
	whole := map[string]func() error{"UpdateLoadBalancer": rename, "DeleteLoadBalancer": remove, "FailoverLoadBalancer": failover}
	immutable := func(status string) {
		t.Helper()
		if now := l.balancer(made.ID).ProvisioningStatus; now != status {
			t.Errorf("the status is %s, want %s", now, status)
		}
		for what, write := range writes {
			t.Log(status, what)
			refused(t, write(), http.StatusConflict, `"faultstring":"Load Balancer `+made.ID+` is immutable and cannot be updated."`)
		}
	}
	invalid := func(status string, calls ...string) {
		t.Helper()
		for _, what := range calls {
			refused(t, whole[what](), http.StatusConflict, "Invalid state "+status+" of loadbalancer resource "+made.ID)
		}
	}
	immutable("PENDING_CREATE")
	invalid("PENDING_CREATE", "UpdateLoadBalancer", "DeleteLoadBalancer", "FailoverLoadBalancer")
	l.settle()
	if err := rename(); err != nil {
		t.Fatal(err)
	}
	immutable("PENDING_UPDATE")
	invalid("PENDING_UPDATE", "UpdateLoadBalancer", "DeleteLoadBalancer", "FailoverLoadBalancer")
	l.settle()
	l.fails("UpdateLoadBalancer", `{"state": {"to": "error"}}`)
	if err := rename(); err != nil { // nothing differs
		t.Fatal(err)
	}
	name = "other"
	if err := rename(); err != nil {
		t.Fatal(err)
	}
	l.settle()
	immutable("ERROR")
	invalid("ERROR", "UpdateLoadBalancer")
	if err := failover(); err != nil {
		t.Errorf("failover in ERROR: %v", err)
	}
	l.settle()
	if now := l.balancer(made.ID); now.ProvisioningStatus != "ACTIVE" {
		t.Errorf("after the failover it is %s", now.ProvisioningStatus)
	}
	refused(t, loadbalancers.Delete(t.Context(), l.lbaas, made.ID, nil).Err, http.StatusBadRequest,
		"Validation failure: Cannot delete Load Balancer "+made.ID+" - it has children")
	if err := remove(); err != nil {
		t.Fatal(err)
	}
	immutable("PENDING_DELETE")
	invalid("PENDING_DELETE", "UpdateLoadBalancer", "DeleteLoadBalancer", "FailoverLoadBalancer")
	if got := all(l.world, loadbalancers.List(l.lbaas, nil), loadbalancers.ExtractLoadBalancers); len(got) != 1 || got[0].ProvisioningStatus != "PENDING_DELETE" {
		t.Errorf("while it is being deleted the list has %+v", got)
	}
	l.settle()
	l.gone(made.ID, made.Listeners[0].ID, pool.ID, pool.MonitorID)
}

// gone: nothing is left of a load balancer, in Octavia and in the cloud.
func (l lab) gone(lb, listener, pool, monitor string) {
	l.Helper()
	refused(l, loadbalancers.Get(l.Context(), l.lbaas, lb).Err, http.StatusNotFound, "Load Balancer "+lb+" not found.")
	refused(l, listeners.Get(l.Context(), l.lbaas, listener).Err, http.StatusNotFound, "Listener "+listener+" not found.")
	refused(l, pools.Get(l.Context(), l.lbaas, pool).Err, http.StatusNotFound, "Pool "+pool+" not found.")
	refused(l, monitors.Get(l.Context(), l.lbaas, monitor).Err, http.StatusNotFound, "Health Monitor "+monitor+" not found.")
	for _, path := range []string{"loadbalancers", "listeners", "pools", "healthmonitors"} {
		l.answers(http.MethodGet, path, "", http.StatusOK, `{"`+path+`":[]}`)
	}
	groups := must[simcloud.Page[simcloud.TargetGroup]](l)(l.native.ListTargetGroups(l.Context(), simcloud.ListOptions{}))
	if len(groups.Items) != 0 {
		l.Errorf("the cloud still has the groups %+v", groups.Items)
	}
}

// fails adds a rule for one operation, with an effect as JSON.
func (l lab) fails(operation, effect string) {
	l.Helper()
	var e fault.Effect
	if err := json.Unmarshal([]byte(effect), &e); err != nil {
		l.Fatal(err)
	}
	must[fault.Rule](l)(l.native.AddFault(l.Context(), fault.Rule{Match: fault.Match{Operation: operation}, Effect: e}))
}

// forgets removes all rules.
func (l lab) forgets() {
	l.Helper()
	if err := l.native.ClearFaults(l.Context()); err != nil {
		l.Fatal(err)
	}
}

// TestCascadeTakesFloatingIPsOff: the port of the VIP goes, and what is attached to it is free again.
func TestCascadeTakesFloatingIPsOff(t *testing.T) {
	t.Parallel()
	l := openLab(t, 0)
	lb, _, _ := l.simple()
	fip := must[simcloud.Result[simcloud.FloatingIP]](t)(l.native.CreateFloatingIP(t.Context(), simcloud.FloatingIPSpec{
		Name: "f", AttachedTo: simcloud.Attachment{Kind: simcloud.KindLoadBalancer, ID: service.LoadBalancers.ID(lb)},
	})).Resource
	if now := l.balancer(lb); now.VipAddress == fip.Address || now.VipAddress == "" {
		t.Errorf("with a floating IP the address of the VIP is %s", now.VipAddress)
	}
	if err := loadbalancers.Delete(t.Context(), l.lbaas, lb, loadbalancers.DeleteOpts{Cascade: true}).ExtractErr(); err != nil {
		t.Fatal(err)
	}
	if now := must[simcloud.FloatingIP](t)(l.native.GetFloatingIP(t.Context(), fip.ID)); now.AttachedTo != (simcloud.Attachment{}) {
		t.Errorf("the floating IP is attached to %v", now.AttachedTo)
	}
}

// TestUpdateLoadBalancer: what a request does not have stays.
func TestUpdateLoadBalancer(t *testing.T) {
	t.Parallel()
	l := openLab(t, 1)
	made := l.create(l.wholeTree())
	update := func(opts loadbalancers.UpdateOpts) *loadbalancers.LoadBalancer {
		t.Helper()
		return must[*loadbalancers.LoadBalancer](t)(loadbalancers.Update(t.Context(), l.lbaas, made.ID, opts).Extract())
	}
	before := l.balancer(made.ID)
	tags := []string{"a", "b"}
	now := update(loadbalancers.UpdateOpts{Tags: &tags})
	if !cmp.Equal(now.Tags, tags) || now.Name != before.Name || now.Description != before.Description || now.VipAddress != before.VipAddress || len(now.Pools) != 1 {
		t.Errorf("after a change of the tags it is %+v", now)
	}
	none := []string{""}
	if now = update(loadbalancers.UpdateOpts{Tags: &none}); len(now.Tags) != 0 {
		t.Errorf("the tags are %q, want none", now.Tags)
	}
	text := ""
	if now = update(loadbalancers.UpdateOpts{Description: &text}); now.Description != "" || now.Name != before.Name {
		t.Errorf("after a change of the description it is %+v", now)
	}
	if core := l.core(made.ID); !core.Affinity.ClientIP || len(core.Listeners) != 1 {
		t.Errorf("the cloud has %+v", core)
	}
	for body, want := range map[string]string{
		`{"loadbalancer": {"admin_state_up": false}}`:  "admin_state_up",
		`{"loadbalancer": {"vip_qos_policy_id": "x"}}`: "vip_qos_policy_id",
	} {
		l.put("loadbalancers/"+made.ID, body, http.StatusNotImplemented, want)
	}
	for body, want := range map[string]string{
		`{"loadbalancer": {"vip_address": "10.0.0.9"}}`: "vip_address",
		`{"loadbalancer": {"tags": "a"}}`:               "loadbalancer.tags: string is not allowed",
		`{"loadbalancer": []}`:                          "array is not allowed",
		`[]`:                                            "must be an object",
		`{`:                                             "not JSON",
		`{"loadbalancer": {"name": "` + strings.Repeat("x", 256) + `"}}`: "name has 256 characters",
	} {
		l.put("loadbalancers/"+made.ID, body, http.StatusBadRequest, want)
	}
	if after := l.balancer(made.ID); after.Name != before.Name {
		t.Errorf("a change that was refused has made the name %q", after.Name)
	}
}

// TestNamesOfLoadBalancers: Octavia takes names that the cloud does not, and the same one twice.
func TestNamesOfLoadBalancers(t *testing.T) {
	t.Parallel()
	l := openLab(t, 0)
	long := "kube_service_" + strings.Repeat("x", 241) + "_"
	for _, name := range []string{long, "trailing_", "", "two words", "größe", "日本語", "a", "a", "___", strings.Repeat("語", 255)} {
		made := l.create(loadbalancers.CreateOpts{Name: name})
		if got := l.balancer(made.ID).Name; got != name || made.Name != name {
			t.Errorf("the name is %q, want %q", got, name)
		}
		found := all(l.world, loadbalancers.List(l.lbaas, loadbalancers.ListOpts{Name: name}), loadbalancers.ExtractLoadBalancers)
		if name != "" && (len(found) == 0 || found[len(found)-1].ID != made.ID) {
			t.Errorf("by the name %q: got %d load balancers", name, len(found))
		}
	}
	if twice := all(l.world, loadbalancers.List(l.lbaas, loadbalancers.ListOpts{Name: "a"}), loadbalancers.ExtractLoadBalancers); len(twice) != 2 {
		t.Errorf("%d load balancers have one name, want 2", len(twice))
	}
	renamed := l.create(loadbalancers.CreateOpts{Name: long})
	plain := "plain"
	must[*loadbalancers.LoadBalancer](t)(loadbalancers.Update(t.Context(), l.lbaas, renamed.ID, loadbalancers.UpdateOpts{Name: &plain}).Extract())
	if got, core := l.balancer(renamed.ID).Name, l.core(renamed.ID); got != plain || core.Name != plain || core.Options["name"] != "" {
		t.Errorf("it is renamed to %q, in the cloud %q with %v", got, core.Name, core.Options)
	}
}

// TestManyTags: more than one option of the cloud has room for.
func TestManyTags(t *testing.T) {
	t.Parallel()
	l := openLab(t, 1)
	var tags []string
	for i := range 12 {
		tags = append(tags, string(rune('a'+i))+strings.Repeat("ü", 254))
	}
	opts := l.wholeTree()
	opts.Tags, opts.Listeners[0].Tags, opts.Listeners[0].DefaultPool.Tags = tags, tags, tags
	made := l.create(opts)
	if got := l.balancer(made.ID).Tags; !cmp.Equal(got, tags) {
		t.Errorf("the load balancer has %d tags", len(got))
	}
	if got := l.listener(made.Listeners[0].ID).Tags; !cmp.Equal(got, tags) {
		t.Errorf("the listener has %d tags", len(got))
	}
	if got := l.pool(made.Pools[0].ID).Tags; !cmp.Equal(got, tags) {
		t.Errorf("the pool has %d tags", len(got))
	}
	few := tags[:1]
	now := must[*loadbalancers.LoadBalancer](t)(loadbalancers.Update(t.Context(), l.lbaas, made.ID, loadbalancers.UpdateOpts{Tags: &few}).Extract())
	if !cmp.Equal(now.Tags, few) {
		t.Errorf("of the tags are left %q", now.Tags)
	}
	too := []string{strings.Repeat("x", 256)}
	refused(t, loadbalancers.Update(t.Context(), l.lbaas, made.ID, loadbalancers.UpdateOpts{Tags: &too}).Err, http.StatusBadRequest, "a tag has more than 255")
	many := make([]string, 200)
	for i := range many {
		many[i] = strings.Repeat("x", 255)
	}
	refused(t, loadbalancers.Update(t.Context(), l.lbaas, made.ID, loadbalancers.UpdateOpts{Tags: &many}).Err, http.StatusBadRequest, "attributes: ")
}

// TestVIP: where the address of a load balancer is from.
func TestVIP(t *testing.T) {
	t.Parallel()
	l := openLab(t, 0)
	network := service.Networks.UUID("net-1")
	dual := must[simcloud.Result[simcloud.Network]](t)(l.native.CreateNetwork(t.Context(), simcloud.NetworkSpec{Name: "dual", CIDRs: []string{"10.50.0.0/16", "fd00:50::/64"}})).Resource.ID
	dual4, dual6 := service.WholeSubnets.UUIDOfPart(dual, 0), service.WholeSubnets.UUIDOfPart(dual, 1)
	sub := must[simcloud.Result[simcloud.Subnet]](t)(l.native.CreateSubnet(t.Context(), simcloud.SubnetSpec{Name: "lbs", CIDR: "10.0.64.0/24"})).Resource
	own := service.Subnets.UUID(sub.ID)
	for what, test := range map[string]struct {
		opts            loadbalancers.CreateOpts
		address, subnet string
	}{
		"IPv6":                      {loadbalancers.CreateOpts{VipSubnetID: dual6}, "fd00:50::", dual6},
		"IPv4 of two":               {loadbalancers.CreateOpts{VipSubnetID: dual4}, "10.50.", dual4},
		"IPv6 address of a network": {loadbalancers.CreateOpts{VipNetworkID: service.Networks.UUID(dual), VipAddress: "fd00:50::77"}, "fd00:50::77", dual6},
		"network":                   {loadbalancers.CreateOpts{VipNetworkID: network}, "10.0.", subnet4},
		"subnet":                    {loadbalancers.CreateOpts{VipSubnetID: own}, "10.0.64.", own},
		"address":                   {loadbalancers.CreateOpts{VipSubnetID: subnet4, VipAddress: "10.0.9.9"}, "10.0.9.9", subnet4},
		"address of the subnet":     {loadbalancers.CreateOpts{VipSubnetID: own, VipAddress: "10.0.64.77"}, "10.0.64.77", own},
		"address of the network":    {loadbalancers.CreateOpts{VipNetworkID: network, VipAddress: "10.0.9.8"}, "10.0.9.8", subnet4},
		"subnet by its address":     {loadbalancers.CreateOpts{VipNetworkID: network, VipAddress: "10.0.64.79"}, "10.0.64.79", own},
		"subnet within the range":   {loadbalancers.CreateOpts{VipSubnetID: subnet4, VipAddress: "10.0.64.80"}, "10.0.64.80", own},
		"both":                      {loadbalancers.CreateOpts{VipNetworkID: network, VipSubnetID: own, VipAddress: "10.0.64.78"}, "10.0.64.78", own},
	} {
		made := l.create(test.opts)
		if !strings.HasPrefix(made.VipAddress, test.address) || made.VipSubnetID != test.subnet {
			t.Errorf("%s: the VIP is %s in the subnet %s of %s, want %s in %s", what, made.VipAddress, made.VipSubnetID, made.VipNetworkID, test.address, test.subnet)
		}
		if now := l.balancer(made.ID); now.VipAddress != made.VipAddress {
			t.Errorf("%s: a read has %s, want %s", what, now.VipAddress, made.VipAddress)
		}
	}
	for body, want := range map[string]struct {
		status int
		text   string
	}{
		`{}`:                        {http.StatusBadRequest, "VIP must contain one of: vip_port_id, vip_network_id, vip_subnet_id."},
		`{"vip_subnet_id": "nope"}`: {http.StatusBadRequest, "Subnet nope not found."},
		`{"vip_network_id": "` + service.Networks.UUID("net-9") + `"}`: {http.StatusBadRequest, "not found."},
		`{"vip_port_id": "x"}`: {http.StatusNotFound, "Port x not found."},
		`{"vip_subnet_id": "` + subnet4 + `", "vip_address": "10.0.9.9"}`:  {http.StatusConflict, "10.0.9.9"},
		`{"vip_subnet_id": "` + subnet4 + `", "vip_address": "192.0.2.1"}`: {http.StatusBadRequest, "vip_address"},
		`{"vip_subnet_id": "` + dual6 + `", "vip_address": "10.50.9.7"}`:   {http.StatusBadRequest, "is not in the subnet"},
		`{"vip_subnet_id": "` + own + `", "vip_address": "10.0.9.7"}`:      {http.StatusBadRequest, "vip_address"},
		`{"vip_subnet_id": "` + subnet4 + `", "vip_address": "x"}`:         {http.StatusBadRequest, "vip_address 'x' is not an IP address"},
		`{"vip_subnet_id": "` + subnet4 + `", "project_id": "someone"}`:    {http.StatusForbidden, "project_id someone is not that of the session"},
		`{"vip_subnet_id": "` + subnet4 + `", "pools": [{"protocol": "TCP", "lb_algorithm": "ROUND_ROBIN", "members": [{"address": "10.0.0.1", "protocol_port": 1, "project_id": "someone"}]}]}`: {
			http.StatusForbidden, "project_id someone is not that of the session",
		},
		`{"vip_subnet_id": "` + subnet4 + `", "pools": [{"protocol": "TCP", "lb_algorithm": "ROUND_ROBIN", "listener_id": "x"}]}`: {http.StatusBadRequest, "listener_id of a pool that is created with its load balancer"},
		`{"vip_subnet_id": "` + subnet4 + `", "listeners": [{"protocol": "TCP", "protocol_port": 1, "loadbalancer_id": "x"}]}`:    {http.StatusBadRequest, "loadbalancer_id of a listener that is created with its load balancer"},
		`{"vip_subnet_id": "` + subnet4 + `", "provider": "f5"}`:                                                                  {http.StatusBadRequest, "Provider 'f5' is not enabled."},
		`{"vip_subnet_id": "` + subnet4 + `", "colour": "red"}`:                                                                   {http.StatusBadRequest, "colour"},
		`{"vip_subnet_id": "` + subnet4 + `", "additional_vips": [{}]}`:                                                           {http.StatusNotImplemented, "additional_vips"},
		`{"vip_subnet_id": "` + subnet4 + `", "admin_state_up": false}`:                                                           {http.StatusNotImplemented, "admin_state_up"},
	} {
		l.post("loadbalancers", `{"loadbalancer": `+body+`}`, want.status, want.text)
	}
}

// TestNullableFields: null is no value, in requests and in answers.
func TestNullableFields(t *testing.T) {
	t.Parallel()
	l := openLab(t, 0)
	lb, listener, pool := l.simple()
	for path, fields := range map[string][]string{
		"loadbalancers/" + lb:   {"vip_qos_policy_id", "flavor_id", "availability_zone"},
		"listeners/" + listener: {"default_tls_container_ref", "allowed_cidrs", "tls_versions", "updated_at"},
		"pools/" + pool:         {"session_persistence", "healthmonitor_id", "tls_container_ref"},
	} {
		body := l.send(http.MethodGet, "/load-balancer/v2.0/lbaas/"+path, "").body
		for _, field := range fields {
			if !strings.Contains(body, `"`+field+`":null`) {
				t.Errorf("%s: %s is not null in %s", path, field, body)
			}
		}
	}
	if made := l.create(loadbalancers.CreateOpts{Name: "z", FlavorID: "fl", AvailabilityZone: "az"}); made.FlavorID != "fl" || made.AvailabilityZone != "az" {
		t.Errorf("the load balancer is %+v", made)
	}
	l.post("loadbalancers", `{"loadbalancer": {"vip_subnet_id": "`+subnet4+`", "name": null, "tags": null, "flavor_id": null, "vip_qos_policy_id": null, "listeners": null}}`, http.StatusCreated, `"name":""`)
}

// TestOctaviaQuota: a quota of the cloud is one of Octavia.
func TestOctaviaQuota(t *testing.T) {
	t.Parallel()
	l := openLab(t, 0)
	lb, _, _ := l.simple()
	for resource, test := range map[simcloud.QuotaResource]struct {
		create func() error
		what   string
	}{
		simcloud.QuotaLoadBalancers: {func() error {
			return loadbalancers.Create(t.Context(), l.lbaas, loadbalancers.CreateOpts{VipSubnetID: subnet4}).Err
		}, "Load Balancer"},
		simcloud.QuotaTargetGroups: {func() error {
			return pools.Create(t.Context(), l.lbaas, pools.CreateOpts{LoadbalancerID: lb, Protocol: "TCP", LBMethod: "ROUND_ROBIN"}).Err
		}, "Pool"},
	} {
		must[simcloud.Result[simcloud.Quota]](t)(l.native.SetQuota(t.Context(), simcloud.QuotaID("default", resource), simcloud.QuotaSpec{Limit: 1}))
		refused(t, test.create(), http.StatusForbidden, "Quota has been met for resources: "+test.what)
	}
}

// TestRememberedAnswers: an answer that is kept changes with what it is about.
func TestRememberedAnswers(t *testing.T) {
	t.Parallel()
	l := openLab(t, 1)
	made := l.create(l.wholeTree())
	first := l.balancer(made.ID)
	if diff := cmp.Diff(first, l.balancer(made.ID)); diff != "" {
		t.Errorf("a second read differs (-first +second):\n%s", diff)
	}
	// The health of a member is a part of the answer.
	must[simcloud.Result[simcloud.Instance]](t)(l.native.StopInstance(t.Context(), "i-1"))
	if now := l.balancer(made.ID); now.OperatingStatus != "ERROR" {
		t.Errorf("without a healthy member the status is %s, want ERROR", now.OperatingStatus)
	}
	must[simcloud.Result[simcloud.Instance]](t)(l.native.StartInstance(t.Context(), "i-1"))
	if err := pools.Delete(t.Context(), l.lbaas, made.Pools[0].ID).ExtractErr(); err != nil {
		t.Fatal(err)
	}
	if now := l.balancer(made.ID); len(now.Pools) != 0 || now.OperatingStatus != "ONLINE" {
		t.Errorf("without its pool it is %+v", now)
	}
	if got := l.balancer(made.ID); got.UpdatedAt.Before(got.CreatedAt) || got.CreatedAt.After(time.Now().Add(time.Hour)) {
		t.Errorf("it was created at %s and changed at %s", got.CreatedAt, got.UpdatedAt)
	}
}
