package dataplane_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dataplane"
	"github.com/simcloud-dev/simcloud/simcloud/wait/waittest"
)

func TestMetrics(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	w.apply(listeners(func(l *dataplane.Listener) { l.AllowedCIDRs = prefixes("127.0.0.0/24") }),
		func(lb *dataplane.LoadBalancer) { lb.Targets[1].Health = simcloud.TargetUnhealthy })
	w.wantAlive("a connection", w.mustDial("127.0.0.9"))
	if _, err := w.dial("127.0.1.9"); err == nil {
		t.Error("a connection from outside the ranges")
	}
	w.udp("127.0.0.9").ask(t, "hello")
	want := map[string]float64{
		"simcloud_dataplane_listening lb-1 tcp":                    1,
		"simcloud_dataplane_listening lb-1 udp":                    1,
		"simcloud_dataplane_connections lb-1 tcp":                  1,
		"simcloud_dataplane_connections lb-1 udp":                  1,
		"simcloud_dataplane_connections_total lb-1 tcp":            2,
		"simcloud_dataplane_connections_total lb-1 udp":            1,
		"simcloud_dataplane_refused_total lb-1 tcp dial":           0,
		"simcloud_dataplane_refused_total lb-1 tcp limit":          0,
		"simcloud_dataplane_refused_total lb-1 tcp no_target":      0,
		"simcloud_dataplane_refused_total lb-1 tcp security_group": 0,
		"simcloud_dataplane_refused_total lb-1 tcp source":         1,
		"simcloud_dataplane_refused_total lb-1 udp dial":           0,
		"simcloud_dataplane_refused_total lb-1 udp limit":          0,
		"simcloud_dataplane_refused_total lb-1 udp no_target":      0,
		"simcloud_dataplane_refused_total lb-1 udp security_group": 0,
		"simcloud_dataplane_refused_total lb-1 udp source":         0,
		"simcloud_dataplane_bytes_total received lb-1 tcp":         6,
		"simcloud_dataplane_bytes_total sent lb-1 tcp":             4 + 6,
		"simcloud_dataplane_bytes_total received lb-1 udp":         5,
		"simcloud_dataplane_bytes_total sent lb-1 udp":             4 + 5,
		"simcloud_dataplane_target_healthy i-1 lb-1":               1,
		"simcloud_dataplane_target_healthy i-2 lb-1":               0,
	}
	waittest.For(t, "the metrics have the expected values", func() bool { return cmp.Equal(want, gather(t, w.b)) })
	if diff := cmp.Diff(want, gather(t, w.b)); diff != "" {
		t.Errorf("metrics (-want +got):\n%s", diff)
	}
}
