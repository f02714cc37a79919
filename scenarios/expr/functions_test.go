package expr_test

import (
	"cmp"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/simcloud-dev/simcloud/scenarios/expr"
	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"github.com/simcloud-dev/simcloud/scenarios/run/runtest"
	"github.com/simcloud-dev/simcloud/scenarios/step/steptest"
	"github.com/simcloud-dev/simcloud/scenarios/syntax"
	"github.com/simcloud-dev/simcloud/simcloud/dialect"
	"github.com/simcloud-dev/simcloud/simcloud/sim"
)

// TestSettings: two looks at a load balancer are the same when only its
// targets' health was found, and not when a target or a weight is another.
func TestSettings(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := steptest.NewCluster(t)
		runtest.Passes(t, runtest.Perform(t, c, `
  - capture:
      a: '{"id": "lb-1", "version": 1, "updated": "x", "targets": [{"instance": "i-1", "weight": 1, "health": "healthy"}]}'
      b: '{"id": "lb-1", "version": 2, "updated": "y", "targets": [{"instance": "i-1", "weight": 1, "health": "unhealthy", "reported": "unhealthy"}]}'
      c: '{"id": "lb-1", "version": 1, "updated": "x", "targets": [{"instance": "i-1", "weight": 2, "health": "healthy"}]}'
  - expect:
    - a != b && settings(a) == settings(b) && settings(a) in settings([c, b])
    - settings(a) != settings(c) && !(settings(a) in settings([c]))
    - 'settings(a) == {"id":"lb-1", "targets":[{"instance":"i-1", "weight":1}]} && settings("x") == "x"'
`))
	})
}

// TestLeadsTo: a route leads to an instance by its id, or by one of its addresses, and to no other.
func TestLeadsTo(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := steptest.NewCluster(t)
		runtest.Passes(t, runtest.Perform(t, c, `
  - capture:
      vm: '{"id": "i-1", "addresses": [{"address": "10.0.0.4"}, {"address": "fd00::4"}]}'
  - expect:
    - 'leadsTo({"nextHop": {"instance": "i-1"}}, vm) && leadsTo({"nextHop": {"address": "fd00::4"}}, vm)'
    - '!leadsTo({"nextHop": {"instance": "i-2"}}, vm) && !leadsTo({"nextHop": {"address": "10.0.0.5"}}, vm)'
    - '!leadsTo({"nextHop": {"instance": "i-2", "address": "10.0.0.4"}}, vm) && !leadsTo({}, vm) && !leadsTo({"nextHop": {"address": "10.0.0.4"}}, {"id": "i-1"})'
`))
	})
}

// TestNamingFunctions: what Nodes are called depends on the CCM under test.
func TestNamingFunctions(t *testing.T) {
	t.Parallel()
	const steps = `
  - capture:
      vm: '{"id": "i-7", "zone": "zone-a", "region": "region-1"}'
      made: '{"resource": {"id": "i-7"}}'
      node: '{"spec": {"providerID": "hcloud://7"}}'
      ours: '{"spec": {"providerID": "simcloud://region-1/i-7"}}'
  - expect:
`
	for _, c := range []struct {
		naming observe.Naming
		expect string
	}{
		{observe.Naming{}, `hasVM(ours, vm) && hasVM(ours, made) && !hasVM(node, vm) && !hasVM({}, vm) && providerID(vm) == ""`},
		{observe.Naming{}, `zone(vm) == "zone-a" && region(vm) == "region-1"`},
		{observe.Naming{ProviderID: "hcloud://{number}", Region: "{zone}"}, `hasVM(node, vm) && hasVM(node, made) && !hasVM(ours, vm) && providerID(vm) == "hcloud://7"`},
		{observe.Naming{ProviderID: "hcloud://{number}", Region: "{zone}"}, `[vm].all(v, zone(v) == "zone-a" && region(v) == "zone-a")`},
	} {
		synctest.Test(t, func(t *testing.T) {
			cluster := steptest.NewCluster(t)
			cluster.Naming = c.naming
			runtest.Passes(t, runtest.Perform(t, cluster, steps+"    - '"+c.expect+"'\n"))
		})
	}
}

// TestDenialOfABoolean: the API leaves out what is false, and a step that denies it passes at once instead of waiting for ever.
func TestDenialOfABoolean(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		runtest.Passes(t, runtest.Perform(t, steptest.NewCluster(t), `
  - cloud: {operation: CreateInstance, args: {name: a}, capture: made}
  - cloud: {operation: CreateLoadBalancer, args: {name: web, listeners: [{protocol: tcp, port: 80, targetPort: 8080}]}}
  - expect:
    - '!instances[0].protected && !made.resource.protected'
    - '!loadBalancers[0].listeners[0].proxyProtocol'
  finally:
  - cloud: {operation: DeleteInstance, args: {id: i-1}}
  - cloud: {operation: DeleteLoadBalancer, args: {id: lb-1}}
`))
	})
}

// TestIDFunctions: ids are those of the API that the CCM speaks, in both directions.
func TestIDFunctions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ dialect, expect string }{
		{"", `shownID("floating_ip", "fip-1") == "fip-1" && cloudID("floating_ip", "fip-1") == "fip-1"`},
		{"aws", `shownID("floating_ip", "fip-1") == "eipalloc-1" && cloudID("floating_ip", "eipalloc-1") == "fip-1" && cloudID("network", "eipalloc-1") == ""`},
		{"aws", `shownID("instance", instances[0].id) == "i-1" && cloudID("load_balancer", "arn:aws:elasticloadbalancing:r:1:loadbalancer/net/web/lb-3") == "lb-3"`},
		{"hcloud", `shownID("load_balancer", "lb-12") == "12" && cloudID("load_balancer", "12") == "lb-12"`},
		{"openstack", `cloudID("load_balancer", "00000000-0000-4004-8000-000000000001") == "lb-1" && cloudID("instance", shownID("instance", "i-9")) == "i-9"`},
		// The UUID of a volume follows from its id, and not the other way round.
		{"openstack", `volumes.all(v, cloudID("volume", shownID("volume", v.id)) == v.id) && volumes.size() == 1 && cloudID("volume", shownID("volume", "vol-99")) == ""`},
	} {
		synctest.Test(t, func(t *testing.T) {
			cluster := steptest.NewCluster(t)
			cluster.Naming = observe.Naming{IDs: idsOf(c.dialect)}
			runtest.Passes(t, runtest.Perform(t, cluster, `
  - cloud: {operation: CreateInstance, args: {name: a}}
  - cloud: {operation: CreateVolume, args: {name: v, sizeGiB: 1, zone: zone-a}}
  - expect: '`+c.expect+`'
  finally:
  - cloud: {operation: DeleteInstance, args: {id: i-1}}
  - cloud: {operation: DeleteVolume, args: {id: vol-1}}
`))
		})
	}
}

func idsOf(name string) dialect.IDs {
	for _, d := range sim.Dialects() {
		if d.Name == name {
			return d.IDs
		}
	}
	return nil
}

// TestRemovesTarget: a profile says by which calls targets are replaced.
func TestRemovesTarget(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		replaces []string
		expect   string
	}{
		{nil, `removesTarget(removes) && removesTarget(deletes) && !removesTarget(replaces) && !removesTarget({})`},
		{[]string{"octavia:UpdateMembers"}, `[removes, deletes, replaces].all(c, removesTarget(c)) && !removesTarget(other) && !removesTarget({})`},
	} {
		synctest.Test(t, func(t *testing.T) {
			cluster := steptest.NewCluster(t)
			cluster.Naming = observe.Naming{TargetCalls: c.replaces}
			runtest.Passes(t, runtest.Perform(t, cluster, `
  - capture:
      removes: '{"operation": "RemoveGroupTargets", "dialectOperation": ""}'
      deletes: '{"operation": "DeleteTarget", "dialectOperation": ""}'
      replaces: '{"operation": "AddGroupTargets", "dialectOperation": "octavia:UpdateMembers"}'
      other: '{"operation": "AddGroupTargets", "dialectOperation": "octavia:CreateMember"}'
  - expect: '`+c.expect+`'
`))
		})
	}
}

// TestForRoute: a profile says by which calls a VM is prepared for its route.
func TestForRoute(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		prepares []string
		expect   string
	}{
		{nil, `forRoute(makes) && !forRoute(prepares) && !forRoute(other) && !forRoute({})`},
		{[]string{"ec2:Modify"}, `[makes, prepares].all(c, forRoute(c)) && !forRoute(other) && !forRoute({})`},
	} {
		synctest.Test(t, func(t *testing.T) {
			cluster := steptest.NewCluster(t)
			cluster.Naming = observe.Naming{RouteCalls: c.prepares}
			runtest.Passes(t, runtest.Perform(t, cluster, `
  - capture:
      makes: '{"operation": "CreateRoute", "dialectOperation": "ec2:CreateRoute"}'
      prepares: '{"operation": "UpdateInstance", "dialectOperation": "ec2:Modify"}'
      other: '{"operation": "UpdateInstance", "dialectOperation": ""}'
  - expect: '`+c.expect+`'
`))
		})
	}
}

// TestReachable: a status leads to addresses, by an IP or by the hostname of a load balancer.
func TestReachable(t *testing.T) {
	t.Parallel()
	balancers := []any{
		map[string]any{"id": "lb-1", "hostname": "one.example.com", "vips": []any{map[string]any{"address": "127.77.0.1"}, map[string]any{"address": "fd77::1"}}},
		map[string]any{"id": "lb-2", "vips": []any{map[string]any{"address": "127.77.0.2"}}},
	}
	status := func(ingress ...any) map[string]any {
		return map[string]any{"status": map[string]any{"loadBalancer": map[string]any{"ingress": ingress}}}
	}
	ip, name, unknown := map[string]any{"ip": "10.0.0.9"}, map[string]any{"hostname": "one.example.com"}, map[string]any{"hostname": "two.example.com"}
	for _, c := range []struct {
		service any
		want    string
	}{
		{status(ip), `["10.0.0.9"]`},
		{status(name), `["127.77.0.1", "fd77::1"]`},
		{status(ip, name), `["10.0.0.9", "127.77.0.1", "fd77::1"]`},
		{status(unknown), `[]`},
		{status(), ""}, // missing, as the status is
		{map[string]any{"status": map[string]any{"loadBalancer": map[string]any{}}}, ""},
	} {
		compiler, err := expr.NewCompiler()
		if err != nil {
			t.Fatal(err)
		}
		if err := compiler.Declare("service", expr.Type{}); err != nil {
			t.Fatal(err)
		}
		e, issues := compiler.Compile("reachable(service) == " + cmp.Or(c.want, "[]"))
		if issues != nil {
			t.Fatal(issues)
		}
		if !e.ReadsAny("loadBalancers") {
			t.Error("a name leads to load balancers, which the expression does not read")
		}
		s := observe.NewSnapshot("ns")
		s.Captured["service"], s.Resources["loadBalancers"] = c.service, balancers
		switch yes, err := e.Truth(s); {
		case c.want == "" && !expr.IsMissing(err):
			t.Errorf("%v: the value is %v, %v: want that nothing is there", c.service, yes, err)
		case c.want != "" && !yes:
			t.Errorf("%v: want %s, %v", c.service, c.want, err)
		}
	}
}

// TestSources: from where clients may connect, by the listener's own ranges and by the groups of its load balancer.
func TestSources(t *testing.T) {
	t.Parallel()
	rule := func(protocol string, from, to int64, source string) map[string]any {
		r := map[string]any{"direction": "ingress", "protocol": protocol, "fromPort": from, "toPort": to}
		if strings.Contains(source, "/") {
			r["cidr"] = source
		} else {
			r["group"] = source
		}
		return r
	}
	egress := rule("any", 0, 0, "172.16.0.0/12")
	egress["direction"] = "egress"
	groups := []any{
		map[string]any{"id": "sg-1", "rules": []any{rule("tcp", 80, 81, "10.0.0.0/8"), rule("tcp", 81, 81, "192.0.2.0/24"), rule("icmp", 3, 4, "203.0.113.0/24"), egress}},
		map[string]any{"id": "sg-2", "rules": []any{rule("any", 0, 0, "sg-1"), rule("udp", 80, 80, "198.51.100.0/24"), rule("tcp", 80, 80, "10.0.0.0/8")}},
	}
	for _, c := range []struct {
		protocol string
		port     int64
		named    []any // the groups of the load balancer
		allowed  []any // the ranges of the listener
		want     string
	}{
		{"tcp", 80, nil, nil, `["0.0.0.0/0", "::/0"]`},
		{"tcp", 80, nil, []any{"10.0.0.0/8"}, `["10.0.0.0/8"]`},
		{"tcp", 80, []any{"sg-1"}, nil, `["10.0.0.0/8"]`},
		{"http", 81, []any{"sg-1"}, nil, `["10.0.0.0/8", "192.0.2.0/24"]`},
		{"tcp", 82, []any{"sg-1"}, nil, `[]`}, // closed, and not open to all
		{"tcp", 80, []any{"sg-9"}, nil, `[]`},
		{"udp", 80, []any{"sg-1", "sg-2"}, nil, `["sg-1", "198.51.100.0/24"]`},
		{"tcp", 80, []any{"sg-1", "sg-2"}, nil, `["10.0.0.0/8", "sg-1"]`},
		{"tcp_udp", 80, []any{"sg-1", "sg-2"}, nil, `["10.0.0.0/8", "sg-1", "198.51.100.0/24"]`},
		{"tcp", 81, []any{"sg-1"}, []any{"10.1.0.0/16", "192.0.0.0/16", "203.0.113.0/24"}, `["10.1.0.0/16", "192.0.2.0/24"]`},
	} {
		compiler, err := expr.NewCompiler()
		if err != nil {
			t.Fatal(err)
		}
		e, issues := compiler.Compile("sources(loadBalancers[0], loadBalancers[0].listeners[0]) == " + c.want)
		if issues != nil {
			t.Fatal(issues)
		}
		if !e.ReadsAny("securityGroups") {
			t.Error("the expression does not read the security groups")
		}
		listener, lb := map[string]any{"protocol": c.protocol, "port": c.port}, map[string]any{"id": "lb-1"}
		if c.allowed != nil {
			listener["allowedCIDRs"] = c.allowed
		}
		if c.named != nil {
			lb["securityGroups"] = c.named
		}
		lb["listeners"] = []any{listener}
		s := observe.NewSnapshot("ns")
		s.Resources["loadBalancers"], s.Resources["securityGroups"] = []any{lb}, groups
		if yes, err := e.Truth(s); !yes {
			t.Errorf("%s:%d of %v from %v: want %s: %v", c.protocol, c.port, c.named, c.allowed, c.want, err)
		}
	}
}

const metricsPage = `# HELP calls_total The calls.
# TYPE calls_total counter
calls_total{code="",operation="GetZone"} 3
calls_total{code="locked",operation="GetZone"} 1.5 1700000000
calls_total{code="",operation="say \"{a}\", b\\"} 1e2
calls_total_more{code=""} 7
up 1
delay_bucket{le="+Inf"} 4
nothing
broken{a="b 3
`

// TestHasMetric: a series is there whatever its value is.
func TestHasMetric(t *testing.T) {
	t.Parallel()
	const page = "# a{name=\"x\"} 1\na{name=\"y\"} 0\n"
	for name, want := range map[string]bool{"y": true, "x": false} {
		if got := expr.HasMetric(page, "a", map[string]string{"name": name}); got != want {
			t.Errorf("a{name=%q}: %v, want %v", name, got, want)
		}
	}
}

func TestMetric(t *testing.T) {
	tests := []struct {
		call string
		want string
	}{
		{`metric(page, "calls_total", {"operation": "GetZone"})`, "4.5"},
		{`metric(page, "calls_total", {"operation": "GetZone", "code": "locked"})`, "1.5"},
		{`metric(page, "calls_total", {"code": ""})`, "103.0"},
		{`metric(page, "calls_total", {"operation": "say \"{a}\", b\\"})`, "100.0"},
		{`metric(page, "calls_total", {})`, "104.5"},
		{`metric(page, "calls_total", {"zone": ""})`, "0.0"},
		{`metric(page, "up", {})`, "1.0"},
		{`metric(page, "delay_bucket", {"le": "+Inf"})`, "4.0"},
		{`metric(page, "broken", {})`, "0.0"},
		{`metric(page, "calls", {})`, "0.0"},
	}
	for _, test := range tests {
		d := &syntax.Decoder{}
		var err error
		if d.Expr, err = expr.NewCompiler(); err != nil {
			t.Fatal(err)
		}
		if err := d.Expr.Declare("page", expr.Type{}); err != nil {
			t.Fatal(err)
		}
		expr, issues := d.Expr.Compile(test.call + " == " + test.want)
		if issues != nil {
			t.Fatal(issues)
		}
		s := observe.NewSnapshot("ns")
		s.Captured["page"] = metricsPage
		if yes, err := expr.Truth(s); !yes {
			t.Errorf("%s is not %s (%v)", test.call, test.want, err)
		}
	}
}
