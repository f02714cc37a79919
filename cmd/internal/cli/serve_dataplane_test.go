package cli

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
	"github.com/simcloud-dev/simcloud/simcloud/simtest"
	"github.com/simcloud-dev/simcloud/simcloud/wait/waittest"
)

// listening is a cloud's load balancer in front of one server of the test.
type listening struct {
	*testing.T
	lb       simcloud.ID
	address  string // of the VIP, with the port
	instance simcloud.ID
	server   *httptest.Server
}

// makeListening makes an internal load balancer in a network of loopback
// addresses, and a server at the address of its target.
func makeListening(t *testing.T, c *client.Client) *listening {
	t.Helper()
	network, err := c.CreateNetwork(t.Context(), simcloud.NetworkSpec{Name: "local", CIDRs: []string{"127.81.0.0/16"}})
	if err != nil {
		t.Fatal(err)
	}
	made, err := c.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "node-1", Network: network.Resource.ID, NoPublicAddress: true})
	if err != nil {
		t.Fatal(err)
	}
	instance := made.Resource
	listener, err := net.Listen("tcp", net.JoinHostPort(instance.Addresses[0].Address, "0"))
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "hello") }))
	_ = server.Listener.Close()
	server.Listener = listener
	server.Start()
	t.Cleanup(server.Close)

	port := listener.Addr().(*net.TCPAddr).Port
	lb, err := c.CreateLoadBalancer(t.Context(), simcloud.LoadBalancerSpec{
		Name: "web", Scheme: simcloud.SchemeInternal, Network: network.Resource.ID,
		Targets: []simcloud.TargetSpec{{Instance: instance.ID}},
		Listeners: []simcloud.ListenerSpec{{Protocol: simcloud.ProtocolTCP, Port: port, ListenerConfig: simcloud.ListenerConfig{
			TargetPort: port, HealthCheck: &simcloud.HealthCheck{
				Protocol: simcloud.HealthCheckTCP, Port: port, IntervalSeconds: 1, TimeoutSeconds: 1, Threshold: 1,
			},
		}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return &listening{t, lb.Resource.ID, net.JoinHostPort(lb.Resource.VIPs[0].Address, strconv.Itoa(port)), instance.ID, server}
}

// ask asks at the VIP, on a connection of its own.
func (l *listening) ask() error {
	c := http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 30 * time.Second}
	res, err := c.Get("http://" + l.address)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	if body, err := io.ReadAll(res.Body); err != nil || string(body) != "hello" {
		return fmt.Errorf("%q, %w", body, err)
	}
	return nil
}

// health returns an error unless the target's health is as wanted.
func (l *listening) health(c *client.Client, want simcloud.TargetHealth) func() error {
	return func() error {
		lb, err := c.GetLoadBalancer(l.Context(), l.lb)
		if err == nil && lb.Targets[0].Health != want {
			err = fmt.Errorf("the target is %s", lb.Targets[0].Health)
		}
		return err
	}
}

// TestDataPlaneOfServe: the load balancers of a cloud that was killed listen
// again as soon as it serves, and its word on health is not forgotten.
func TestDataPlaneOfServe(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	token := filepath.Join(dir, "token")
	args := []string{"--data", filepath.Join(dir, "cloud.db"), "--token-file", token, "--dataplane"}
	start := func() (*served, *client.Client) {
		t.Helper()
		s, err := startServe(dir, os.Environ(), args)
		if err != nil {
			t.Fatal(err)
		}
		return s, simtest.Dial(t, client.Config{Endpoint: s.url(), TokenFile: token})
	}
	first, c := start()
	l := makeListening(t, c)
	waittest.For(l.T, "the load balancer was made", l.ask)
	if err := first.end(syscall.SIGKILL); err == nil {
		t.Error("a killed cloud ended well")
	}
	if err := l.ask(); err == nil {
		t.Error("the load balancer of a killed cloud answers")
	}
	l.server.Close()
	second, c := start()
	waittest.For(l.T, "its server is gone", l.health(c, simcloud.TargetUnhealthy))
	if err := l.ask(); err == nil {
		t.Error("a load balancer without a server answers")
	}
	if err := second.end(syscall.SIGKILL); err == nil {
		t.Error("a killed cloud ended well")
	}
	third, c := start()
	if err := l.health(c, simcloud.TargetUnhealthy)(); err != nil {
		t.Errorf("after a restart: %v", err)
	}
	if err := third.end(syscall.SIGTERM); err != nil {
		t.Error(err)
	}

	args = args[:len(args)-1]
	last, c := start()
	if err := l.health(c, simcloud.TargetHealthy)(); err != nil {
		t.Errorf("without a data plane: %v", err)
	}
	if err := last.end(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
}
