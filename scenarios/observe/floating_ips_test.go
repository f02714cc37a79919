package observe_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// TestKnownByFloatingIPs: a load balancer is shown by its floating IPs alone, where the naming has that and there are some.
func TestKnownByFloatingIPs(t *testing.T) {
	t.Parallel()
	private := simcloud.VIP{Address: "10.0.0.2", Network: "net-1"}
	floating := simcloud.VIP{Address: "198.51.100.2", FloatingIP: "fip-1"}
	for _, c := range []struct {
		naming observe.Naming
		vips   []simcloud.VIP
		want   []any
	}{
		{observe.Naming{}, []simcloud.VIP{private, floating}, []any{private.Address, floating.Address}},
		{observe.Naming{FloatingIPs: true}, []simcloud.VIP{private, floating}, []any{floating.Address}},
		{observe.Naming{FloatingIPs: true}, []simcloud.VIP{private}, []any{private.Address}},
		{observe.Naming{FloatingIPs: true}, []simcloud.VIP{floating}, []any{floating.Address}},
	} {
		store := observe.NewStore("test")
		store.Current.Naming = c.naming
		lb := simcloud.LoadBalancer{Meta: simcloud.Meta{ID: "lb-1", Name: "lb", Version: 1}, VIPs: c.vips}
		if err := store.ReplaceCloud(simcloud.State{Revision: 1, LoadBalancers: []simcloud.LoadBalancer{lb}}); err != nil {
			t.Fatal(err)
		}
		var shown []any
		for _, vip := range observe.List(observe.Dig(store.Snapshot().Resources["loadBalancers"][0], "vips")) {
			shown = append(shown, observe.Dig(vip, "address"))
		}
		if diff := cmp.Diff(c.want, shown); diff != "" {
			t.Errorf("%+v: wrong addresses (-want +got):\n%s", c.naming, diff)
		}
	}
}
