package observe_test

import (
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"github.com/simcloud-dev/simcloud/scenarios/step/steptest"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// shownBalancer is what a scenario sees of the first load balancer's targets and listeners.
func shownBalancer(feed *observe.CloudFeed) map[string]any {
	synctest.Wait()
	lb := feed.Store.Snapshot().Resources["loadBalancers"][0]
	return map[string]any{"targets": observe.Dig(lb, "targets"), "listeners": observe.Dig(lb, "listeners")}
}

// TestTargetGroupsOfLoadBalancers: a load balancer is shown with what its target groups have, as they change.
func TestTargetGroupsOfLoadBalancers(t *testing.T) {
	t.Parallel()
	follow(t, func(t *testing.T, cloud *steptest.Cloud, feed *observe.CloudFeed) {
		const two simcloud.ID = "i-2"
		cloud.Instance(t, "two")
		cloud.Must(t)(cloud.CreateTargetGroup(t.Context(), simcloud.TargetGroupSpec{
			Name: "g", Protocol: simcloud.ProtocolTCP, Port: 30080, ProxyProtocol: true,
			HealthCheck: &simcloud.HealthCheck{Protocol: simcloud.HealthCheckTCP},
			Targets:     []simcloud.GroupTargetSpec{{Instance: "i-1", Port: 81}, {Instance: two}, {Instance: two, Port: 81}},
		}))
		cloud.Must(t)(cloud.CreateLoadBalancer(t.Context(), simcloud.LoadBalancerSpec{
			Name: "lb", Targets: []simcloud.TargetSpec{{Instance: "i-1", Weight: 7}},
			Listeners: []simcloud.ListenerSpec{
				{Protocol: simcloud.ProtocolTCP, Port: 80, ListenerConfig: simcloud.ListenerConfig{TargetGroup: "tg-1"}},
				{Protocol: simcloud.ProtocolTCP, Port: 81, ListenerConfig: simcloud.ListenerConfig{TargetPort: 30081}},
			},
		}))
		own := map[string]any{"instance": "i-1", "weight": int64(7), "health": "healthy"}
		grouped := map[string]any{"instance": string(two), "weight": int64(1), "health": "healthy"}
		forwarding := map[string]any{
			"id": "tcp-80", "protocol": "tcp", "port": int64(80), "targetGroup": "tg-1", "targetPort": int64(30080), "proxyProtocol": true,
			"healthCheck": map[string]any{
				"protocol": "tcp", "port": int64(30080), "intervalSeconds": int64(5), "timeoutSeconds": int64(3), "threshold": int64(3),
			},
		}
		plain := map[string]any{"id": "tcp-81", "protocol": "tcp", "port": int64(81), "targetPort": int64(30081)}
		want := map[string]any{"targets": []any{own, grouped}, "listeners": []any{forwarding, plain}}
		if diff := cmp.Diff(want, shownBalancer(feed)); diff != "" {
			t.Errorf("the load balancer (-want +got):\n%s", diff)
		}
		group := feed.Store.Snapshot().Resources["targetGroups"][0]
		if got := observe.Dig(group, "healthCheck", "port"); got != int64(0) {
			t.Errorf("the check of the group has the port %v, want that of the cloud, 0", got)
		}

		cloud.Must(t)(cloud.StopInstance(t.Context(), two))
		grouped["health"] = "unhealthy"
		if diff := cmp.Diff(want, shownBalancer(feed)); diff != "" {
			t.Errorf("with a machine stopped (-want +got):\n%s", diff)
		}
		gone := simcloud.GroupTargets{Targets: []simcloud.GroupTargetSpec{{Instance: two}, {Instance: two, Port: 81}}}
		cloud.Must(t)(cloud.RemoveGroupTargets(t.Context(), "tg-1", gone))
		want["targets"] = []any{own}
		forwarding["targetPort"], forwarding["healthCheck"].(map[string]any)["port"] = int64(81), int64(81) // that of all targets
		if diff := cmp.Diff(want, shownBalancer(feed)); diff != "" {
			t.Errorf("with targets removed (-want +got):\n%s", diff)
		}
		cloud.Must(t)(cloud.DeleteTarget(t.Context(), "lb-1", "i-1"))
		want["targets"], plain["targetPort"] = []any{map[string]any{"instance": "i-1", "weight": int64(1), "health": "healthy"}}, int64(0)
		if diff := cmp.Diff(want, shownBalancer(feed)); diff != "" {
			t.Errorf("with a listener that forwards nowhere (-want +got):\n%s", diff)
		}
		want["targets"], plain["targetPort"] = []any{}, int64(30081)
		cloud.Must(t)(cloud.DeleteListener(t.Context(), "lb-1", "tcp-80"))
		want["listeners"] = []any{plain}
		if diff := cmp.Diff(want, shownBalancer(feed)); diff != "" {
			t.Errorf("without the listener (-want +got):\n%s", diff)
		}
	})
}
