package sim_test

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
	"github.com/simcloud-dev/simcloud/simcloud/sim"
)

// scrape returns the samples of /metrics by their names and labels.
func scrape(t *testing.T, cloud *sim.Cloud) map[string]float64 {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, cloud.URL()+"/metrics", nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	raw, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("scrape: %d, %v", res.StatusCode, err)
	}
	samples := map[string]float64{}
	for line := range strings.Lines(string(raw)) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), "} ")
		if !ok {
			name, value, _ = strings.Cut(strings.TrimSpace(line), " ")
		} else {
			name += "}"
		}
		if n, err := strconv.ParseFloat(value, 64); err == nil {
			samples[name] = n
		}
	}
	return samples
}

// TestMetrics: what happens in a cloud, and what it holds, can be scraped.
func TestMetrics(t *testing.T) {
	t.Parallel()
	cloud := open(t, sim.Config{Data: filepath.Join(t.TempDir(), "cloud.db"), Token: "s3cret"})
	before := scrape(t, cloud)
	c := dial(t, client.Config{Endpoint: cloud.URL(), Token: "s3cret"})
	for _, name := range []string{"a", "b", "c"} {
		if _, err := c.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: name}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.StopInstance(t.Context(), "i-2"); err != nil {
		t.Fatal(err)
	}
	if _, err := c.GetInstance(t.Context(), "i-404"); err == nil {
		t.Fatal("there is an instance i-404")
	}
	after := scrape(t, cloud)
	for name, want := range map[string]float64{
		`simcloud_resources{kind="instance",state="running"}`:                          2,
		`simcloud_resources{kind="instance",state="stopped"}`:                          1,
		`simcloud_resources{kind="operation",state="done"}`:                            4,
		`simcloud_resources{kind="instance_type",state=""}`:                            3,
		`simcloud_resources{kind="zone",state="available"}`:                            3,
		`simcloud_requests_total{code="ok",operation="CreateInstance"}`:                3,
		`simcloud_requests_total{code="not_found",operation="GetInstance"}`:            1,
		`simcloud_request_duration_seconds_count{operation="CreateInstance"}`:          3,
		`simcloud_requests_in_flight`:                                                  0,
		`simcloud_streams`:                                                             0,
		`simcloud_request_duration_seconds_bucket{operation="StopInstance",le="+Inf"}`: 1,
	} {
		if got, ok := after[name]; !ok || got != want {
			t.Errorf("%s is %v (%t), want %v", name, got, ok, want)
		}
	}
	for name, atLeast := range map[string]float64{
		`simcloud_store_commit_duration_seconds_count{result="ok"}`: 4,
		`simcloud_store_commit_updates_sum`:                         4,
		`simcloud_store_commit_updates_count`:                       1,
	} {
		if grown := after[name] - before[name]; grown < atLeast {
			t.Errorf("%s has grown by %v, want at least %v", name, grown, atLeast)
		}
	}
	for _, name := range []string{"go_goroutines", "process_open_fds", "go_memstats_heap_alloc_bytes"} {
		if after[name] <= 0 {
			t.Errorf("%s is %v", name, after[name])
		}
	}
}

// TestMetricsAreDocumented: docs/serving.md names each of the cloud's own metrics, and no other.
func TestMetricsAreDocumented(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/serving.md")
	if err != nil {
		t.Fatal(err)
	}
	site := openSite(t)
	site.wantAnswers("the load balancer", site.floatingIP("web", site.loadBalancer("web", site.machine("one"))), "one")
	cloud := site.cloud
	c := dial(t, client.Config{Endpoint: cloud.URL(), Token: cloud.Token(), Retries: -1})
	rates := []simcloud.Rate{{Class: "*", PerSecond: 1e-3, Burst: 1}}
	if _, err := c.UpdateConfig(t.Context(), simcloud.ConfigUpdate{Rates: &rates}); err != nil {
		t.Fatal(err)
	}
	rule := fault.Rule{Effect: fault.Effect{Error: &fault.Problem{Code: simcloud.Capacity}}}
	if _, err := c.AddFault(t.Context(), rule); err != nil {
		t.Fatal(err)
	}
	for range 2 { // a fault rule changes one, one is too many
		if _, err := c.GetInstance(t.Context(), "i-1"); err == nil {
			t.Fatal("there is an instance i-1")
		}
	}
	name := regexp.MustCompile(`simcloud_\w+`)
	known := map[string]bool{}
	for sample := range scrape(t, cloud) {
		if own := name.FindString(sample); strings.HasPrefix(sample, own) && own != "" {
			known[regexp.MustCompile(`_(bucket|count|sum)$`).ReplaceAllString(own, "")] = true
		}
	}
	documented := map[string]bool{}
	for _, own := range name.FindAllString(string(page), -1) {
		documented[own] = true
	}
	if diff := cmp.Diff(known, documented); diff != "" {
		t.Errorf("metrics (-there +documented):\n%s", diff)
	}
}

// TestMetricsWithoutStore: what can still be said is said when the data file cannot be read.
func TestMetricsWithoutStore(t *testing.T) {
	t.Parallel()
	cloud := open(t, sim.Config{Ephemeral: true})
	if err := cloud.Core().Close(); err != nil {
		t.Fatal(err)
	}
	if samples := scrape(t, cloud); samples["go_goroutines"] <= 0 {
		t.Errorf("samples %v", samples)
	}
}
