package sim_test

import (
	"net/http"
	"net/http/httptest"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
	"github.com/simcloud-dev/simcloud/simcloud/sim"
)

// inUse is the heap that is in use after a collection, in MiB.
func inUse() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapInuse >> 20)
}

// TestHostsAreNotRemembered: a reader that calls the cloud by thousands of long names does not make it keep an answer for each.
func TestHostsAreNotRemembered(t *testing.T) { // not parallel: it measures the heap
	cloud := open(t, sim.Config{Ephemeral: true, AllowedHosts: []string{sim.AnyHost}})
	c := dial(t, client.Config{Endpoint: cloud.URL(), Token: cloud.Token()})
	if _, err := c.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "a"}); err != nil {
		t.Fatal(err)
	}
	session := login(t, cloud)
	before := inUse()
	for _, c := range []struct{ length, times int }{{200, 50}, {60_000, 4000}} { // fewer than make the cloud forget all answers
		for n := range c.times {
			host := "h" + strconv.Itoa(n) + strings.Repeat("a", c.length)
			req := httptest.NewRequestWithContext(t.Context(), http.MethodGet, cloud.URL()+"/openstack/compute/v2.1/servers/00000000-0000-4001-8000-000000000001", http.NoBody)
			req.Host, req.RequestURI = host, ""
			req.Header.Set("X-Auth-Token", session)
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			if err := resp.Body.Close(); err != nil || resp.StatusCode != http.StatusOK {
				t.Fatalf("call %d is %s, %v", n, resp.Status, err)
			}
		}
	}
	if grown := inUse() - before; grown > 100 {
		t.Errorf("reads of one server hold %d MiB", grown)
	}
	samples := scrape(t, cloud)
	if answers := samples[`simcloud_memory_bytes{part="answers"}`]; answers <= 0 || answers > 32<<20 {
		t.Errorf("answers take %v bytes", answers)
	}
	if journal := samples[`simcloud_memory_bytes{part="journal"}`]; journal <= 0 || journal > 160<<20 {
		t.Errorf("the journal takes %v bytes", journal)
	}
}

// TestMemoryBudgetIsChecked: a budget that cannot hold a journal is refused by the name of its field.
func TestMemoryBudgetIsChecked(t *testing.T) {
	t.Parallel()
	_, err := sim.Open(t.Context(), sim.Config{Ephemeral: true, MemoryBudget: 1 << 20})
	wantField(t, "1 MiB", err, "memoryBudget")
}
