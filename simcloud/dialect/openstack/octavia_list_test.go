package openstack_test

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gophercloud/gophercloud/v2/openstack/loadbalancer/v2/listeners"
	"github.com/gophercloud/gophercloud/v2/openstack/loadbalancer/v2/loadbalancers"
	"github.com/gophercloud/gophercloud/v2/openstack/loadbalancer/v2/monitors"
	"github.com/gophercloud/gophercloud/v2/openstack/loadbalancer/v2/pools"

	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"
)

// listedIDs are the ids of what a list has, by its path with a query.
func (l lab) listedIDs(path string) []string {
	l.Helper()
	body := l.send(http.MethodGet, "/load-balancer/v2.0/lbaas/"+path, "").body
	var all []string
	for _, part := range strings.Split(body, `{"id":"`)[1:] {
		id, rest, _ := strings.Cut(part, `"`)
		if strings.HasPrefix(rest, `,"name"`) { // not a reference
			all = append(all, id)
		}
	}
	return all
}

// TestFiltersOfOctavia: each attribute is a filter.
func TestFiltersOfOctavia(t *testing.T) {
	t.Parallel()
	l := openLab(t, 2)
	tree := l.wholeTree()
	first := l.create(tree)
	l.create(loadbalancers.CreateOpts{Name: "other", Provider: "ovn", Tags: []string{"x"}})
	lb := l.balancer(first.ID)
	listener, pool := lb.Listeners[0].ID, lb.Pools[0].ID
	other := l.listen(listeners.CreateOpts{LoadbalancerID: lb.ID, Protocol: "UDP", ProtocolPort: 53}).ID
	otherPool := l.pooled(pools.CreateOpts{LoadbalancerID: lb.ID, Protocol: "UDP", LBMethod: "SOURCE_IP"}).ID
	l.monitored(monitors.CreateOpts{PoolID: otherPool, Type: "UDP-CONNECT", Delay: 9, Timeout: 3, MaxRetries: 1})
	monitor, member := l.pool(pool).MonitorID, l.members(pool)[0].ID
	project := service.ProjectUUID("default")
	for path, filters := range map[string][]string{
		"loadbalancers " + lb.ID: {
			"id=" + lb.ID, "name=kube_service_c_default_web", "description=Kubernetes+external+service+default/web+from+cluster+c", "vip_address=" + lb.VipAddress,
			"vip_port_id=" + lb.VipPortID, "provider=amphora", "tags=kube_service_c_default_web", "tags-any=a,kube_service_c_default_web", "not-tags=x", "not-tags-any=x,y",
			"operating_status=ONLINE&name=kube_service_c_default_web", "project_id=" + project + "&provider=amphora", "admin_state_up=True&provider=amphora",
			"vip_subnet_id=" + subnet4 + "&tags=kube_service_c_default_web", "sort_key=name&limit=1", "sort=name:asc&limit=1", "sort_key=provider&sort_dir=asc&limit=1",
		},
		"listeners " + listener: {
			"id=" + listener, "name=listener_0_kube_service_c_default_web", "protocol=TCP", "protocol_port=80", "default_pool_id=" + pool, "timeout_client_data=60000",
			"loadbalancer_id=" + lb.ID + "&protocol=TCP", "tags=kube_service_c_default_web", "connection_limit=-1&protocol=TCP", "sort_key=protocol_port&sort_dir=desc&limit=1",
		},
		"pools " + pool: {
			"id=" + pool, "name=pool_0_kube_service_c_default_web", "protocol=PROXY", "lb_algorithm=ROUND_ROBIN", "listener_id=" + listener, "healthmonitor_id=" + monitor,
			"loadbalancer_id=" + lb.ID + "&protocol=PROXY",
		},
		"healthmonitors " + monitor: {"id=" + monitor, "pool_id=" + pool, "type=HTTP", "url_path=/healthz", "delay=5", "name=monitor_0_kube_service_c_default_web", "expected_codes=200"},
		"pools/" + pool + "/members " + member: {
			"id=" + member, "address=" + l.addresses[0], "name=node&limit=1", "protocol_port=30080&limit=1", "weight=1&address=" + l.addresses[0], "subnet_id=" + subnet4 + "&limit=1",
			"monitor_port=10256&limit=1", "backup=false&limit=1",
		},
	} {
		path, want, _ := strings.Cut(path, " ")
		for _, filter := range filters {
			if got := l.listedIDs(path + "?" + filter); !cmp.Equal(got, []string{want}) {
				t.Errorf("%s?%s: got %v, want %s", path, filter, got, want)
			}
		}
		for _, query := range []string{"colour=red", "sort_key=colour", "sort=colour:desc", "fields=colour", "limit=-1", "limit=x", "marker=x"} {
			l.answers(http.MethodGet, path+"?"+query, "", http.StatusBadRequest, map[bool]string{true: "colour", false: ""}[strings.Contains(query, "colour")])
		}
		for _, filter := range []string{"name=none", "tags=none", "tags-any=none,neither", "provisioning_status=ERROR", "name=none&name=neither"} {
			if got := l.listedIDs(path + "?" + filter); len(got) != 0 {
				t.Errorf("%s?%s: got %v, want none", path, filter, got)
			}
		}
	}
	if got := l.listedIDs("listeners?protocol=UDP&protocol=TCP"); !cmp.Equal(got, []string{listener, other}) {
		t.Errorf("either of two protocols: got %v", got)
	}
	if got := all(l.world, listeners.List(l.lbaas, listeners.ListOpts{LoadbalancerID: "x"}), listeners.ExtractListeners); len(got) != 0 {
		t.Errorf("listeners of no load balancer: got %v", got)
	}
	if got, want := l.unjudged("simcloud", "/openstack/load-balancer/v2.0/lbaas/loadbalancers?fields=id&fields=name&name=other"), `{"loadbalancers":[{"id":"00000000-0000-4004-8000-000000000002","name":"other"}]}`; got != want {
		t.Errorf("with two fields: got %s, want %s", got, want)
	}
}

// unjudged is the answer to a request for a path of a host, of which no attribute need be there.
func (w world) unjudged(host, path string) string {
	w.Helper()
	r := must[*http.Request](w)(http.NewRequestWithContext(w.Context(), http.MethodGet, w.cloud.URL()+path, nil))
	r.Host = host
	r.Header.Set("X-Auth-Token", w.provider.Token())
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		w.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	return string(must[[]byte](w)(io.ReadAll(res.Body)))
}

// TestPagesOfOctavia: a page that is full leads to the next one, without the filters of the first.
func TestPagesOfOctavia(t *testing.T) {
	t.Parallel()
	l := openLab(t, 0)
	var want []string
	for range 3 {
		want = append(want, l.create(loadbalancers.CreateOpts{Name: "a"}).ID)
		l.create(loadbalancers.CreateOpts{Name: "b"})
	}
	list := func(opts loadbalancers.ListOpts) (all []string) {
		t.Helper()
		for _, lb := range allOf(l, opts) {
			all = append(all, lb.ID)
		}
		return all
	}
	if got := list(loadbalancers.ListOpts{Name: "a"}); !cmp.Equal(got, want) {
		t.Errorf("in one page: got %v, want %v", got, want)
	}
	everything := list(loadbalancers.ListOpts{})
	if got := list(loadbalancers.ListOpts{Limit: 2}); !cmp.Equal(got, everything) || len(got) != 6 {
		t.Errorf("in pages of two: got %v, want %v", got, everything)
	}
	// Of those with the name a the second page has all that are behind the first page.
	lost := append(slices.Clone(want[:2]), everything[slices.Index(everything, want[1])+1:]...)
	if got := list(loadbalancers.ListOpts{Name: "a", Limit: 2}); !cmp.Equal(got, lost) {
		t.Errorf("with a filter: got %v, want %v", got, lost)
	}
	if got := list(loadbalancers.ListOpts{Marker: everything[4]}); !cmp.Equal(got, everything[5:]) {
		t.Errorf("behind a marker: got %v", got)
	}
	body := l.send(http.MethodGet, "/load-balancer/v2.0/lbaas/loadbalancers?limit=1&name=a", "").body
	if next := `"loadbalancers_links":[{"rel":"next","href":"` + l.cloud.URL() + `/openstack/load-balancer/v2.0/lbaas/loadbalancers?limit=1\u0026marker=` + want[0] + `"}]`; !strings.Contains(body, next) {
		t.Errorf("the link is in %s, want %s", body, next)
	}
}

func allOf(l lab, opts loadbalancers.ListOpts) []loadbalancers.LoadBalancer {
	l.Helper()
	return all(l.world, loadbalancers.List(l.lbaas, opts), loadbalancers.ExtractLoadBalancers)
}
