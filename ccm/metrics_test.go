package ccm

import (
	"context"
	"strings"
	"testing"
	"time"

	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/testutil"

	"github.com/simcloud-dev/simcloud/ccm/internal/call"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

func TestCallsAreCountedByOperationAndCode(t *testing.T) {
	t.Parallel()
	registry := metrics.NewKubeRegistry()
	recorded, err := call.NewMetrics(registry.Register)
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, 1)
	w.cloud = New(client.Around(w.api, recorded.Around), w.cloud.config, time.Now)
	if _, err := w.cloud.instances.InstanceExists(w.ctx(), w.nodes[0]); err != nil {
		t.Fatal(err)
	}
	if _, err := w.api.DeleteInstance(w.ctx(), "i-1"); err != nil {
		t.Fatal(err)
	}
	if _, err := w.cloud.instances.InstanceExists(w.ctx(), w.nodes[0]); err != nil {
		t.Fatal(err)
	}
	_ = recorded.Around("CreateRoute", func() error { return simcloud.Errorf(simcloud.Capacity, "", "full") })
	_ = recorded.Around("CreateRoute", func() error { return context.Canceled })
	recorded.Retried("ListRouteTables", simcloud.Errorf(simcloud.RateLimited, "", "slower"))
	recorded.Reachable(true)
	const want = `
# HELP simcloud_ccm_cloud_calls_total [ALPHA] Calls of the cloud, by the operation's name and the code that it ended in (ok when it succeeded).
# TYPE simcloud_ccm_cloud_calls_total counter
simcloud_ccm_cloud_calls_total{code="capacity",operation="CreateRoute"} 1
simcloud_ccm_cloud_calls_total{code="canceled",operation="CreateRoute"} 1
simcloud_ccm_cloud_calls_total{code="not_found",operation="GetInstance"} 1
simcloud_ccm_cloud_calls_total{code="ok",operation="GetInstance"} 1
# HELP simcloud_ccm_cloud_reachable [ALPHA] 1 when the cloud answered the last call, 0 when it did not or refused the token.
# TYPE simcloud_ccm_cloud_reachable gauge
simcloud_ccm_cloud_reachable 1
# HELP simcloud_ccm_cloud_retries_total [ALPHA] Attempts at calls of the cloud that were made again, by the operation's name and the code that the attempt ended in.
# TYPE simcloud_ccm_cloud_retries_total counter
simcloud_ccm_cloud_retries_total{code="rate_limited",operation="ListRouteTables"} 1
`
	names := []string{"simcloud_ccm_cloud_calls_total", "simcloud_ccm_cloud_reachable", "simcloud_ccm_cloud_retries_total"}
	if err := testutil.GatherAndCompare(registry, strings.NewReader(want), names...); err != nil {
		t.Error(err)
	}
}

func ignoreMetric(metrics.Registerable) error { return nil }
