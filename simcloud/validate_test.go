package simcloud_test

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/simcloud"
)

type validator interface{ Validate() error }

// goodKey is a public key without an owner.
const goodKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

func TestValidateAccepts(t *testing.T) {
	config := simcloud.ListenerConfig{TargetPort: 30080}
	for name, v := range map[string]validator{
		"region":        simcloud.RegionSpec{Name: "region-1"},
		"zone":          simcloud.ZoneSpec{Name: "zone-a", Region: "region-1"},
		"instance type": simcloud.InstanceTypeSpec{Name: "small", VCPUs: 1, MemoryMiB: 512},
		"dual stack":    simcloud.NetworkSpec{Name: "n", CIDRs: []string{"10.0.0.0/16", "fd00::/64"}},
		"instance":      simcloud.InstanceSpec{Name: "Node_1.example"},
		"user data":     simcloud.InstanceSpec{Name: "a", UserData: strings.Repeat("x", 64<<10)},
		"empty update":  simcloud.InstanceUpdate{},
		"any script":    simcloud.InstanceSpec{Name: "a", Labels: map[string]string{"größe/日本": "\ufffd 👍 x"}},
		"tcp and udp on one port": simcloud.LoadBalancerSpec{Name: "web", Listeners: []simcloud.ListenerSpec{
			{Protocol: simcloud.ProtocolTCP, Port: 53, ListenerConfig: config},
			{Protocol: simcloud.ProtocolUDP, Port: 53, ListenerConfig: config},
		}},
		"affinity":    simcloud.LoadBalancerSpec{Name: "web", Affinity: simcloud.Affinity{ClientIP: true, TimeoutSeconds: 60}},
		"floating ip": simcloud.FloatingIPSpec{Name: "f", Address: "127.77.0.9"},
		"route":       simcloud.RouteSpec{Destination: "10.244.1.0/24", NextHop: simcloud.NextHop{Instance: "i-1"}},
		"subnet":      simcloud.SubnetSpec{Name: "s", CIDR: "fd00::/64"},
		"capacity":    simcloud.ZoneUpdate{Capacity: &map[simcloud.ID]int{"small": 0}},
		"zone state":  simcloud.ZoneStateSpec{State: simcloud.ZoneDegraded},
		"rebuild":     simcloud.InstanceRebuild{},
		"address":     simcloud.AddressSpec{Scope: simcloud.ScopePrivate, Address: "fd00::9", Family: 6},
		"volume":      simcloud.VolumeSpec{Name: "v", SizeGiB: 64 << 10, Type: simcloud.VolumeHDD},
		"attachment":  simcloud.VolumeAttachment{Instance: "i-1", Device: "/dev/sdb"},
		"key":         simcloud.SSHKeySpec{Name: "k", PublicKey: goodKey + " me@here"},
		"all":         simcloud.SSHKeyTargets{All: true},
		"pool":        simcloud.FloatingIPPoolSpec{Name: "p", CIDR: "127.78.0.0/16"},
		"cluster":     simcloud.ClusterSpec{Name: "c", Endpoint: "https://10.0.0.1:6443"},
		"token":       simcloud.TokenSpec{Name: "ci", Role: simcloud.RoleReader, Lifetime: simcloud.Duration(time.Hour)},
		"rotation":    simcloud.TokenRotation{},
		"no limit":    simcloud.QuotaSpec{Limit: simcloud.Unlimited},
		"no change":   simcloud.ConfigUpdate{},
		"rates":       simcloud.ConfigUpdate{Rates: &[]simcloud.Rate{{Class: "read", PerSecond: 0.5, Burst: 1}, {Class: "Create*", PerSecond: 9, Burst: 9}}},
		"exceptions": simcloud.ConfigUpdate{Progressions: &map[simcloud.Kind]simcloud.Progression{
			simcloud.KindVolume: {Mode: simcloud.ProgressionPolls, Polls: 3},
		}},
		"manual":  simcloud.ClockSpec{Mode: simcloud.ClockManual},
		"fastest": simcloud.ClockSpec{Mode: simcloud.ClockScaled, Factor: 1e6},
		"slow":    simcloud.ClockSpec{Mode: simcloud.ClockScaled, Factor: 1e-9},
	} {
		t.Run(name, func(t *testing.T) {
			if err := v.Validate(); err != nil {
				t.Errorf("Validate() = %v, want nil", err)
			}
		})
	}
}

func TestValidateNamesTheField(t *testing.T) {
	tooMany := map[string]string{}
	for i := range 65 {
		tooMany[strings.Repeat("k", i+1)] = "v"
	}
	limit, long := 0, strings.Repeat("x", 64<<10+1)
	listener := func(edit func(*simcloud.ListenerSpec)) simcloud.LoadBalancerSpec {
		l := simcloud.ListenerSpec{
			Protocol: simcloud.ProtocolTCP, Port: 80,
			ListenerConfig: simcloud.ListenerConfig{TargetPort: 30080},
		}
		edit(&l)
		return simcloud.LoadBalancerSpec{Name: "web", Listeners: []simcloud.ListenerSpec{l}}
	}
	for _, c := range []struct {
		name   string
		spec   validator
		fields []string
	}{
		{"no name", simcloud.InstanceSpec{}, []string{"name"}},
		{"path in a name", simcloud.RegionSpec{Name: "a/b"}, []string{"name"}},
		{"long name", simcloud.RegionSpec{Name: strings.Repeat("a", 254)}, []string{"name"}},
		{"private address", simcloud.InstanceSpec{Name: "a", PrivateAddress: "10.0.0"}, []string{"privateAddress"}},
		{"bad hostname", simcloud.InstanceSpec{Name: "a", Hostname: "-"}, []string{"hostname"}},
		{"zone without region", simcloud.ZoneSpec{Name: "z"}, []string{"region"}},
		{"all wrong at once", simcloud.InstanceTypeSpec{}, []string{"name", "vcpus", "memoryMiB"}},
		{"huge type", simcloud.InstanceTypeSpec{Name: "a", VCPUs: math.MaxInt, MemoryMiB: simcloud.MaxMemoryMiB + 1}, []string{"vcpus", "memoryMiB"}},
		{"user data", simcloud.InstanceSpec{Name: "a", UserData: strings.Repeat("x", 64<<10+1)}, []string{"userData"}},
		{"labels", simcloud.InstanceSpec{Name: "a", Labels: tooMany}, []string{"labels"}},
		{"empty label key", simcloud.InstanceSpec{Name: "a", Labels: map[string]string{"": "x"}}, []string{"labels"}},
		{"long label value", simcloud.InstanceSpec{Name: "a", Labels: map[string]string{"k": strings.Repeat("v", 256)}}, []string{"labels[k]"}},
		{"control character in a label", simcloud.InstanceSpec{Name: "a", Labels: map[string]string{"k": "\x1b[2J"}}, []string{"labels[k]"}},
		{"control character in a key", simcloud.InstanceSpec{Name: "a", Labels: map[string]string{"k\n": "\x00"}}, []string{"labels"}},
		{"label that is not UTF-8", simcloud.InstanceSpec{Name: "a", Labels: map[string]string{"k": "\xff"}}, []string{"labels[k]"}},
		{"override in a class", simcloud.LoadBalancerSpec{Name: "web", Class: "\u202egold"}, []string{"class"}},
		{"control character in an endpoint", simcloud.ClusterSpec{Name: "c", Endpoint: "https://a/\u009b"}, []string{"endpoint"}},
		{"control character in a public key", simcloud.SSHKeySpec{Name: "k", PublicKey: goodKey + " \x1bme"}, []string{"publicKey"}},
		{"no range", simcloud.NetworkSpec{Name: "n"}, []string{"cidrs"}},
		{"host bits", simcloud.NetworkSpec{Name: "n", CIDRs: []string{"10.0.0.1/16"}}, []string{"cidrs[0]"}},
		{"one family twice", simcloud.NetworkSpec{Name: "n", CIDRs: []string{"10.0.0.0/16", "10.1.0.0/16"}}, []string{"cidrs[1]"}},
		{"scheme", simcloud.LoadBalancerSpec{Name: "web", Scheme: "private"}, []string{"scheme"}},
		{"algorithm", simcloud.LoadBalancerSpec{Name: "web", Algorithm: "random"}, []string{"algorithm"}},
		{"affinity", simcloud.LoadBalancerSpec{Name: "web", Affinity: simcloud.Affinity{TimeoutSeconds: 5}}, []string{"affinity.timeoutSeconds"}},
		{"protocol", listener(func(l *simcloud.ListenerSpec) { l.Protocol = "TCP" }), []string{"listeners[0].protocol"}},
		{"port 0", listener(func(l *simcloud.ListenerSpec) { l.Port = 0 }), []string{"listeners[0].port"}},
		{"target port", listener(func(l *simcloud.ListenerSpec) { l.TargetPort = 65536 }), []string{"listeners[0].targetPort"}},
		{"source", listener(func(l *simcloud.ListenerSpec) { l.AllowedCIDRs = []string{"10.0.0.0/8", "all"} }), []string{"listeners[0].allowedCIDRs[1]"}},
		{"idle time-out", listener(func(l *simcloud.ListenerSpec) { l.IdleTimeoutSeconds = -1 }), []string{"listeners[0].idleTimeoutSeconds"}},
		{"udp proxy", listener(func(l *simcloud.ListenerSpec) { l.Protocol, l.ProxyProtocol = "udp", true }), []string{"listeners[0].proxyProtocol"}},
		{"http check", listener(func(l *simcloud.ListenerSpec) {
			l.HealthCheck = &simcloud.HealthCheck{Protocol: simcloud.HealthCheckHTTP, Port: 1}
		}), []string{"listeners[0].healthCheck.path"}},
		{"tcp check", listener(func(l *simcloud.ListenerSpec) {
			l.HealthCheck = &simcloud.HealthCheck{Protocol: simcloud.HealthCheckTCP, Port: 1, Path: "/"}
		}), []string{"listeners[0].healthCheck.path"}},
		{"port twice", simcloud.LoadBalancerSpec{Name: "web", Listeners: []simcloud.ListenerSpec{
			{Protocol: "tcp", Port: 80, ListenerConfig: simcloud.ListenerConfig{TargetPort: 1}},
			{Protocol: "tcp", Port: 80, ListenerConfig: simcloud.ListenerConfig{TargetPort: 2}},
		}}, []string{"listeners[1].port"}},
		{"target twice", simcloud.LoadBalancerSpec{Name: "web", Targets: []simcloud.TargetSpec{
			{Instance: "i-1"}, {Instance: "i-1"},
		}}, []string{"targets[1].instance"}},
		{"addresses of a public one", simcloud.LoadBalancerSpec{Name: "lb", Addresses: []string{"10.0.0.9"}}, []string{"addresses"}},
		{"addresses", simcloud.LoadBalancerSpec{
			Name: "lb", Scheme: simcloud.SchemeInternal, Addresses: []string{"10.0.0", "10.0.0.9", "10.0.0.8"},
		}, []string{"addresses[0]", "addresses[2]"}},
		{"weight", simcloud.TargetSpec{Instance: "i-1", Weight: -1}, []string{"weight"}},
		{"address", simcloud.FloatingIPSpec{Name: "f", Address: "1.2.3"}, []string{"address"}},
		{"attach to a network", simcloud.Attachment{Kind: simcloud.KindNetwork}, []string{"kind", "id"}},
		{"two next hops", simcloud.RouteSpec{Destination: "10.0.0.0/8", NextHop: simcloud.NextHop{Instance: "i-1", Address: "10.0.0.1"}}, []string{"nextHop"}},
		{"no next hop", simcloud.RouteSpec{Destination: "10.0.0.0/8"}, []string{"nextHop"}},
		{"limit", simcloud.RouteTableUpdate{Limit: &limit}, []string{"limit"}},
		{"subnet", simcloud.SubnetSpec{CIDR: "10.0.0.1/24"}, []string{"name", "cidr"}},
		{"capacity", simcloud.ZoneSpec{Name: "z", Region: "r", Capacity: map[simcloud.ID]int{"small": -1}}, []string{"capacity[small]"}},
		{"new capacity", simcloud.ZoneUpdate{Capacity: &map[simcloud.ID]int{"small": -1}}, []string{"capacity[small]"}},
		{"zone state", simcloud.ZoneStateSpec{State: "up"}, []string{"state"}},
		{"key twice", simcloud.InstanceSpec{Name: "a", SSHKeys: []simcloud.ID{"key-1", "", "key-1"}}, []string{"sshKeys[1]", "sshKeys[2]"}},
		{"rebuilt keys", simcloud.InstanceRebuild{SSHKeys: &[]simcloud.ID{""}}, []string{"sshKeys[0]"}},
		{"rebuilt user data", simcloud.InstanceRebuild{UserData: &long}, []string{"userData"}},
		{"no type", simcloud.InstanceResize{}, []string{"type"}},
		{"no zone", simcloud.InstanceMigration{}, []string{"zone"}},
		{"no scope", simcloud.AddressSpec{}, []string{"scope"}},
		{"family", simcloud.AddressSpec{Scope: simcloud.ScopePrivate, Family: 5}, []string{"family"}},
		{"wrong family", simcloud.AddressSpec{Scope: simcloud.ScopePrivate, Family: 6, Address: "10.0.0.9"}, []string{"address"}},
		{"certain public address", simcloud.AddressSpec{Scope: simcloud.ScopePublic, Address: "198.18.0.9"}, []string{"address"}},
		{"wrong family of a floating IP", simcloud.FloatingIPSpec{Name: "f", Family: 4, Address: "fd77::9"}, []string{"address"}},
		{"pool", simcloud.FloatingIPPoolSpec{Name: "p", CIDR: "127.78.0.0"}, []string{"cidr"}},
		{"no size", simcloud.VolumeSpec{Name: "v", Type: "tape"}, []string{"sizeGiB", "type"}},
		{"too large", simcloud.VolumeResize{SizeGiB: 64<<10 + 1}, []string{"sizeGiB"}},
		{"device", simcloud.VolumeAttachment{Device: "sdb"}, []string{"instance", "device"}},
		{"no name of a device", simcloud.VolumeAttachment{Instance: "i-1", Device: "/dev/"}, []string{"device"}},
		{"device elsewhere", simcloud.VolumeAttachment{Instance: "i-1", Device: "/dev/../sdb"}, []string{"device"}},
		{"half a key", simcloud.SSHKeySpec{Name: "k", PublicKey: "ssh-ed25519"}, []string{"publicKey"}},
		{"key of another type", simcloud.SSHKeySpec{Name: "k", PublicKey: strings.Replace(goodKey, "ed25519", "rsa", 1)}, []string{"publicKey"}},
		{"cut key", simcloud.SSHKeySpec{Name: "k", PublicKey: "ssh-ed25519 AAAAC3Nz"}, []string{"publicKey"}},
		{"two keys", simcloud.SSHKeySpec{Name: "k", PublicKey: goodKey + "\n" + goodKey}, []string{"publicKey"}},
		{"no targets", simcloud.SSHKeyTargets{}, []string{"instances"}},
		{"all and some", simcloud.SSHKeyTargets{All: true, Instances: []simcloud.ID{"i-1"}}, []string{"instances"}},
		{"endpoint", simcloud.ClusterSpec{Name: "c", Endpoint: "10.0.0.1:6443"}, []string{"endpoint"}},
		{"endpoint with a password", simcloud.ClusterSpec{Name: "c", Endpoint: "https://me:secret@10.0.0.1"}, []string{"endpoint"}},
		{"role", simcloud.TokenSpec{Name: "ci", Role: "root", Lifetime: -1}, []string{"role", "lifetime"}},
		{"grace", simcloud.TokenRotation{Grace: -1}, []string{"grace"}},
		{"quota", simcloud.QuotaSpec{Limit: -2}, []string{"limit"}},
		{"polls", simcloud.ConfigUpdate{Progression: &simcloud.Progression{Mode: simcloud.ProgressionPolls}}, []string{"progression.polls"}},
		{"polls with time", simcloud.Progression{Mode: simcloud.ProgressionTime, Polls: 1}, []string{"progression.polls"}},
		{"duration at once", simcloud.Progression{Duration: 1}, []string{"progression.duration"}},
		{"mode", simcloud.Progression{Mode: "slow"}, []string{"progression.mode"}},
		{"exception", simcloud.ConfigUpdate{Progressions: &map[simcloud.Kind]simcloud.Progression{simcloud.KindNetwork: {}}}, []string{"progressions"}},
		{"stale", simcloud.ConfigUpdate{Consistency: &simcloud.Consistency{StaleLists: -1, HideNew: simcloud.Duration(time.Hour)}},
			[]string{"consistency.staleLists", "consistency.hideNew"}},
		{"rate", simcloud.ConfigUpdate{Rates: &[]simcloud.Rate{{Class: "frob", PerSecond: math.NaN()}}},
			[]string{"rates[0].class", "rates[0].perSecond", "rates[0].burst"}},
		{"rate of nothing", simcloud.ConfigUpdate{Rates: &[]simcloud.Rate{{PerSecond: 1, Burst: 1}}}, []string{"rates[0].class"}},
		{"keys for ever", simcloud.ConfigUpdate{IdempotencyTTL: new(simcloud.Duration)}, []string{"idempotencyTTL"}},
		{"snapshot", simcloud.SnapshotSpec{Name: "../x"}, []string{"name"}},
		{"clock mode", simcloud.ClockSpec{Mode: "fast"}, []string{"mode"}},
		{"scale", simcloud.ClockSpec{Mode: simcloud.ClockScaled}, []string{"factor"}},
		{"scale below 0", simcloud.ClockSpec{Mode: simcloud.ClockScaled, Factor: -1}, []string{"factor"}},
		{"scale too high", simcloud.ClockSpec{Mode: simcloud.ClockScaled, Factor: 1e6 + 1}, []string{"factor"}},
		{"endless scale", simcloud.ClockSpec{Mode: simcloud.ClockScaled, Factor: math.Inf(1)}, []string{"factor"}},
		{"no number as scale", simcloud.ClockSpec{Mode: simcloud.ClockScaled, Factor: math.NaN()}, []string{"factor"}},
		{"scale of real", simcloud.ClockSpec{Mode: simcloud.ClockReal, Factor: 2}, []string{"factor"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := c.spec.Validate()
			var e *simcloud.Error
			if !errors.As(err, &e) || e.Code != simcloud.Invalid {
				t.Fatalf("Validate() = %v, want Invalid", err)
			}
			var fields []string
			for _, f := range e.Fields {
				fields = append(fields, f.Field)
				if f.Detail == "" {
					t.Errorf("%s says nothing", f.Field)
				}
			}
			if diff := cmp.Diff(c.fields, fields); diff != "" {
				t.Errorf("fields (-want +got):\n%s", diff)
			}
		})
	}
}
