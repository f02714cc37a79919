package lb

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"

	"github.com/simcloud-dev/simcloud/ccm/config"
	"github.com/simcloud-dev/simcloud/ccm/internal/ccmtest"
	"github.com/simcloud-dev/simcloud/ccm/label"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// built is the load balancer that the cloud makes of what is desired.
func built(d desired, edit ...func(*simcloud.LoadBalancer)) simcloud.LoadBalancer {
	lb := simcloud.LoadBalancer{
		Meta:  simcloud.Meta{ID: "lb-1", Name: d.Name, Labels: d.Labels, Version: 7},
		State: simcloud.LoadBalancerActive, Scheme: d.Scheme, Algorithm: d.Algorithm, Affinity: d.Affinity,
	}
	for _, l := range d.Listeners {
		lb.Listeners = append(lb.Listeners, simcloud.Listener{
			ID: simcloud.ListenerID(l.Protocol, l.Port), Protocol: l.Protocol, Port: l.Port, ListenerConfig: l.ListenerConfig,
		})
	}
	for _, target := range d.Targets {
		lb.Targets = append(lb.Targets, simcloud.Target{Instance: target.Instance, Weight: 1, Labels: target.Labels, Health: simcloud.TargetHealthy})
	}
	for _, e := range edit {
		e(&lb)
	}
	return lb
}

func mustDesire(t *testing.T, svc *v1.Service, targets ...simcloud.ID) desired {
	t.Helper()
	want, err := desire(ccmtest.Cluster, svc, targets, config.Default())
	if err != nil {
		t.Fatal(err)
	}
	return want
}

func does(steps []step) []string {
	all := []string{}
	for _, s := range steps {
		all = append(all, s.does)
	}
	return all
}

func TestPlan(t *testing.T) {
	t.Parallel()
	two := ccmtest.Service(ccmtest.Ports(ccmtest.Port("TCP", 80, 30080), ccmtest.Port("UDP", 53, 30053)))
	foreign := map[string]string{label.ServiceUID: "uid-2"}
	for _, c := range []struct {
		name string
		have simcloud.LoadBalancer
		want desired
		does []string
	}{
		{"nothing differs", built(mustDesire(t, two, "i-1", "i-2")), mustDesire(t, two, "i-2", "i-1"), []string{}},
		{"all at once, additions first",
			built(mustDesire(t, two, "i-1", "i-2"), func(lb *simcloud.LoadBalancer) { lb.Algorithm = simcloud.LeastConnections }),
			mustDesire(t, ccmtest.Service(ccmtest.Ports(ccmtest.Port("TCP", 80, 30081), ccmtest.Port("TCP", 443, 30443))), "i-2", "i-3"),
			[]string{"update algorithm=round_robin", "update listener tcp-80 to 30081, check tcp 30081",
				"create listener tcp-443 to 30443, check tcp 30443", "create target i-3", "delete listener udp-53", "delete target i-1"}},
		{"protocol of a port changes", built(mustDesire(t, ccmtest.Service(ccmtest.Ports(ccmtest.Port("TCP", 53, 30053))))), mustDesire(t, ccmtest.Service(ccmtest.Ports(ccmtest.Port("UDP", 53, 30053)))),
			[]string{"create listener udp-53 to 30053", "delete listener tcp-53"}},
		{"to local", built(mustDesire(t, ccmtest.Service())), mustDesire(t, ccmtest.Service(ccmtest.Local)),
			[]string{"update listener tcp-80 to 30080, check http 31000/healthz"}},
		{"back to cluster", built(mustDesire(t, ccmtest.Service(ccmtest.Local))), mustDesire(t, ccmtest.Service()),
			[]string{"update listener tcp-80 to 30080, check tcp 30080"}},
		{"a setting made by hand", built(mustDesire(t, ccmtest.Service()), func(lb *simcloud.LoadBalancer) {
			lb.Listeners[0].AllowedCIDRs = []string{"10.0.0.0/8"}
		}), mustDesire(t, ccmtest.Service()), []string{"update listener tcp-80 to 30080, check tcp 30080"}},
		{"other clients' labels stay", built(mustDesire(t, ccmtest.Service()), func(lb *simcloud.LoadBalancer) {
			lb.Labels = label.With(lb.Labels, map[string]string{"team": "a"})
			lb.Listeners[0].Labels = label.With(lb.Listeners[0].Labels, map[string]string{"team": "a"})
		}), mustDesire(t, ccmtest.Service()), []string{}},
		{"our labels come back", built(mustDesire(t, ccmtest.Service()), func(lb *simcloud.LoadBalancer) {
			lb.Labels = map[string]string{label.ServiceUID: "uid-1"}
		}), mustDesire(t, ccmtest.Service()), []string{"update labels"}},
		{"foreign listeners and targets stay", built(mustDesire(t, ccmtest.Service(), "i-1"), func(lb *simcloud.LoadBalancer) {
			lb.Listeners = append(lb.Listeners, simcloud.Listener{ID: "tcp-22", Protocol: "tcp", Port: 22},
				simcloud.Listener{ID: "tcp-23", Protocol: "tcp", Port: 23, ListenerConfig: simcloud.ListenerConfig{Labels: foreign}})
			lb.Targets = append(lb.Targets, simcloud.Target{Instance: "i-8"}, simcloud.Target{Instance: "i-9", Labels: foreign})
		}), mustDesire(t, ccmtest.Service(), "i-1"), []string{}},
		{"a foreign target that we want serves", built(mustDesire(t, ccmtest.Service()), func(lb *simcloud.LoadBalancer) {
			lb.Targets = append(lb.Targets, simcloud.Target{Instance: "i-8"})
		}), mustDesire(t, ccmtest.Service(), "i-8"), []string{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			steps, err := plan(c.have, c.want)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.does, does(steps)); diff != "" {
				t.Errorf("plan (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPlanRefusesATakenPort(t *testing.T) {
	t.Parallel()
	lb := built(mustDesire(t, ccmtest.Service()), func(lb *simcloud.LoadBalancer) { lb.Listeners[0].Labels = nil })
	_, err := plan(lb, mustDesire(t, ccmtest.Service()))
	if !errors.Is(err, simcloud.InUse) || !strings.Contains(err.Error(), "tcp-80 is there and not this Service's") {
		t.Errorf("got %v, want InUse that names the listener", err)
	}
}

// An Event names a few, however many there are.
func TestSome(t *testing.T) {
	t.Parallel()
	all := []simcloud.ID{"i-1", "i-2", "i-3", "i-4", "i-5", "i-6", "i-7"}
	for n, want := range map[int]string{2: "[i-1 i-2]", 5: "[i-1 i-2 i-3 i-4 i-5]", 7: "[i-1 i-2 i-3 i-4 i-5] and 2 more"} {
		if got := some(all[:n]); got != want {
			t.Errorf("%d: got %q, want %q", n, got, want)
		}
	}
}
