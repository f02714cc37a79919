package dataplane

import (
	"net/netip"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/mirror"
)

// TestAddressTarget: an address is forwarded to as it is, and what is found of it is reported where packets may go there.
func TestAddressTarget(t *testing.T) {
	t.Parallel()
	view := mirror.View{
		LoadBalancers: map[simcloud.ID]simcloud.LoadBalancer{"lb-1": {
			Meta: simcloud.Meta{ID: "lb-1"}, Listeners: []simcloud.Listener{{}, {ListenerConfig: simcloud.ListenerConfig{TargetGroup: "tg-1"}}},
			Targets: []simcloud.Target{{Address: "127.77.1.1", Weight: 2, Health: simcloud.TargetHealthy, Reported: simcloud.TargetHealthy}},
		}},
		TargetGroups: map[simcloud.ID]simcloud.TargetGroup{"tg-1": {Targets: []simcloud.GroupTarget{{
			GroupTargetSpec: simcloud.GroupTargetSpec{Address: "fd00::1", Port: 81, Weight: 1}, Health: simcloud.TargetHealthy,
		}}}},
	}
	want := wantedLoadBalancer(view.LoadBalancers["lb-1"], view)
	first, second := want.Targets[0], want.Groups[0].Targets[0]
	if first.Instance != "127.77.1.1" || first.Addresses[0] != netip.MustParseAddr("127.77.1.1") || first.Weight != 2 ||
		first.Health != simcloud.TargetHealthy || first.Found != simcloud.TargetHealthy || first.Ingress != nil {
		t.Errorf("the target is %+v", first)
	}
	if second.Instance != "fd00::1" || second.Port != 81 || second.Addresses[0] != netip.MustParseAddr("fd00::1") {
		t.Errorf("the target of the group is %+v", second)
	}
	sick := Health{LoadBalancer: "lb-1", Instance: "127.77.1.1", Health: simcloud.TargetUnhealthy, Known: true}
	outside := sick
	outside.Outside = true
	grouped := Health{LoadBalancer: "lb-1", Group: "tg-1", Instance: "fd00::1", Port: 81, Health: simcloud.TargetUnhealthy, Known: true}
	if got := news(view, []Health{outside, sick, grouped}); len(got) != 2 || got[0] != sick || got[1] != grouped {
		t.Errorf("reported are %+v", got)
	}
	shown := shown(ListenerStatus{Targets: []TargetStatus{{Instance: "fd00::1"}, {Instance: "i-1"}}}).Targets
	if shown[0].Address != "fd00::1" || shown[0].Instance != "" || shown[1].Instance != "i-1" || shown[1].Address != "" {
		t.Errorf("shown are %+v", shown)
	}
}
