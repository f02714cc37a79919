package openstack_test

import (
	"testing"

	"github.com/gophercloud/gophercloud/v2/openstack/loadbalancer/v2/listeners"
	"github.com/gophercloud/gophercloud/v2/openstack/loadbalancer/v2/monitors"
	"github.com/gophercloud/gophercloud/v2/openstack/loadbalancer/v2/pools"
)

// TestWritesMakeBusy: each change of what is a part of a load balancer leads it through PENDING_UPDATE, with all of its parts.
func TestWritesMakeBusy(t *testing.T) {
	t.Parallel()
	l := slowLab(t, 1)
	for what := range l.writes("", "", "", "", "") {
		tree := l.wholeTree()
		if what == "CreateHealthMonitor" {
			tree.Listeners[0].DefaultPool.Monitor = nil
		}
		made := l.create(tree)
		listener, pool := made.Listeners[0].ID, made.Pools[0]
		l.settle()
		if err := l.writes(made.ID, listener, pool.ID, pool.Members[0].ID, pool.MonitorID)[what](); err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		statuses := map[string]string{"load balancer": l.balancer(made.ID).ProvisioningStatus}
		if what != "DeleteListener" {
			statuses["listener"] = l.listener(listener).ProvisioningStatus
		}
		if what != "DeletePool" {
			statuses["pool"] = l.pool(pool.ID).ProvisioningStatus
		}
		for part, status := range statuses {
			if status != "PENDING_UPDATE" {
				t.Errorf("%s: the %s is %s", what, part, status)
			}
		}
		l.settle()
		if now := l.balancer(made.ID); now.ProvisioningStatus != "ACTIVE" {
			t.Errorf("%s: in the end the load balancer is %s", what, now.ProvisioningStatus)
		}
	}
}

// TestSharedPoolIsDeleted: all listeners that forward to a pool are changed at once, while changes take their time.
func TestSharedPoolIsDeleted(t *testing.T) {
	t.Parallel()
	l := slowLab(t, 1)
	lb, first, pool := l.simple()
	l.settle()
	second := l.listen(listeners.CreateOpts{LoadbalancerID: lb, Protocol: "TCP", ProtocolPort: 81, DefaultPoolID: pool}).ID
	l.settle()
	l.monitored(monitors.CreateOpts{PoolID: pool, Type: "TCP", Delay: 5, Timeout: 3, MaxRetries: 1})
	l.settle()
	if err := pools.Delete(t.Context(), l.lbaas, pool).ExtractErr(); err != nil {
		t.Fatal(err)
	}
	l.settle()
	for _, id := range []string{first, second} {
		if now := l.listener(id); now.DefaultPoolID != "" || now.ProvisioningStatus != "ACTIVE" {
			t.Errorf("the listener is %+v", now)
		}
	}
	again := l.pooled(pools.CreateOpts{ListenerID: second, Protocol: "TCP", LBMethod: "ROUND_ROBIN"})
	if again.ProvisioningStatus != "PENDING_UPDATE" || len(again.Listeners) != 1 || again.Listeners[0].ID != second {
		t.Errorf("the new pool is %+v", again)
	}
	l.settle()
	if now := l.balancer(lb); now.ProvisioningStatus != "ACTIVE" || len(now.Pools) != 1 || now.Pools[0].ID == pool {
		t.Errorf("the load balancer is %+v", now)
	}
}
