package core_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/core"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// broken returns a cloud with the load balancer lb-1 in error; settle lets operations end.
func broken(t *testing.T, cfg core.Config, settle func()) *core.Cloud {
	t.Helper()
	cfg.DB = must[*store.DB](t)(store.Open(filepath.Join(t.TempDir(), "cloud.db"), store.Options{NoSync: true}))
	cloud := must[*core.Cloud](t)(core.Open(cfg))
	t.Cleanup(func() { _ = cloud.Close() })
	must[instanceResult](t)(cloud.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "a"}))
	must[simcloud.Result[simcloud.LoadBalancer]](t)(cloud.CreateLoadBalancer(t.Context(), simcloud.LoadBalancerSpec{Name: "lb"}))
	settle()
	must[simcloud.LoadBalancer](t)(cloud.GetLoadBalancer(t.Context(), "lb-1"))
	if err := cfg.DB.Update(func(tx *store.Tx) error {
		return changeLB(tx, func(lb *simcloud.LoadBalancer) {
			lb.State, lb.StatusText = simcloud.LoadBalancerError, "broken"
		})
	}); err != nil {
		t.Fatal(err)
	}
	return cloud
}

// TestLoadBalancerInError: it can be failed over or deleted, nothing else.
func TestLoadBalancerInError(t *testing.T) {
	t.Parallel()
	cloud := broken(t, core.Config{}, func() {})
	ctx := t.Context()
	name := "b"
	for what, call := range map[string]func() error{
		"UpdateLoadBalancer": func() error {
			_, err := cloud.UpdateLoadBalancer(ctx, "lb-1", simcloud.LoadBalancerUpdate{Name: &name})
			return err
		},
		"CreateListener": func() error {
			_, err := cloud.CreateListener(ctx, "lb-1", simcloud.ListenerSpec{
				Protocol: simcloud.ProtocolTCP, Port: 80, ListenerConfig: simcloud.ListenerConfig{TargetPort: 1},
			})
			return err
		},
		"DeleteListener": func() error { _, err := cloud.DeleteListener(ctx, "lb-1", "tcp-80"); return err },
		"CreateTarget": func() error {
			_, err := cloud.CreateTarget(ctx, "lb-1", simcloud.TargetSpec{Instance: "i-1"})
			return err
		},
		"DeleteTarget": func() error { _, err := cloud.DeleteTarget(ctx, "lb-1", "i-1"); return err },
	} {
		wantCode(t, what, call(), simcloud.Conflict)
	}
	_, err := cloud.CreateFloatingIP(ctx, simcloud.FloatingIPSpec{
		Name: "f", AttachedTo: simcloud.Attachment{Kind: simcloud.KindLoadBalancer, ID: "lb-1"},
	})
	wantCode(t, "a floating IP", err, "")
	lb := must[simcloud.Result[simcloud.LoadBalancer]](t)(cloud.FailoverLoadBalancer(ctx, "lb-1")).Resource
	if lb.State != simcloud.LoadBalancerActive || lb.StatusText != "" || len(lb.VIPs) != 1 {
		t.Errorf("after the failover: %s %q with %v", lb.State, lb.StatusText, lb.VIPs)
	}
	_, err = cloud.CreateTarget(ctx, "lb-1", simcloud.TargetSpec{Instance: "i-1"})
	wantCode(t, "a target after the failover", err, "")
}

func TestLoadBalancerInErrorSlowly(t *testing.T) {
	t.Parallel()
	machine := newFakeClock()
	cloud := broken(t, core.Config{Clock: machine, Progression: minute}, func() { machine.move(time.Minute) })
	r := must[simcloud.Result[simcloud.LoadBalancer]](t)(cloud.FailoverLoadBalancer(t.Context(), "lb-1"))
	if r.Resource.State != simcloud.LoadBalancerUpdating {
		t.Errorf("during the failover: %s", r.Resource.State)
	}
	_, err := cloud.DeleteLoadBalancer(t.Context(), "lb-1")
	wantCode(t, "meanwhile", err, simcloud.Locked)
	machine.move(time.Minute)
	if lb := must[simcloud.LoadBalancer](t)(cloud.GetLoadBalancer(t.Context(), "lb-1")); lb.State != simcloud.LoadBalancerActive {
		t.Errorf("after the failover: %s", lb.State)
	}
}

func TestLoadBalancerInErrorGoes(t *testing.T) {
	t.Parallel()
	cloud := broken(t, core.Config{}, func() {})
	must[simcloud.Operation](t)(cloud.DeleteLoadBalancer(t.Context(), "lb-1"))
}
