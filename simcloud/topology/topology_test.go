package topology_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest"
	"github.com/simcloud-dev/simcloud/simcloud/topology"
)

// example returns the YAML blocks of the page, of which the first is the whole example.
func examples(t *testing.T) []string {
	t.Helper()
	page, err := os.ReadFile("../../docs/topology.md")
	if err != nil {
		t.Fatal(err)
	}
	var blocks []string
	for _, part := range strings.Split(string(page), "```yaml\n")[1:] {
		block, _, _ := strings.Cut(part, "```")
		blocks = append(blocks, block)
	}
	if len(blocks) == 0 {
		t.Fatal("the page has no example")
	}
	return blocks
}

// TestExamples: what the page shows can be made, and made again without a change.
func TestExamples(t *testing.T) {
	t.Parallel()
	for _, text := range examples(t) {
		want, err := topology.Parse([]byte(text))
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		cloud := simtest.New(t)
		report, err := cloud.Seed(t.Context(), want)
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		again, err := cloud.Seed(t.Context(), want)
		if err != nil {
			t.Fatal(err)
		}
		nothing := simcloud.SeedReport{Created: []string{}, Updated: []string{}, Deleted: []string{}, Unchanged: again.Unchanged}
		if diff := cmp.Diff(nothing, again); diff != "" {
			t.Errorf("a second time (-want +got):\n%s\nafter %+v", diff, report)
		}
	}
}

// TestExampleIsComplete: the first example shows every kind.
func TestExampleIsComplete(t *testing.T) {
	t.Parallel()
	want, err := topology.Parse([]byte(examples(t)[0]))
	if err != nil {
		t.Fatal(err)
	}
	for name, missing := range map[string]bool{
		"regions": want.Regions == nil, "instanceTypes": want.InstanceTypes == nil, "floatingIPPools": want.FloatingIPPools == nil,
		"networks": want.Networks == nil, "routeTables": want.RouteTables == nil, "sshKeys": want.SSHKeys == nil,
		"instances": want.Instances == nil, "volumes": want.Volumes == nil, "loadBalancers": want.LoadBalancers == nil,
		"floatingIPs": want.FloatingIPs == nil, "clusters": want.Clusters == nil, "quotas": want.Quotas == nil,
	} {
		if missing {
			t.Errorf("%s is not in the example", name)
		}
	}
}

func TestParseNamesTheField(t *testing.T) {
	t.Parallel()
	for text, field := range map[string]string{
		"regions: [{name: r, zonez: []}]":                                "regions[0].zonez",
		"regions: [{name: r, zones: [{name: a, Name: b}]}]":              "regions[0].zones[0].Name",
		"instances: [{name: a, typo: 1}]":                                "instances[0].typo",
		"networks: [{name: net, cidrs: [10.0.0.0/16], subnet: []}]":      "networks[0].subnet",
		"regions: [{name: r, zones: [{name: a}, {name: a}]}]":            "regions[0].zones[1].name",
		"instanceTypes: []\ninstances: [{name: a, type: small}]":         "instances[0].type",
		"loadBalancers: [{name: lb, listeners: [{protocol: tcp}]}]":      "loadBalancers[0].listeners[0].port",
		"volumes: [{name: v, sizeGiB: 0}]":                               "volumes[0].sizeGiB",
		"networks: [{name: n}]":                                          "networks.name",
		"quotas: {instances: 1}":                                         "quotas[instances]",
		"instances: [{name: web, count: 2}, {name: web-1}]":              "instances[1].name",
		"sshKeys: []\ninstances: [{name: a, sshKeys: [k]}]":              "instances[0].sshKeys[0]",
		"floatingIPs: [{name: f, attachedTo: {kind: network, id: net}}]": "floatingIPs[0].attachedTo.kind",
	} {
		_, err := topology.Parse([]byte(text))
		var e *simcloud.Error
		if !errors.As(err, &e) || e.Code != simcloud.Invalid || len(e.Fields) == 0 {
			t.Errorf("%s: got %v, want Invalid with %s", text, err, field)
			continue
		}
		if e.Fields[0].Field != field {
			t.Errorf("%s: got %v, want %s", text, err, field)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"nothing": "", "a list": "[]", "text": "hello", "half": "regions: [", "twice": "regions: []\nregions: []",
		"the wrong type": "regions: 7", "two documents": "regions: []\n---\nregions: []", "too long": strings.Repeat("#", topology.MaxBytes+1),
	} {
		if _, err := topology.Parse([]byte(text)); simcloud.CodeOf(err) != simcloud.Invalid {
			t.Errorf("%s: got %v, want Invalid", name, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"regions: [{name: r, zones: [{name: a, capacity: {small: 1}}]}]", "instances: [{name: web, count: 3, state: stopped}]",
		`{"networks": [{"name": "n", "cidrs": ["10.0.0.0/16"]}]}`, "quotas: {instance: -1}", "a: &a [*a]", "project: x\n",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		want, err := topology.Parse(data)
		if err == nil && want.Validate() != nil {
			t.Errorf("%q is read, and not valid: %v", data, want.Validate())
		}
		if err != nil && simcloud.CodeOf(err) != simcloud.Invalid {
			t.Errorf("%q: %v, want the code invalid", data, err)
		}
	})
}
