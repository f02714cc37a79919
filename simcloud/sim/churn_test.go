package sim_test

import (
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"runtime/pprof"
	"strings"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
	"github.com/simcloud-dev/simcloud/simcloud/sim"
)

// How long the churn lasts, and where its heap is profiled to.
var (
	churnTime    = flag.Duration("churn", 0, "time that TestChurnIsFlat takes; without it a number of rounds is enough")
	churnProfile = flag.String("churn-profile", "", "file for a profile of the heap at the end of TestChurnIsFlat")
)

// churn makes, reads and deletes something by each API.
func churn(t *testing.T, cloud *sim.Cloud, c *client.Client, session string, n int) {
	t.Helper()
	name := fmt.Sprintf("churn-%d", n)
	made, err := c.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: name, Labels: map[string]string{"round": name}})
	if err != nil {
		t.Fatal(err)
	}
	lb, err := c.CreateLoadBalancer(t.Context(), simcloud.LoadBalancerSpec{Name: name, Targets: []simcloud.TargetSpec{{Instance: made.Resource.ID}}})
	if err != nil {
		t.Fatal(err)
	}
	uuid := fmt.Sprintf("00000000-0000-4001-8000-%012s", strings.TrimPrefix(string(made.Resource.ID), "i-"))
	for path, header := range map[string]http.Header{
		"/hcloud/v1/servers?name=" + name:           {"Authorization": {"Bearer " + cloud.Token()}},
		"/hcloud/v1/load_balancers":                 {"Authorization": {"Bearer " + cloud.Token()}},
		"/openstack/compute/v2.1/servers/" + uuid:   {"X-Auth-Token": {session}},
		"/openstack/load-balancer/v2.0/lbaas/pools": {"X-Auth-Token": {session}},
	} {
		if status, _, body := ask(t, http.MethodGet, cloud.URL()+path, "", header); status != http.StatusOK {
			t.Fatalf("%s: %d %s", path, status, body)
		}
	}
	form := "Action=DescribeInstances&Version=2016-11-15&InstanceId.1=" + string(made.Resource.ID)
	ask(t, http.MethodPost, cloud.URL()+"/aws", form, http.Header{"X-Amz-Security-Token": {cloud.Token()}, "Content-Type": {"application/x-www-form-urlencoded"}})
	if _, err := c.DeleteLoadBalancer(t.Context(), lb.Resource.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := c.DeleteInstance(t.Context(), made.Resource.ID); err != nil {
		t.Fatal(err)
	}
}

// remembered is what the parts of the memory budget take, in MiB.
func remembered(t *testing.T, cloud *sim.Cloud) (mebibytes float64, parts string) {
	t.Helper()
	samples := scrape(t, cloud)
	for _, part := range []string{"journal", "history", "answers"} {
		size := samples[`simcloud_memory_bytes{part="`+part+`"}`] / (1 << 20)
		mebibytes += size
		parts += fmt.Sprintf(" %s %.1f", part, size)
	}
	return mebibytes, parts
}

// TestChurnIsFlat: what a cloud remembers stays below its budget, and nothing else grows with the calls.
func TestChurnIsFlat(t *testing.T) { // not parallel: it measures the heap
	const budget = 16
	rounds, every := 1200, 200
	if *churnTime > 0 {
		rounds = 1 << 40
	} else if testing.Short() {
		rounds, every = 300, 50
	}
	cloud := open(t, sim.Config{Ephemeral: true, MemoryBudget: budget << 20})
	c := dial(t, client.Config{Endpoint: cloud.URL(), Token: cloud.Token()})
	session := login(t, cloud)
	var besides []float64
	begun := time.Now()
	for n := range rounds {
		churn(t, cloud, c, session, n)
		if n%every != every-1 {
			continue
		}
		heap := inUse()
		parts, text := remembered(t, cloud)
		besides = append(besides, float64(heap)-parts)
		t.Logf("after %d rounds, %s: heap %d MiB, of which%s", n+1, time.Since(begun).Round(time.Second), heap, text)
		if parts > budget {
			t.Fatalf("it remembers %.1f MiB of %d", parts, budget)
		}
		if *churnTime > 0 && time.Since(begun) > *churnTime {
			break
		}
	}
	writeHeap(t, *churnProfile)
	const noise = 4 // of the allocator, in MiB
	if begin, end := besides[1], besides[len(besides)-1]; end > begin+noise {
		t.Errorf("the heap without what is remembered had %.1f MiB and has %.1f", begin, end)
	}
}

// writeHeap writes a profile of the heap; to no file by default.
func writeHeap(t *testing.T, file string) {
	t.Helper()
	if file == "" {
		return
	}
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(pprof.Lookup("heap").WriteTo(f, 0), f.Close()); err != nil {
		t.Fatal(err)
	}
}
