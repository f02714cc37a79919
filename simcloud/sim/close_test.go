package sim_test

import (
	"context"
	"fmt"
	"net"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
	"github.com/simcloud-dev/simcloud/simcloud/sim"
	"github.com/simcloud-dev/simcloud/simcloud/wait/waittest"
)

// TestCloseLeavesNothingRunning is not parallel: it looks at all that runs.
func TestCloseLeavesNothingRunning(t *testing.T) {
	cloud := open(t, sim.Config{Ephemeral: true, DataPlane: true, Networks: []string{siteNetwork}})
	c := dial(t, client.Config{Endpoint: cloud.URL(), Token: cloud.Token(), Retries: -1})
	busyListener(t, c)
	for _, rule := range []fault.Rule{
		{Match: fault.Match{Operation: "ListZones"}, Effect: fault.Effect{Hang: &fault.Hang{}}},
		{Match: fault.Match{Operation: "ListRegions"}, Effect: fault.Effect{Delay: &fault.Delay{Duration: simcloud.Duration(time.Hour)}}},
	} {
		if _, err := c.AddFault(t.Context(), rule); err != nil {
			t.Fatal(err)
		}
	}
	calls := []func(context.Context) error{
		func(ctx context.Context) error { _, err := c.ListZones(ctx, simcloud.ListOptions{}); return err },
		func(ctx context.Context) error { _, err := c.ListRegions(ctx, simcloud.ListOptions{}); return err },
		func(ctx context.Context) error { return lastOf(c.WatchEvents(ctx, 0)) },
		func(ctx context.Context) error { return lastOf(c.WatchJournal(ctx, simcloud.JournalFilter{})) },
		func(ctx context.Context) error { return lastOf(c.WatchAllEvents(ctx, 0)) },
		func(ctx context.Context) error {
			_, err := c.ListJournal(ctx, simcloud.JournalFilter{Settled: true})
			return err
		},
	}
	cloud.Journal().Begin() // a call that is never recorded
	const each = 10
	ended := make(chan error)
	for range each {
		for _, call := range calls {
			go func() { ended <- call(t.Context()) }()
		}
	}
	waittest.For(t, "all calls are under way", func() bool {
		return scrape(t, cloud)["simcloud_requests_in_flight"] == float64(each*len(calls))
	})
	shut(t, cloud)
	for range each * len(calls) {
		if err := <-ended; err == nil {
			t.Error("a call that the cloud has not answered ended well")
		}
	}
	c.Close()
	waittest.For(t, "nothing of the cloud runs", func() error {
		if left := running(); left != "" {
			return fmt.Errorf("still running:\n%s", left)
		}
		return nil
	})
}

func lastOf[T any](seq func(func(T, error) bool)) (last error) {
	for _, err := range seq {
		last = err
	}
	return last
}

// busyListener makes a load balancer that listens, checks its target and has a connection open.
func busyListener(t *testing.T, c *client.Client) {
	t.Helper()
	instance, err := c.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "target"})
	if err != nil {
		t.Fatal(err)
	}
	target, err := net.Listen("tcp", "127.0.0.1:0") // only its port counts: nothing has to answer
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = target.Close() })
	port := target.Addr().(*net.TCPAddr).Port
	lb, err := c.CreateLoadBalancer(t.Context(), simcloud.LoadBalancerSpec{
		Name: "lb", Scheme: simcloud.SchemeInternal, Targets: []simcloud.TargetSpec{{Instance: instance.Resource.ID}},
		Listeners: []simcloud.ListenerSpec{{Protocol: simcloud.ProtocolTCP, Port: port, ListenerConfig: simcloud.ListenerConfig{
			TargetPort: port, HealthCheck: &simcloud.HealthCheck{Protocol: simcloud.HealthCheckTCP, Port: port},
		}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	waittest.For(t, "the load balancer listens", func() bool {
		conn, err := net.Dial("tcp", net.JoinHostPort(lb.Resource.VIPs[0].Address, strconv.Itoa(port)))
		if err == nil {
			t.Cleanup(func() { _ = conn.Close() })
		}
		return err == nil
	})
}

// ours are the functions of a cloud, and of the server that it serves by.
var ours = regexp.MustCompile(`simcloud/simcloud/(core|store|server|journal|fault|sim|mirror|dataplane)\.|net/http\.\(\*(conn|Server)\)|go\.etcd\.io/bbolt`)

// running returns the goroutines of clouds.
func running() string {
	stacks := make([]byte, 4<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	var found []string
	for stack := range strings.SplitSeq(string(stacks), "\n\n") {
		if ours.MatchString(stack) && !strings.Contains(stack, "testing.tRunner") {
			found = append(found, stack)
		}
	}
	return strings.Join(found, "\n\n")
}
