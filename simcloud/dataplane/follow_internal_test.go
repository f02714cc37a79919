package dataplane

import (
	"context"
	"iter"
	"log/slog"
	"math"
	"net/netip"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/mirror"
)

// byComparing compares addresses and ranges by what they say.
var byComparing = cmp.Options{cmpopts.EquateComparable(netip.Addr{}, netip.Prefix{}), cmpopts.EquateEmpty()}

func instanceOf(state simcloud.InstanceState, unreachable bool, addresses ...string) simcloud.Instance {
	instance := simcloud.Instance{State: state, Unreachable: unreachable}
	instance.Addresses = append(instance.Addresses, simcloud.Address{Scope: simcloud.ScopePublic, Address: "198.18.0.1"})
	for _, address := range addresses {
		instance.Addresses = append(instance.Addresses, simcloud.Address{Scope: simcloud.ScopePrivate, Address: address})
	}
	return instance
}

// TestPublicDisabled: the public addresses of a load balancer are silent, those of its networks are not.
func TestPublicDisabled(t *testing.T) {
	t.Parallel()
	lb := simcloud.LoadBalancer{PublicDisabled: true, VIPs: []simcloud.VIP{
		{Address: "127.77.0.1", Pool: "public"}, {Address: "127.77.0.2", FloatingIP: "fip-1"}, {Address: "10.0.0.9", Network: "net-1"},
	}}
	if got := wantedLoadBalancer(lb, mirror.View{}).VIPs; len(got) != 1 || got[0].String() != "10.0.0.9" {
		t.Errorf("it listens on %v, want only on 10.0.0.9", got)
	}
	lb.PublicDisabled = false
	if got := wantedLoadBalancer(lb, mirror.View{}).VIPs; len(got) != 3 {
		t.Errorf("turned on it listens on %v, want all three", got)
	}
}

func TestDesired(t *testing.T) {
	t.Parallel()
	check := &simcloud.HealthCheck{Protocol: simcloud.HealthCheckTCP, Port: 1}
	view := mirror.View{
		Instances: map[simcloud.ID]simcloud.Instance{
			"i-1": instanceOf(simcloud.InstanceRunning, false, "10.0.0.1", "fd00::1"),
			"i-2": instanceOf(simcloud.InstanceRunning, true, "10.0.0.2"),
			"i-3": instanceOf(simcloud.InstanceStopped, false, "10.0.0.3"),
		},
		LoadBalancers: map[simcloud.ID]simcloud.LoadBalancer{
			"lb-2": {
				Meta: simcloud.Meta{ID: "lb-2"}, State: simcloud.LoadBalancerUpdating, Algorithm: simcloud.LeastConnections,
				Affinity: simcloud.Affinity{ClientIP: true, TimeoutSeconds: 9},
				VIPs:     []simcloud.VIP{{Address: "127.77.0.1"}, {Address: "fd77::1"}},
				Listeners: []simcloud.Listener{{Protocol: simcloud.ProtocolTCP, Port: 80, ListenerConfig: simcloud.ListenerConfig{
					TargetPort: 30080, HealthCheck: check, AllowedCIDRs: []string{"10.0.0.0/8"}, ProxyProtocol: true, IdleTimeoutSeconds: 7,
				}}},
				Targets: []simcloud.Target{
					{Instance: "i-1", Weight: 3, Health: simcloud.TargetUnhealthy, Reported: simcloud.TargetUnhealthy},
					{Instance: "i-2", Weight: 1}, {Instance: "i-3", Weight: 1}, {Instance: "i-4", Weight: 1},
				},
			},
			"lb-1": {Meta: simcloud.Meta{ID: "lb-1"}, State: simcloud.LoadBalancerActive},
		},
	}
	for n, state := range []simcloud.LoadBalancerState{simcloud.LoadBalancerProvisioning, simcloud.LoadBalancerError, simcloud.LoadBalancerDeleting} {
		id := simcloud.ID([]string{"lb-3", "lb-4", "lb-5"}[n])
		view.LoadBalancers[id] = simcloud.LoadBalancer{Meta: simcloud.Meta{ID: id}, State: state}
	}
	want := []LoadBalancer{{ID: "lb-1"}, {
		ID: "lb-2", Algorithm: simcloud.LeastConnections, Affinity: simcloud.Affinity{ClientIP: true, TimeoutSeconds: 9},
		VIPs: []netip.Addr{netip.MustParseAddr("127.77.0.1"), netip.MustParseAddr("fd77::1")},
		Listeners: []Listener{{
			Protocol: simcloud.ProtocolTCP, Port: 80, TargetPort: 30080, HealthCheck: check,
			AllowedCIDRs: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}, ProxyProtocol: ProxyProtocolV2, IdleTimeout: 7 * time.Second,
		}},
		Targets: []Target{
			// What was reported is what the checks have found, and theirs to find again.
			{
				Instance: "i-1", Addresses: []netip.Addr{netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("fd00::1")}, Weight: 3,
				Health: simcloud.TargetHealthy, Found: simcloud.TargetUnhealthy,
			},
			{Instance: "i-2", Addresses: []netip.Addr{netip.MustParseAddr("10.0.0.2")}, Weight: 1, Health: simcloud.TargetDraining},
			{Instance: "i-3", Addresses: []netip.Addr{netip.MustParseAddr("10.0.0.3")}, Weight: 1, Health: simcloud.TargetUnhealthy},
			{Instance: "i-4", Weight: 1, Health: simcloud.TargetUnhealthy},
		},
	}}
	if diff := cmp.Diff(want, desired(view), byComparing); diff != "" {
		t.Errorf("desired (-want +got):\n%s", diff)
	}
}

// TestDesiredGroups: the settings of a group are those of the listeners that forward to it.
func TestDesiredGroups(t *testing.T) {
	t.Parallel()
	check := &simcloud.HealthCheck{Protocol: simcloud.HealthCheckTCP}
	forward := func(port int) simcloud.Listener {
		return simcloud.Listener{Protocol: simcloud.ProtocolTCP, Port: port, ListenerConfig: simcloud.ListenerConfig{TargetGroup: "tg-1", IdleTimeoutSeconds: 7}}
	}
	view := mirror.View{
		Instances: map[simcloud.ID]simcloud.Instance{"i-1": instanceOf(simcloud.InstanceRunning, false, "10.0.0.1")},
		TargetGroups: map[simcloud.ID]simcloud.TargetGroup{"tg-1": {
			Meta: simcloud.Meta{ID: "tg-1"}, Port: 30080, HealthCheck: check, ProxyProtocol: true,
			Targets: []simcloud.GroupTarget{
				{GroupTargetSpec: simcloud.GroupTargetSpec{Instance: "i-1", Port: 81, Weight: 2}, Reported: simcloud.TargetUnhealthy},
			},
		}},
		LoadBalancers: map[simcloud.ID]simcloud.LoadBalancer{"lb-1": {
			Meta: simcloud.Meta{ID: "lb-1"}, State: simcloud.LoadBalancerActive, Listeners: []simcloud.Listener{forward(80), forward(81)},
		}},
	}
	listener := Listener{
		Protocol: simcloud.ProtocolTCP, Port: 80, TargetPort: 30080, Group: "tg-1", HealthCheck: check,
		ProxyProtocol: ProxyProtocolV2, IdleTimeout: 7 * time.Second,
	}
	second := listener
	second.Port = 81
	want := []LoadBalancer{{ID: "lb-1", Listeners: []Listener{listener, second}, Groups: []Group{{ID: "tg-1", Targets: []Target{{
		Instance: "i-1", Port: 81, Weight: 2, Addresses: []netip.Addr{netip.MustParseAddr("10.0.0.1")},
		Health: simcloud.TargetHealthy, Found: simcloud.TargetUnhealthy,
	}}}}}}
	if diff := cmp.Diff(want, desired(view), byComparing); diff != "" {
		t.Errorf("desired (-want +got):\n%s", diff)
	}
	sick := Health{LoadBalancer: "lb-1", Group: "tg-1", Instance: "i-1", Port: 81, Health: simcloud.TargetUnhealthy, Known: true}
	unknown, own := sick, sick
	unknown.Port, own.Group, own.Port = 82, "", 0
	if got := news(view, []Health{unknown, sick, own}); !cmp.Equal(got, []Health{sick}) {
		t.Errorf("the news are %v, want %v", got, sick)
	}
}

// TestSeconds: the cloud has no limit for a number of seconds, and a check that
// is to wait for ever must not ask all the time.
func TestSeconds(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]time.Duration{0: 0, 90: 90 * time.Second, math.MaxInt: 100 * 365 * 24 * time.Hour} {
		if got := seconds(n); got != want {
			t.Errorf("%d seconds are %s, want %s", n, got, want)
		}
	}
}

// TestNews: the cloud is told what it cannot know, once.
func TestNews(t *testing.T) {
	t.Parallel()
	running, stopped := instanceOf(simcloud.InstanceRunning, false), instanceOf(simcloud.InstanceStopped, false)
	light := running
	light.Labels = map[string]string{simcloud.LabelNode: simcloud.NodeLight}
	one, grouped := make([]simcloud.Listener, 1), []simcloud.Listener{{ListenerConfig: simcloud.ListenerConfig{TargetGroup: "tg-1"}}}
	for name, c := range map[string]struct {
		instance  simcloud.Instance
		listeners []simcloud.Listener
		cloud     simcloud.TargetHealth
		found     Health
		tells     bool
	}{
		"sick":                      {running, one, simcloud.TargetHealthy, Health{Health: simcloud.TargetUnhealthy, Known: true}, true},
		"well again":                {running, one, simcloud.TargetUnhealthy, Health{Health: simcloud.TargetHealthy, Known: true}, true},
		"no news":                   {running, one, simcloud.TargetUnhealthy, Health{Health: simcloud.TargetUnhealthy, Known: true}, false},
		"not asked yet":             {running, one, simcloud.TargetHealthy, Health{Health: simcloud.TargetUnhealthy}, false},
		"no listener checks it":     {running, nil, simcloud.TargetUnhealthy, Health{Health: simcloud.TargetHealthy, Known: true}, false},
		"its listeners have groups": {running, grouped, simcloud.TargetUnhealthy, Health{Health: simcloud.TargetHealthy, Known: true}, false},
		"its node is hollow":        {light, one, simcloud.TargetHealthy, Health{Health: simcloud.TargetUnhealthy, Known: true}, false},
		"its instance is stopped":   {stopped, one, simcloud.TargetHealthy, Health{Health: simcloud.TargetUnhealthy, Known: true}, false},
		"of a target that is gone":  {running, one, simcloud.TargetHealthy, Health{Instance: "i-2", Health: simcloud.TargetUnhealthy, Known: true}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			view := mirror.View{
				Instances: map[simcloud.ID]simcloud.Instance{"i-1": c.instance},
				LoadBalancers: map[simcloud.ID]simcloud.LoadBalancer{"lb-1": {
					Listeners: c.listeners, Targets: []simcloud.Target{{Instance: "i-1", Health: c.cloud}},
				}},
			}
			if c.found.Instance == "" {
				c.found.Instance = "i-1"
			}
			c.found.LoadBalancer = "lb-1"
			if got := len(news(view, []Health{c.found})) == 1; got != c.tells {
				t.Errorf("it is told: %t, want %t", got, c.tells)
			}
		})
	}
}

// paperCloud has a load balancer with one target, and notes what is reported.
type paperCloud struct {
	state   simcloud.State
	reports []simcloud.TargetHealth
}

func newPaperCloud(instance simcloud.InstanceState) *paperCloud {
	created := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	is := instanceOf(instance, false, "127.0.0.1")
	is.ID = "i-1"
	return &paperCloud{state: simcloud.State{
		Instances: []simcloud.Instance{is},
		LoadBalancers: []simcloud.LoadBalancer{{
			Meta: simcloud.Meta{ID: "lb-1", Created: created}, State: simcloud.LoadBalancerActive,
			Listeners: make([]simcloud.Listener, 1),
			Targets:   []simcloud.Target{{Instance: "i-1", Health: is.TargetHealth()}},
		}},
	}}
}

func (c *paperCloud) GetState(context.Context) (simcloud.State, error) { return c.state, nil }

func (c *paperCloud) WatchEvents(context.Context, uint64) iter.Seq2[simcloud.Event, error] {
	return func(func(simcloud.Event, error) bool) {}
}

func (c *paperCloud) ReportTargetHealth(_ context.Context, _, _ simcloud.ID, health simcloud.TargetHealth) error {
	c.reports = append(c.reports, health)
	return nil
}

func (c *paperCloud) ReportGroupTargetHealth(_ context.Context, _, _ simcloud.ID, _ int, health simcloud.TargetHealth) error {
	c.reports = append(c.reports, health)
	return nil
}

// onPaper is a data plane that forwards for a cloud, and follows nothing by itself.
func onPaper(t *testing.T, cloud *paperCloud) *DataPlane {
	t.Helper()
	d := &DataPlane{cloud: cloud, balancer: NewBalancer(BalancerConfig{}), log: slog.New(slog.DiscardHandler)}
	t.Cleanup(d.balancer.Close)
	d.read(t, cloud)
	d.forward()
	return d
}

func (d *DataPlane) read(t *testing.T, cloud *paperCloud) {
	t.Helper()
	copied, err := mirror.Open(t.Context(), cloud, nil)
	if err != nil {
		t.Fatal(err)
	}
	d.mirror = copied
}

// TestNewsOfWhatIsForwarded: that a target did not get connections while its
// instance was off is not reported of the instance that is on by now.
func TestNewsOfWhatIsForwarded(t *testing.T) {
	t.Parallel()
	d := onPaper(t, newPaperCloud(simcloud.InstanceStopped))
	started := newPaperCloud(simcloud.InstanceRunning)
	d.cloud = started
	d.read(t, started)
	if !d.reportAll(t.Context()) || len(started.reports) > 0 {
		t.Errorf("reported before it forwards again: %v", started.reports)
	}
	d.forward()
	if !d.reportAll(t.Context()) || len(started.reports) > 0 {
		t.Errorf("reported: %v", started.reports)
	}
}

// TestLoadBalancerOfTheSameID: one that came after a reset has nothing of the former one's.
func TestLoadBalancerOfTheSameID(t *testing.T) {
	t.Parallel()
	cloud := newPaperCloud(simcloud.InstanceRunning)
	d := onPaper(t, cloud)
	first := d.balancer.pools[poolID{loadBalancer: "lb-1"}]
	d.forward()
	if d.balancer.pools[poolID{loadBalancer: "lb-1"}] != first {
		t.Error("the same load balancer has started again")
	}
	cloud.state.LoadBalancers[0].Created = cloud.state.LoadBalancers[0].Created.Add(time.Second)
	d.read(t, cloud)
	d.forward()
	if now := d.balancer.pools[poolID{loadBalancer: "lb-1"}]; now == nil || now == first {
		t.Error("another load balancer goes on with what the former one knows")
	}
}
