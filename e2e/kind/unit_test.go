package kind

import (
	"errors"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/simcloud-dev/simcloud/e2e"
	"github.com/simcloud-dev/simcloud/e2e/backendtest"
	"github.com/simcloud-dev/simcloud/e2e/machine"
	"github.com/simcloud-dev/simcloud/simcloud"
)

func TestNetworkRangesAreApart(t *testing.T) {
	t.Parallel()
	for n := firstNetwork; n <= lastNetwork; n++ {
		net := network{name: "x", n: byte(n)}
		pool := net.spec(nil).Pools[0]
		if pool.Range.Overlaps(net.instances()) || !pool.Subnet.Overlaps(net.instances()) || net.instances().Contains(pool.Gateway) || !pool.Subnet.Contains(pool.Gateway) {
			t.Errorf("%d: the engine has %s of %s and the gateway %s, the instances %s", n, pool.Range, pool.Subnet, pool.Gateway, net.instances())
		}
		for _, other := range []string{e2e.ClusterCIDR, "10.96.0.0/16", "10.0.0.0/16"} {
			if net.subnet().Overlaps(netip.MustParsePrefix(other)) {
				t.Errorf("%s overlaps %s", net.subnet(), other)
			}
		}
		if netip.MustParsePrefix(net.floating()).Contains(netip.MustParseAddr("127.0.0.1")) {
			t.Errorf("%s has the address 127.0.0.1", net.floating())
		}
	}
}

// Machines of an engine without root, or on another host, could not reach the cloud.
func TestAnEngineOfAnotherHostIsRefused(t *testing.T) {
	t.Parallel()
	n := network{name: "c", n: firstNetwork}
	here := []netip.Prefix{netip.MustParsePrefix("127.0.0.1/8"), netip.PrefixFrom(n.host(), 16)}
	if err := n.requireHere("docker", here); err != nil {
		t.Error(err)
	}
	here[1] = netip.MustParsePrefix("10.160.0.1/16") // of another network with the same range
	if err := n.requireHere("docker", here); !errors.Is(err, simcloud.Unavailable) || !strings.Contains(err.Error(), "without root") {
		t.Errorf("got %v, want %s and why", err, simcloud.Unavailable)
	}
}

func TestNamesThatHostsCannotHaveAreRefused(t *testing.T) {
	e := fakeDocker(t, "")
	for name, ok := range map[string]bool{
		"simcloud-a.b-1": true, strings.Repeat("a", 49): true, strings.Repeat("a", 50): false,
		"": false, "A": false, "a_b": false, "-a": false, "a-": false, "a.": false, "a/b": false, "ä": false, "a b": false,
	} {
		_, err := New(Config{Name: name, Dir: t.TempDir(), Engine: e, Image: "i"})
		if (err == nil) != ok || err != nil && !errors.Is(err, simcloud.Invalid) {
			t.Errorf("%q: %v, want it to be right: %t", name, err, ok)
		}
	}
	if !isHostname(strings.Repeat("a", 63), maxHostname) || isHostname(strings.Repeat("a", 64), maxHostname) {
		t.Error("a machine's name may have 63 characters and not 64")
	}
}

func TestKubeletFlags(t *testing.T) {
	t.Parallel()
	got := kubeletFlags(machine.Spec{
		Name: "node-1", Labels: map[string]string{"b": "2", "a": "1"},
		Addresses: []netip.Addr{netip.MustParseAddr("10.1.0.5"), netip.MustParseAddr("fd00::5")},
	})
	want := []string{"--cloud-provider=external", "--hostname-override=node-1", "--node-ip=10.1.0.5,fd00::5", "--node-labels=a=1,b=2,sim.simcloud.dev/machine=container"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("flags (-want +got):\n%s", diff)
	}
	if got := kubeletFlags(machine.Spec{Name: "a", Addresses: []netip.Addr{netip.MustParseAddr("10.1.0.5")}, NodeIPs: []string{"fd00::5"}}); !slices.Contains(got, "--node-ip=fd00::5") {
		t.Errorf("flags %q, want the address that the kubelet is to be told", got)
	}
	if got := kubeletFlags(machine.Spec{Name: "a"}); slices.ContainsFunc(got, func(f string) bool { return strings.Contains(f, "provider-id") || strings.Contains(f, "node-ip") }) {
		t.Errorf("flags %q say what the CCM is to say", got)
	}
}

func TestCNIConfig(t *testing.T) {
	t.Parallel()
	raw, err := cniConfig([]string{"10.244.3.0/24", "fd00:10:244:3::/64"})
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{`"subnet": "10.244.3.0/24"`, `"dst": "0.0.0.0/0"`, `"subnet": "fd00:10:244:3::/64"`, `"dst": "::/0"`, `"type": "portmap"`} {
		if !strings.Contains(string(raw), part) {
			t.Errorf("%s is missing in\n%s", part, raw)
		}
	}
}

// What is written for a machine is the same file at each boot, since it is
// mounted, and the pod network of the boot before is gone.
func TestWriteMachine(t *testing.T) {
	t.Parallel()
	p := &plane{server: "https://10.1.128.2:6443", authority: newTestAuthority(t), kubelet: map[string]any{
		"kind": "KubeletConfiguration", "staticPodPath": "/etc/kubernetes/manifests", "clusterDNS": []any{"10.96.0.10"},
		"authentication": map[string]any{"x509": map[string]any{"clientCAFile": "/x"}, "webhook": map[string]any{"enabled": true}},
	}}
	dir := t.TempDir()
	spec := machine.Spec{Name: "node-1"}
	if err := p.writeMachine(dir, spec); err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(filepath.Join(dir, unitFile))
	if err != nil {
		t.Fatal(err)
	}
	cni := filepath.Join(dir, cniFolder, cniFile)
	if err := os.WriteFile(cni, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	spec.Labels = map[string]string{"a": "b"}
	if err := p.writeMachine(dir, spec); err != nil {
		t.Fatal(err)
	}
	after, err := os.Stat(filepath.Join(dir, unitFile))
	if err != nil || !os.SameFile(before, after) {
		t.Errorf("the unit is another file: %v", err)
	}
	if _, err := os.Stat(cni); !os.IsNotExist(err) {
		t.Errorf("the pod network of the boot before: %v", err)
	}
	if unit, err := os.ReadFile(filepath.Join(dir, unitFile)); err != nil || !strings.Contains(string(unit), "--node-labels=a=b,sim.simcloud.dev/machine=container") {
		t.Errorf("the unit is %s, %v: want the new labels", unit, err)
	}
	raw, err := os.ReadFile(filepath.Join(dir, etcFolder, "kubelet.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var config map[string]any
	if err := yaml.Unmarshal(raw, &config); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"kind": "KubeletConfiguration", "clusterDNS": []any{"10.96.0.10"}, "rotateCertificates": false,
		"containerRuntimeEndpoint": "unix:///run/containerd/containerd.sock",
		"authentication": map[string]any{
			"x509": map[string]any{"clientCAFile": mounted + "/ca.crt"}, "webhook": map[string]any{"enabled": true},
		},
	}
	if diff := cmp.Diff(want, config); diff != "" {
		t.Errorf("the kubelet's configuration (-want +got):\n%s", diff)
	}
	if p.kubelet["staticPodPath"] == nil {
		t.Error("the configuration of all was changed")
	}
}

func TestLoggerLeavesOrnamentsOut(t *testing.T) {
	t.Parallel()
	var lines []string
	l := &logger{tell: func(line string) { lines = append(lines, line) }}
	l.V(0).Infof(" • %s  ...\n", "Preparing nodes 📦 ")
	l.V(0).Infof(" ✓ %s\n", "Preparing nodes 📦 ")
	l.V(1).Info("debug")
	l.Warn("WARNING: Here be dragons! This is not supported currently.")
	l.Warn("cgroup v1 is old")
	l.V(0).Infof(" ✗ %s\n", "Starting control-plane")
	want := []string{"kind: Preparing nodes ...", "kind: cgroup v1 is old", "kind: Starting control-plane"}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
}

func TestKubeletCertificates(t *testing.T) {
	t.Parallel()
	a := newTestAuthority(t)
	pair, err := a.kubelet("node-1", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	checkKubeletPair(t, a, pair)
}

func TestAdviceOnTheHostsLimits(t *testing.T) {
	t.Parallel()
	if got := advice("Failed to create control group inotify object: Too many open files"); !strings.Contains(got, "fs.inotify.max_user_instances") {
		t.Errorf("advice %q", got)
	}
	if got := advice("Exiting PID 1..."); got != "" {
		t.Errorf("advice %q on something else", got)
	}
}

func TestFactorIsThatOfTheControlPlane(t *testing.T) {
	t.Parallel()
	b := &Backend{}
	if got := b.Factor(); got != 1 {
		t.Errorf("before the start the factor is %v, want 1", got)
	}
	b.plane = &plane{factor: 2.5}
	if got := b.Factor(); got != 2.5 {
		t.Errorf("the factor is %v, want the measured 2.5", got)
	}
}

// TestCapabilities: the control plane is a Node when it was asked to be one.
func TestCapabilities(t *testing.T) {
	t.Parallel()
	for _, asked := range []bool{false, true} {
		b := &Backend{Config: Config{Name: "some", ControlPlaneNode: asked}}
		can := b.Capabilities()
		backendtest.Consistent(t, can)
		if got := can.ControlPlaneNode == "some-control-plane"; got != asked || can.Cut == nil || can.Discard == nil || !can.Packets {
			t.Errorf("asked for a Node: %t, the capabilities are %+v", asked, can)
		}
	}
}
