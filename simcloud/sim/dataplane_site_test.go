package sim_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
	"github.com/simcloud-dev/simcloud/simcloud/sim"
	"github.com/simcloud-dev/simcloud/simcloud/simtest"
	"github.com/simcloud-dev/simcloud/simcloud/wait/waittest"
)

// siteNetwork is a range whose addresses this machine has, so that machines
// can be servers of the test.
const siteNetwork = "127.80.0.0/16"

// site is a cloud with a data plane and machines that are HTTP servers.
type site struct {
	*testing.T
	cloud   *sim.Cloud
	c       *client.Client
	network simcloud.ID
	port    int // of all servers, and of all listeners
}

func openSite(t *testing.T, opts ...func(*sim.Config)) *site {
	t.Helper()
	cfg := sim.Config{
		Data: t.TempDir() + "/cloud.db", Seed: 1, DataPlane: true,
		Networks: []string{siteNetwork}, FloatingCIDRs: []string{"127.78.0.0/16"},
	}
	for _, opt := range opts {
		opt(&cfg)
	}
	cloud, err := sim.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	s := &site{T: t, cloud: cloud}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), simtest.Patience)
		defer cancel()
		if err := s.cloud.Core().Check(ctx); err != nil {
			t.Errorf("the cloud breaks its invariants:\n%v", err)
		}
		if err := s.cloud.Close(ctx); err != nil {
			t.Errorf("close the cloud: %v", err)
		}
	})
	s.c = s.dial(cloud.Token())
	return s
}

func (s *site) dial(token string) *client.Client {
	s.Helper()
	return simtest.Dial(s, client.Config{Endpoint: s.cloud.URL(), Token: token})
}

// reopen restarts the cloud.
func (s *site) reopen() {
	s.Helper()
	cloud, err := s.cloud.Reopen(s.Context(), time.Second)
	if err != nil {
		s.Fatal(err)
	}
	s.cloud = cloud
	s.c.Close() // its connections were to the old one: a POST on such a one is not repeated
}

// must returns what an operation has answered, or ends the test.
func (s *site) must(v any, err error) any {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
	return v
}

func (s *site) advance() {
	s.Helper()
	s.must(s.c.AdvanceClock(s.Context(), simcloud.Duration(time.Second)))
}

// machine is an instance at whose address a server listens.
type machine struct {
	id   simcloud.ID
	zone simcloud.ID
	sick atomic.Bool // whether /healthz reports it
	end  func()      // stops the server
}

func (s *site) machine(name string) *machine {
	s.Helper()
	made := s.must(s.c.CreateInstance(s.Context(), simcloud.InstanceSpec{Name: name, Network: s.network})).(simcloud.Result[simcloud.Instance]).Resource
	m := &machine{id: made.ID, zone: made.Zone}
	i := slices.IndexFunc(made.Addresses, func(a simcloud.Address) bool { return a.Scope == simcloud.ScopePrivate })
	listener, err := net.Listen("tcp", net.JoinHostPort(made.Addresses[i].Address, strconv.Itoa(s.port)))
	if err != nil {
		s.Fatal(err)
	}
	s.port = listener.Addr().(*net.TCPAddr).Port
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/healthz" && m.sick.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		_, _ = io.WriteString(w, name)
	}))
	_ = server.Listener.Close()
	server.Listener = listener
	server.Start()
	m.end = server.Close
	s.Cleanup(m.end)
	return m
}

func (s *site) listener() simcloud.ListenerSpec {
	return simcloud.ListenerSpec{
		Protocol: simcloud.ProtocolTCP, Port: s.port, ListenerConfig: simcloud.ListenerConfig{TargetPort: s.port},
	}
}

// check gives the listener of a load balancer a health check.
func (s *site) check(lb simcloud.ID) {
	s.Helper()
	checked := s.listener().ListenerConfig
	checked.HealthCheck = &simcloud.HealthCheck{
		Protocol: simcloud.HealthCheckHTTP, Port: s.port, Path: "/healthz", IntervalSeconds: 1, TimeoutSeconds: 10, Threshold: 1,
	}
	s.must(s.c.UpdateListener(s.Context(), lb, simcloud.ListenerID(simcloud.ProtocolTCP, s.port), checked))
}

func (s *site) loadBalancer(name string, targets ...*machine) simcloud.ID {
	s.Helper()
	return s.make(simcloud.LoadBalancerSpec{Name: name}, targets).ID
}

// internal makes a load balancer that has an address from the start.
func (s *site) internal(name string, targets ...*machine) (simcloud.ID, netip.Addr) {
	s.Helper()
	lb := s.make(simcloud.LoadBalancerSpec{Name: name, Scheme: simcloud.SchemeInternal}, targets)
	return lb.ID, netip.MustParseAddr(lb.VIPs[0].Address)
}

func (s *site) make(spec simcloud.LoadBalancerSpec, targets []*machine) simcloud.LoadBalancer {
	s.Helper()
	spec.Network, spec.Listeners = s.network, []simcloud.ListenerSpec{s.listener()}
	for _, m := range targets {
		spec.Targets = append(spec.Targets, simcloud.TargetSpec{Instance: m.id})
	}
	return s.must(s.c.CreateLoadBalancer(s.Context(), spec)).(simcloud.Result[simcloud.LoadBalancer]).Resource
}

// group makes a security group without rules.
func (s *site) group(name string) simcloud.ID {
	s.Helper()
	return s.must(s.c.CreateSecurityGroup(s.Context(), simcloud.SecurityGroupSpec{Name: name})).(simcloud.Result[simcloud.SecurityGroup]).Resource.ID
}

// targetGroup makes a group for the site's port, whose check asks each target at its own port.
func (s *site) targetGroup(name string, targets ...*machine) simcloud.ID {
	s.Helper()
	spec := simcloud.TargetGroupSpec{
		Name: name, Network: s.network, Protocol: simcloud.ProtocolTCP, Port: s.port,
		HealthCheck: &simcloud.HealthCheck{Protocol: simcloud.HealthCheckHTTP, Path: "/healthz", IntervalSeconds: 1, TimeoutSeconds: 10, Threshold: 1},
	}
	for _, m := range targets {
		spec.Targets = append(spec.Targets, simcloud.GroupTargetSpec{Instance: m.id})
	}
	return s.must(s.c.CreateTargetGroup(s.Context(), spec)).(simcloud.Result[simcloud.TargetGroup]).Resource.ID
}

// wantGroupHealth fails the test unless the targets of a group are so before long.
func (s *site) wantGroupHealth(when string, group simcloud.ID, want ...simcloud.TargetHealth) {
	s.Helper()
	waittest.For(s.T, when, func() error {
		var got []simcloud.TargetHealth
		for _, target := range s.must(s.c.GetTargetGroup(s.Context(), group)).(simcloud.TargetGroup).Targets {
			got = append(got, target.Health)
		}
		if slices.Equal(got, want) {
			return nil
		}
		return fmt.Errorf("%s, want %s", joined(got), joined(want))
	})
}

// rule adds a rule to a security group.
func (s *site) rule(group simcloud.ID, rule simcloud.SecurityGroupRuleSpec) simcloud.ID {
	s.Helper()
	rules := simcloud.SecurityGroupRules{Rules: []simcloud.SecurityGroupRuleSpec{rule}}
	made := s.must(s.c.AddSecurityGroupRules(s.Context(), group, rules)).(simcloud.Result[simcloud.SecurityGroup]).Resource
	return made.Rules[len(made.Rules)-1].ID
}

// floatingIP makes an address that leads to a load balancer, if there is one.
func (s *site) floatingIP(name string, lb simcloud.ID) netip.Addr {
	s.Helper()
	spec := simcloud.FloatingIPSpec{Name: name}
	if lb != "" {
		spec.AttachedTo = simcloud.Attachment{Kind: simcloud.KindLoadBalancer, ID: lb}
	}
	made := s.must(s.c.CreateFloatingIP(s.Context(), spec)).(simcloud.Result[simcloud.FloatingIP]).Resource
	return netip.MustParseAddr(made.Address)
}

// get asks the site's port at an address, on a connection of its own.
func (s *site) get(address netip.Addr) (string, error) {
	c := http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 30 * time.Second}
	res, err := c.Get("http://" + netip.AddrPortFrom(address, uint16(s.port)).String() + "/")
	if err != nil {
		return "", err
	}
	defer func() { _ = res.Body.Close() }()
	raw, err := io.ReadAll(res.Body)
	return string(raw), err
}

// wantAnswers fails the test unless before long the machines of these names, and no others, answer.
func (s *site) wantAnswers(when string, address netip.Addr, names ...string) {
	s.Helper()
	waittest.For(s.T, when, func() error {
		seen := map[string]bool{}
		for range 2 * len(names) {
			text, err := s.get(address)
			if err != nil {
				return err
			}
			seen[text] = true
		}
		for _, name := range names {
			if !seen[name] {
				return fmt.Errorf("%s does not answer", name)
			}
		}
		if len(seen) > len(names) {
			return errors.New("too many answer")
		}
		return nil
	})
}

// wantNoAnswer fails the test unless before long nothing answers.
func (s *site) wantNoAnswer(when string, address netip.Addr) {
	s.Helper()
	waittest.For(s.T, when, func() error {
		if text, err := s.get(address); err == nil {
			return fmt.Errorf("%s answers", text)
		}
		return nil
	})
}

// wantHealth fails the test unless the targets of a load balancer are so before long.
func (s *site) wantHealth(when string, lb simcloud.ID, want ...simcloud.TargetHealth) {
	s.Helper()
	waittest.For(s.T, when, func() error {
		var got []simcloud.TargetHealth
		for _, target := range s.must(s.c.GetLoadBalancer(s.Context(), lb)).(simcloud.LoadBalancer).Targets {
			got = append(got, target.Health)
		}
		if slices.Equal(got, want) {
			return nil
		}
		return fmt.Errorf("%s, want %s", joined(got), joined(want))
	})
}

func joined(all []simcloud.TargetHealth) string {
	var words []string
	for _, h := range all {
		words = append(words, string(h))
	}
	return strings.Join(words, " ")
}

// wantProblem fails the test unless the data plane reports the problem of the load balancer's listener before long.
func (s *site) wantProblem(lb simcloud.ID, text string) {
	s.Helper()
	waittest.For(s.T, "the data plane's problem with "+string(lb), func() error {
		plane := s.must(s.c.GetDataPlane(s.Context())).(simcloud.DataPlane)
		for _, l := range plane.Listeners {
			if l.LoadBalancer == lb && strings.Contains(l.Error, text) && (text == "") == (l.Error == "") {
				return nil
			}
		}
		return fmt.Errorf("the problem is not %q", text)
	})
}
