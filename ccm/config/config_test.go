package config

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/simcloud"
)

const fullConfig = `# the cloud of the tests
endpoint: https://cloud.example.org:8443/
tokenFile: token
caFile: /etc/ca.pem
project: default
region: region-1
network: net-1
routeTable: rt-1
timeout: 3s
retries: 2
retryBackoff: 50ms
healthGracePeriod: 2m
nodeGracePeriod: 90s
instanceListAge: 5s
instancesV1: true
nodeLabelPrefix: example.org/
routeNextHop: address
loadBalancer:
  internal: true
  algorithm: least_connections
  idleTimeout: 2m
  proxyProtocol: true
  class: fast
  floatingIPPool: public
`

func TestLoadConfig(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "cloud.yaml")
	if err := os.WriteFile(path, []byte(fullConfig), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	want := Config{
		Endpoint: "https://cloud.example.org:8443", TokenFile: filepath.Join(dir, "token"), CAFile: "/etc/ca.pem",
		Project: "default", Region: "region-1", Network: "net-1", RouteTable: "rt-1",
		Timeout: 3 * time.Second, Retries: 2, RetryBackoff: 50 * time.Millisecond,
		HealthGracePeriod: 2 * time.Minute, NodeGracePeriod: 90 * time.Second, InstanceListAge: 5 * time.Second,
		InstancesV1: true, NodeLabelPrefix: "example.org/", RouteNextHop: RouteToAddress,
		LoadBalancer: LoadBalancer{
			Internal: true, Algorithm: simcloud.LeastConnections, IdleTimeout: 2 * time.Minute,
			ProxyProtocol: true, Class: "fast", FloatingIPPool: "public",
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("config (-want +got):\n%s", diff)
	}
}

func TestParseConfigDefaults(t *testing.T) {
	t.Parallel()
	got, err := Parse("f", []byte("endpoint: http://127.0.0.1:1\ntokenFile: /token\n"))
	want := Default()
	want.Endpoint, want.TokenFile = "http://127.0.0.1:1", "/token"
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("error %v, config (-want +got):\n%s", err, diff)
	}
}

func TestParseConfigMistakes(t *testing.T) {
	t.Parallel()
	const good = "endpoint: http://127.0.0.1:1\ntokenFile: /token\n"
	for _, c := range []struct{ name, yaml, want string }{
		{"empty", "", "cloud.yaml: endpoint is missing"},
		{"no token", "endpoint: http://127.0.0.1:1\n", "cloud.yaml: tokenFile is missing"},
		{"unknown key", good + "endpiont: x\n", "cloud.yaml:3: unknown key endpiont: must be one of caFile, endpoint,"},
		{"unknown key below", good + "loadBalancer:\n  intern: true\n", "cloud.yaml:4: unknown key loadBalancer.intern: must be one of algorithm,"},
		{"twice", good + "region: a\nregion: b\n", "cloud.yaml:4: region is given twice"},
		{"not a URL", "endpoint: 127.0.0.1:80\n", `cloud.yaml:1: endpoint: "127.0.0.1:80" is not a URL such as`},
		{"other scheme", "endpoint: ftp://cloud\n", `cloud.yaml:1: endpoint: "ftp://cloud" is not a URL such as`},
		{"not a string", good + "region: 7\n", `cloud.yaml:3: region: "7" is not a string`},
		{"list", good + "region: [a]\n", `cloud.yaml:3: region: "" is not a string`},
		{"not a duration", good + "timeout: 10\n", `cloud.yaml:3: timeout: "10" is not a duration of at least 1ms, such as 10s`},
		{"no time", good + "timeout: 0s\n", `cloud.yaml:3: timeout: "0s" is not a duration`},
		{"no number", good + "retries: many\n", `cloud.yaml:3: retries: "many" is not a whole number from 0`},
		{"below 0", good + "retries: -1\n", `cloud.yaml:3: retries: "-1" is not a whole number from 0`},
		{"next hop", good + "routeNextHop: moon\n", `cloud.yaml:3: routeNextHop: "moon" is not instance or address`},
		{"negative", good + "nodeGracePeriod: -1s\n", `cloud.yaml:3: nodeGracePeriod: "-1s" is not a duration`},
		{"not a bool", good + "loadBalancer:\n  internal: \"yes\"\n", `cloud.yaml:4: loadBalancer.internal: "yes" is not true or false`},
		{"algorithm", good + "loadBalancer: {algorithm: random}\n", `cloud.yaml:3: loadBalancer.algorithm: must be "round_robin" or "least_connections"`},
		{"idle", good + "loadBalancer: {idleTimeout: 1500ms}\n", `cloud.yaml:3: loadBalancer.idleTimeout: must be a duration of whole seconds`},
		{"not a mapping", good + "loadBalancer: round_robin\n", "cloud.yaml:3: loadBalancer: must be a mapping of keys to values"},
		{"list at the top", "- a\n", "cloud.yaml:1: "},
		{"not YAML", good + "region: \"a\n", "cloud.yaml:"},
		{"two documents", good + "---\nregion: a\n", "cloud.yaml:3: a second document: the file must have one"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := Parse("cloud.yaml", []byte(c.yaml))
			if err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("got  %v\nwant %s...", err, c.want)
			}
		})
	}
}

func TestLoadConfigNamesTheFlag(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"", filepath.Join(t.TempDir(), "none.yaml")} {
		if _, err := Load(path); err == nil || !strings.HasPrefix(err.Error(), "--cloud-config") {
			t.Errorf("LoadConfig(%q): got %v, want an error about --cloud-config", path, err)
		}
	}
}

// TestEveryKeyNamesItsLine: whatever the key, a value that cannot be is told by file, line and key.
func TestEveryKeyNamesItsLine(t *testing.T) {
	t.Parallel()
	cfg, parser := Default(), configParser{name: "cloud.yaml"}
	for _, key := range slices.Sorted(maps.Keys(cfg.keys(parser))) {
		_, err := Parse("cloud.yaml", fmt.Appendf(nil, "# a comment\n\n%s: [a]\n", key))
		if want := "cloud.yaml:3: " + key + ": "; err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s...", err, want)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(cfg.LoadBalancer.keys(parser))) {
		_, err := Parse("cloud.yaml", fmt.Appendf(nil, "loadBalancer:\n  # a comment\n  %s: {a: b}\n", key))
		if want := "cloud.yaml:3: loadBalancer." + key + ": "; err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s...", err, want)
		}
	}
}
