package topology_test

import (
	"cmp"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	diff "github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
	"github.com/simcloud-dev/simcloud/simcloud/simtest"
	"github.com/simcloud-dev/simcloud/simcloud/topology"
)

func captured(t *testing.T, c *client.Client, project simcloud.ID) (simcloud.Topology, []string) {
	t.Helper()
	state, err := c.GetState(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return topology.Capture(state, project)
}

// rare has what the example of the page does not show.
const rare = `
project: team
regions:
- name: region-1
  labels: {a: b}
  zones:
  - {name: zone-a, state: down, labels: {a: b}}
  - {name: zone-b, capacity: {small: 5}}
instanceTypes:
- {name: small, vcpus: 2, memoryMiB: 4096, labels: {a: b}}
floatingIPPools:
- {name: public, cidr: 127.77.0.0/16, labels: {a: b}}
- {name: public-v6, cidr: "fd77::/64"}
sshKeys:
- {name: me, publicKey: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA me@here, labels: {a: b}}
securityGroups:
- name: nodes
  description: of nodes
  labels: {a: b}
  rules: [{protocol: tcp, fromPort: 22, toPort: 22, cidr: 10.0.0.0/8, description: ssh}]
clusters:
- {name: prod, endpoint: "https://10.0.0.1:6443", labels: {a: b}}
networks:
- name: dual
  labels: {a: b}
  protected: true
  cidrs: [10.0.0.0/16, "fd00::/56"]
  subnets: [{name: front, cidr: 10.0.1.0/24, zone: zone-a, labels: {a: b}}]
routeTables:
- {name: own, network: dual, labels: {a: b}, routes: [{name: out, destination: 10.244.0.0/24, nextHop: {address: 10.0.0.9}, labels: {a: b}}]}
targetGroups:
- {name: part, network: dual, labels: {a: b}, options: {k: v}, protocol: tcp, port: 80, proxyProtocol: true, partOf: inner, targets: [{instance: a, port: 81, weight: 3, options: {k: v}}, {address: 10.0.200.21}]}
instances:
- {name: a, hostname: other, zone: zone-a, network: dual, subnet: front, userData: hi, noPublicAddress: true, protected: true, options: {k: v}}
- {name: b, state: suspended, zone: zone-b, network: dual}
volumes:
- {name: v, type: hdd, sizeGiB: 7, zone: zone-b, attachedTo: b, protected: true, labels: {a: b}}
loadBalancers:
- name: inner
  scheme: internal
  network: dual
  addresses: [10.0.7.7]
  algorithm: least_connections
  affinity: {clientIP: true, timeoutSeconds: 60}
  options: {k: v}
  protected: true
  listeners:
  - {protocol: tcp, port: 80, targetGroup: part, allowedCIDRs: [10.0.0.0/8]}
  - {protocol: udp, port: 53, targetPort: 53, labels: {a: b}}
  - protocol: tcp
    port: 443
    targetPort: 443
    proxyProtocol: true
    idleTimeoutSeconds: 30
    options: {k: v}
    healthCheck: {protocol: https, port: 443, path: /ok, domain: example.com, response: ok, statusCodes: ["2??"], verifyCertificate: true}
  targets: [{instance: b, weight: 4, usePrivateIP: true, labels: {a: b}}, {address: "2001:db8::1"}]
- {name: outer, class: gold, hostname: lb.example.com, network: dual, publicFamilies: [4, 6], maxTargets: 5, maxListeners: 4, publicDisabled: true, networks: [{network: dual}]}
- {name: placed, scheme: internal, network: dual, placements: [{subnet: front, zone: zone-a, families: [4, 6], addresses: [10.0.1.77]}, {zone: zone-b, families: [4]}]}
- {name: zonal, network: dual, placements: [{zone: zone-a, families: [4, 6]}, {subnet: front, families: [4]}]}
floatingIPs:
- {name: f, pool: public, ptr: f.example.com, labels: {a: b}, attachedTo: {kind: instance, id: b}, protected: true, options: {k: v}}
quotas: {instance: 9}
`

// TestCaptureRoundTrip: what is captured of a cloud makes the same in another cloud, and changes nothing in the first.
// It is a file that can be read.
func TestCaptureRoundTrip(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"example": examples(t)[0], "rare": rare} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want, err := topology.Parse([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			project := cmp.Or(want.Project, simcloud.DefaultProject)
			first, second := simtest.New(t), simtest.New(t)
			if _, err := first.Seed(t.Context(), want); err != nil {
				t.Fatal(err)
			}
			made, lost := captured(t, first, project)
			if project == simcloud.DefaultProject && len(lost) > 0 {
				t.Errorf("lost: %q", lost)
			}
			raw, err := json.Marshal(made)
			if err != nil {
				t.Fatal(err)
			}
			read, err := topology.Parse(raw)
			if err != nil {
				t.Fatal(err)
			}
			report, err := first.Seed(t.Context(), read)
			if err != nil {
				t.Fatal(err)
			}
			if changed := slices.Concat(report.Created, report.Updated, report.Deleted); len(changed) > 0 {
				t.Errorf("the cloud that was captured changes: %q", changed)
			}
			if _, err := second.Seed(t.Context(), read); err != nil {
				t.Fatal(err)
			}
			again, _ := captured(t, second, project)
			if diff := diff.Diff(made, again); diff != "" {
				t.Errorf("another cloud (-first +second):\n%s", diff)
			}
		})
	}
}

// TestCaptureHasEveryKind: of the page's example, which has some of every kind.
func TestCaptureHasEveryKind(t *testing.T) {
	t.Parallel()
	want, err := topology.Parse([]byte(examples(t)[0]))
	if err != nil {
		t.Fatal(err)
	}
	c := simtest.New(t)
	if _, err := c.Seed(t.Context(), want); err != nil {
		t.Fatal(err)
	}
	made, _ := captured(t, c, simcloud.DefaultProject)
	count := func(topology simcloud.Topology, f reflect.StructField) int {
		list := reflect.ValueOf(topology).FieldByIndex(f.Index)
		if list.IsNil() {
			return 0
		}
		return list.Elem().Len()
	}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[simcloud.Topology]()) {
		if f.Name == "Project" || f.Name == "Instances" { // an entry of the example stands for three instances
			continue
		}
		if got, want := count(made, f), count(want, f); got != want || want == 0 {
			t.Errorf("%s: %d, want the %d of the example", f.Name, got, want)
		}
	}
}

// notCaptured are fields of a topology that none that was captured has, and why.
var notCaptured = map[string]string{
	"TopologyInstance.Count":           "each instance has an entry of its own",
	"FloatingIPSpec.Family":            "the pool has one",
	"FloatingIPSpec.Address":           "it is chosen again",
	"ListenerConfig.Documents":         "a topology has none",
	"LoadBalancerPlacement.FloatingIP": "a topology has none: floating IPs say where they are",
	"LoadBalancerSpec.Reservation":     "a topology has no documents",
}

// TestCaptureHasEveryField: a field that is added to a topology is captured too.
func TestCaptureHasEveryField(t *testing.T) {
	t.Parallel()
	has, all := map[string]bool{}, map[string]bool{}
	for _, text := range []string{examples(t)[0], rare} {
		want, err := topology.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		c := simtest.New(t)
		if _, err := c.Seed(t.Context(), want); err != nil {
			t.Fatal(err)
		}
		made, _ := captured(t, c, cmp.Or(want.Project, simcloud.DefaultProject))
		noteFields(reflect.ValueOf(made), has)
	}
	noteTypes(reflect.TypeFor[simcloud.Topology](), all)
	for field := range all {
		if has[field] == (notCaptured[field] != "") {
			t.Errorf("%s: captured %v, and the table says %q", field, has[field], notCaptured[field])
		}
	}
}

// noteFields notes the fields that have a value.
func noteFields(v reflect.Value, has map[string]bool) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			noteFields(v.Elem(), has)
		}
	case reflect.Slice:
		for i := range v.Len() {
			noteFields(v.Index(i), has)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); !f.Anonymous && !v.Field(i).IsZero() {
				has[v.Type().Name()+"."+f.Name] = true
			}
			noteFields(v.Field(i), has)
		}
	default:
	}
}

// noteTypes notes the fields that there are.
func noteTypes(t reflect.Type, all map[string]bool) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice:
		noteTypes(t.Elem(), all)
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); !f.Anonymous {
				all[t.Name()+"."+f.Name] = true
			}
			noteTypes(t.Field(i).Type, all)
		}
	default:
	}
}

// TestCaptureTellsWhatIsLost: what a topology cannot say is told with the resource.
func TestCaptureTellsWhatIsLost(t *testing.T) {
	t.Parallel()
	c := simtest.New(t)
	ctx := t.Context()
	for range 2 {
		if _, err := c.CreateInstance(ctx, simcloud.InstanceSpec{Name: "twin"}); err != nil {
			t.Fatal(err)
		}
	}
	one, err := c.CreateInstance(ctx, simcloud.InstanceSpec{Name: "one"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.AddInstanceAddress(ctx, one.Resource.ID, simcloud.AddressSpec{Scope: simcloud.ScopePrivate, Address: "10.0.0.77"}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.CreateRoute(ctx, "rt-1", simcloud.RouteSpec{Destination: "10.244.1.0/24", NextHop: simcloud.NextHop{Instance: "i-2"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.CreateDocument(ctx, simcloud.DocumentSpec{Name: "tls", Dialect: "hcloud", Type: "certificate", Body: json.RawMessage(`{"type":"managed","domains":["a.example"]}`)}); err != nil {
		t.Fatal(err)
	}
	wanted, lost := captured(t, c, simcloud.DefaultProject)
	if err := wanted.Validate(); err != nil {
		t.Error(err)
	}
	for _, want := range []string{
		"instance/i-2 (twin): left out: its name is that of instance/i-1",
		"instance/i-3 (one): the added private address 10.0.0.77 is left out",
		"route_table/rt-1 (default): the route to 10.244.1.0/24 is left out: its next hop i-2",
		"document/doc-1 (tls): left out",
	} {
		if !slices.ContainsFunc(lost, func(line string) bool { return strings.HasPrefix(line, want) }) {
			t.Errorf("%q is not among %q", want, lost)
		}
	}
}

// TestCaptureAsksForVersion4: of two addresses of a network, a topology can ask for one. The first of version 6 that is
// free could be what another resource asks for.
func TestCaptureAsksForVersion4(t *testing.T) {
	t.Parallel()
	meta := func(id simcloud.ID) simcloud.Meta {
		return simcloud.Meta{ID: id, Name: string(id), Project: simcloud.DefaultProject}
	}
	wanted, lost := topology.Capture(simcloud.State{
		Networks: []simcloud.Network{{Meta: meta("net-1")}},
		Instances: []simcloud.Instance{{Meta: meta("i-1"), State: simcloud.InstanceRunning, Network: "net-1", Addresses: []simcloud.Address{
			{Scope: simcloud.ScopePrivate, Address: "fd00::3"}, {Scope: simcloud.ScopePrivate, Address: "10.0.0.3"},
		}}},
		LoadBalancers: []simcloud.LoadBalancer{{Meta: meta("lb-1"), Scheme: simcloud.SchemeInternal, Network: "net-1", VIPs: []simcloud.VIP{
			{Network: "net-1", Address: "fd00::4"}, {Network: "net-1", Address: "10.0.0.4"},
		}}},
	}, simcloud.DefaultProject)
	if len(lost) > 0 {
		t.Errorf("lost: %q", lost)
	}
	if got := (*wanted.Instances)[0].PrivateAddress; got != "10.0.0.3" {
		t.Errorf("the instance asks for %q", got)
	}
	if got := (*wanted.LoadBalancers)[0].Addresses; !slices.Equal(got, []string{"10.0.0.4"}) {
		t.Errorf("the load balancer asks for %q", got)
	}
}
