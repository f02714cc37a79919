package core_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/simcloud"
)

type targetGroupResult = simcloud.Result[simcloud.TargetGroup]

func partOf(lb simcloud.ID) simcloud.TargetGroupUpdate {
	return simcloud.TargetGroupUpdate{PartOf: &lb}
}

// TestTreeInOneAtomic: a load balancer, its listeners and the groups that are part of it are made, and deleted, as one.
func TestTreeInOneAtomic(t *testing.T) {
	t.Parallel()
	for name, progression := range progressions {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cloud, settle := openSettling(t, progression)
			makeTree := func(ctx context.Context) error {
				var listeners []simcloud.ListenerSpec
				var groups []simcloud.ID
				for port := 80; port < 83; port++ {
					made, err := cloud.CreateTargetGroup(ctx, simcloud.TargetGroupSpec{Name: "pool", Protocol: simcloud.ProtocolTCP, Port: port})
					if err != nil {
						return err
					}
					groups = append(groups, made.Resource.ID)
					listeners = append(listeners, forwardingTo(port, made.Resource.ID))
				}
				lb, err := cloud.CreateLoadBalancer(ctx, simcloud.LoadBalancerSpec{Name: "lb", Listeners: listeners[1:]})
				if err != nil {
					return err
				}
				for _, group := range groups {
					if _, err := cloud.UpdateTargetGroup(ctx, group, partOf(lb.Resource.ID)); err != nil {
						return err
					}
				}
				return nil
			}
			before := whole(t, cloud)
			if err := cloud.Atomic(t.Context(), func(ctx context.Context) error { return errors.Join(makeTree(ctx), errGivenUp) }); !errors.Is(err, errGivenUp) {
				t.Fatal(err)
			}
			if diff := cmp.Diff(before, whole(t, cloud)); diff != "" {
				t.Errorf("the cloud has changed (-before +after):\n%s", diff)
			}
			if err := cloud.Atomic(t.Context(), makeTree); err != nil {
				t.Fatal(err)
			}
			settle()
			for _, group := range whole(t, cloud).TargetGroups {
				if group.PartOf != "lb-1" {
					t.Errorf("%s is part of %q", group.ID, group.PartOf)
				}
			}
			if err := cloud.Check(t.Context()); err != nil {
				t.Error(err)
			}
			must[simcloud.Operation](t)(cloud.DeleteLoadBalancer(t.Context(), "lb-1"))
			settle()
			if state := whole(t, cloud); len(state.TargetGroups)+len(state.LoadBalancers) > 0 {
				t.Errorf("left: %+v, %+v", state.TargetGroups, state.LoadBalancers)
			}
			if err := cloud.Check(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestPartStaysWithItsLoadBalancer: a deletion that fails leaves the groups there, and a change that fails does not bring
// a group back that is part of another load balancer by then.
func TestPartStaysWithItsLoadBalancer(t *testing.T) {
	t.Parallel()
	cloud, settle := openSettling(t, minute)
	ids := makeGroups(t, cloud, "a", "b")
	listeners := []simcloud.ListenerSpec{forwardingTo(1, ids[0]), forwardingTo(2, ids[1])}
	must[lbResult](t)(cloud.CreateLoadBalancer(t.Context(), simcloud.LoadBalancerSpec{Name: "lb", Listeners: listeners}))
	must[lbResult](t)(cloud.CreateLoadBalancer(t.Context(), simcloud.LoadBalancerSpec{Name: "other"}))
	must[targetGroupResult](t)(cloud.UpdateTargetGroup(t.Context(), ids[0], partOf("lb-1")))
	settle()
	must[simcloud.Operation](t)(cloud.DeleteLoadBalancer(failing(t, simcloud.Unavailable), "lb-1"))
	settle()
	if got := groupsOf(t, cloud); got[1] != ids[0] || got[2] != ids[1] {
		t.Errorf("after a deletion that failed the groups are %v", got)
	}
	must[lbResult](t)(cloud.DeleteListener(failing(t, simcloud.Unavailable), "lb-1", "tcp-2"))
	must[targetGroupResult](t)(cloud.UpdateTargetGroup(t.Context(), ids[1], partOf("lb-2")))
	settle()
	if got := groupsOf(t, cloud); len(got) != 1 || got[1] != ids[0] {
		t.Errorf("the groups are %v, want only %s", got, ids[0])
	}
}

// TestOptionsTakenBack: a change of options that fails brings those of before back.
func TestOptionsTakenBack(t *testing.T) {
	t.Parallel()
	cloud, settle := openSettling(t, minute)
	was := map[string]string{"k": "v"}
	must[lbResult](t)(cloud.CreateLoadBalancer(t.Context(), simcloud.LoadBalancerSpec{Name: "lb", Options: was}))
	settle()
	update := simcloud.LoadBalancerUpdate{Options: &map[string]string{"k": "w"}}
	changed := must[lbResult](t)(cloud.UpdateLoadBalancer(failing(t, simcloud.Unavailable), "lb-1", update)).Resource
	settle()
	now := must[simcloud.LoadBalancer](t)(cloud.GetLoadBalancer(t.Context(), "lb-1")).Options
	if diff := cmp.Diff([]map[string]string{*update.Options, was}, []map[string]string{changed.Options, now}); diff != "" {
		t.Errorf("wrong options (-want +got):\n%s", diff)
	}
}

// TestFloatingIPsWhileAChangeFails: what is attached or detached while a change of a load balancer runs stays so when the change fails.
func TestFloatingIPsWhileAChangeFails(t *testing.T) {
	t.Parallel()
	cloud, settle := openSettling(t, minute)
	busy := []simcloud.Kind{simcloud.KindFloatingIP}
	must[simcloud.Config](t)(cloud.UpdateConfig(t.Context(), simcloud.ConfigUpdate{ChangesWhileBusy: &busy}))
	must[lbResult](t)(cloud.CreateLoadBalancer(t.Context(), simcloud.LoadBalancerSpec{Name: "lb"}))
	to := simcloud.Attachment{Kind: simcloud.KindLoadBalancer, ID: "lb-1"}
	for _, name := range []string{"old", "new"} {
		must[simcloud.Result[simcloud.FloatingIP]](t)(cloud.CreateFloatingIP(t.Context(), simcloud.FloatingIPSpec{Name: name}))
	}
	must[simcloud.Result[simcloud.FloatingIP]](t)(cloud.AttachFloatingIP(t.Context(), "fip-1", to))
	settle()
	must[lbResult](t)(cloud.CreateListener(failing(t, simcloud.Unavailable), "lb-1", simcloud.ListenerSpec{
		Protocol: simcloud.ProtocolTCP, Port: 80, ListenerConfig: simcloud.ListenerConfig{TargetPort: 1},
	}))
	must[simcloud.Result[simcloud.FloatingIP]](t)(cloud.DetachFloatingIP(t.Context(), "fip-1"))
	must[simcloud.Result[simcloud.FloatingIP]](t)(cloud.AttachFloatingIP(t.Context(), "fip-2", to))
	settle()
	lb := must[simcloud.LoadBalancer](t)(cloud.GetLoadBalancer(t.Context(), "lb-1"))
	if len(lb.Listeners) != 0 || len(lb.VIPs) != 1 || lb.VIPs[0].FloatingIP != "fip-2" {
		t.Errorf("the load balancer has the listeners %+v and the VIPs %+v", lb.Listeners, lb.VIPs)
	}
	if err := cloud.Check(t.Context()); err != nil {
		t.Error(err)
	}
}
