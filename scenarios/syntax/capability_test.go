package syntax_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/scenarios"
	steps "github.com/simcloud-dev/simcloud/scenarios/step"
	"github.com/simcloud-dev/simcloud/scenarios/syntax"
)

const capabilitiesHead = "apiVersion: simcloud.dev/v1alpha1\nkind: Capabilities\n"

func TestParseCapabilities(t *testing.T) {
	t.Parallel()
	declared, err := syntax.ParseCapabilities("caps.yaml", []byte(capabilitiesHead+"capabilities:\n- routes # of ours\n- nodes\n"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"nodes", "routes"}, declared.Names()); diff != "" {
		t.Errorf("declared (-want +got):\n%s", diff)
	}
	for text, says := range map[string]string{
		capabilitiesHead + "capabilities: [nodes, route]\n":       `caps.yaml:3:23: there is no capability "route" ("routes"?): want nodes,`,
		capabilitiesHead + "capabilities: [nodes, udp, nodes]\n":  `caps.yaml:3:28: the capability "nodes" is there twice`,
		capabilitiesHead + "capabilities: nodes\n":                `caps.yaml:3:15: capabilities is "nodes": want a list`,
		capabilitiesHead + "capabilities: [nodes]\nnodes: true\n": `caps.yaml:4:1: the file has no key "nodes"`,
		capabilitiesHead:                     `caps.yaml:1:1: the file lacks the key "capabilities"`,
		"":                                   "caps.yaml:1: the file declares nothing",
		"kind: Scenario\ncapabilities: []\n": `caps.yaml:1:7: kind is "Scenario": want Capabilities`,
		"a: [b\n":                            "caps.yaml:1",
		capabilitiesHead + "capabilities: []\n---\na: b\n":  "caps.yaml:4:1: the file has a second document",
		capabilitiesHead + "capabilities: [nodes, [udp]]\n": "caps.yaml:3:23: the name of a capability is a list",
	} {
		if _, err := syntax.ParseCapabilities("caps.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), says) || !scenarios.IsBadInput(err) {
			t.Errorf("%q: %v, want %q", text, err, says)
		}
	}
}

// TestCapabilitiesFile: what is written for all can be read.
func TestCapabilitiesFile(t *testing.T) {
	t.Parallel()
	for _, want := range []scenarios.CapabilitySet{scenarios.AllCapabilities(), {"udp": true}, {}} {
		got, err := syntax.ParseCapabilities("all.yaml", syntax.CapabilitiesFile(want))
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	}
}

// ofClauses are the scenarios of the library that are about a clause.
func ofClauses(t *testing.T) []*scenarios.Scenario {
	t.Helper()
	all, err := library()
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(slices.Clone(all), func(s *scenarios.Scenario) bool { return s.Labels["clause"] == "" })
}

// TestScenariosNeedTheirArea: a CCM that does not declare what an area is about
// is not judged by it.
func TestScenariosNeedTheirArea(t *testing.T) {
	t.Parallel()
	needs := map[string]string{"node": "nodes", "lifecycle": "nodes", "service": "loadBalancers", "route": "routes"}
	for _, s := range ofClauses(t) {
		if need := needs[s.Labels["area"]]; len(s.Capabilities) == 0 || need != "" && !slices.Contains(s.Capabilities, need) {
			t.Errorf("%s: capabilities is %v, which lacks %q", s.Position, s.Capabilities, need)
		}
	}
	lacking := scenarios.CapabilitySet{"nodes": true, "udp": true}.Lacking(&scenarios.Scenario{Capabilities: []string{"routes", "nodes", "ipv6"}})
	if diff := cmp.Diff([]string{"ipv6", "routes"}, lacking); diff != "" {
		t.Errorf("lacking (-want +got):\n%s", diff)
	}
}

// TestScenariosNeedWhatTheyDo: a CCM that does not declare what a scenario does
// to it, or asks of it, is not judged by that.
func TestScenariosNeedWhatTheyDo(t *testing.T) {
	t.Parallel()
	for _, s := range ofClauses(t) {
		for _, does := range needs(s) {
			if !slices.ContainsFunc(does.anyOf, func(name string) bool { return slices.Contains(s.Capabilities, name) }) {
				t.Errorf("%s: it %s, and capabilities is %v: must be one of %v", s.Position, does.what, s.Capabilities, does.anyOf)
			}
		}
	}
}

// need is something that a scenario does, and the capabilities of which it needs one.
type need struct {
	what  string
	anyOf []string
}

func needs(s *scenarios.Scenario) []need {
	var all []need
	if s.UsesCloudConfig {
		all = append(all, need{"sets the cloud config", []string{"cloudConfig"}})
	}
	flags := need{"sets flags", []string{"flags", "leaderElection"}}
	if syntax.StartSettings(s).Flags != nil {
		all = append(all, flags)
	}
	for _, step := range slices.Concat(s.Steps, s.Finally) {
		ccm, ok := step.Action.(*steps.CCMAction)
		if !ok {
			continue
		}
		switch form := ccm.Form.(type) {
		case *steps.CCMGet:
			all = append(all, need{"asks the secure port", []string{"metrics"}})
		case *steps.CCMFailover:
			all = append(all, need{"reads who leads", []string{"metrics"}}, need{"has a second replica", []string{"leaderElection"}})
		case *steps.CCMStart:
			if form.Settings.Flags != nil {
				all = append(all, flags)
			}
			if form.Fails != "" {
				all = append(all, need{"wants it to end", []string{"tokenCheck"}})
			}
		case *steps.CCMProcess:
			if form.Standby {
				all = append(all, need{"has a second replica", []string{"leaderElection"}})
			}
			if strings.HasSuffix(form.Do, "Token") {
				all = append(all, need{"changes the token", []string{"tokenRenewal"}})
			}
		}
	}
	return all
}
