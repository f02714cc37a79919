package control

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLabelMistakes: a label of simcloud that does not apply to a machine is found.
func TestLabelMistakes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		labels map[string]string
		key    string
		says   string // empty when nothing is wrong
	}{
		{map[string]string{LabelNodeIP: "10.0.0.1,fd00::1"}, LabelNodeIP, ""},
		{map[string]string{LabelNodeIP: "10.0.0.1", LabelNode: "light"}, LabelNodeIP, ""},
		{map[string]string{LabelNodeIP: "10.0.0.1", LabelNode: "none"}, LabelNodeIP, "has no effect on a machine without a node"},
		{map[string]string{LabelNodeIP: "10.0.0"}, LabelNodeIP, `invalid value "10.0.0": must be an IP address`},
		{map[string]string{LabelNodeIP: "10.0.0.1,fd00::1,::2"}, LabelNodeIP, "one of each family"},
		{map[string]string{LabelNodeIP: "${address}"}, LabelNodeIP, ""},
		{map[string]string{LabelProviderID: "x://1"}, LabelProviderID, "has no effect on a real kubelet: must go with sim.simcloud.dev/node: light"},
		{map[string]string{LabelProviderID: "x://1", LabelNode: "light"}, LabelProviderID, ""},
		{map[string]string{LabelProviderID: "x://1", LabelNode: "${kind}"}, LabelProviderID, ""},
		{map[string]string{LabelNodeName: "a"}, LabelNodeName, "real kubelet"},
		{map[string]string{LabelInitialized: "true"}, LabelInitialized, "real kubelet"},
		{map[string]string{LabelInitialized: "yes", LabelNode: "light"}, LabelInitialized, `invalid value "yes": must be true or false`},
		{map[string]string{LabelPodCIDRs: "10.244.9.0", LabelNode: "light"}, LabelPodCIDRs, "must be a range such as"},
		{map[string]string{LabelNode: "hollow"}, LabelNode, `invalid value "hollow": must be none or light`},
		{map[string]string{"sim.simcloud.dev/node-ips": "10.0.0.1"}, "sim.simcloud.dev/node-ips", `simcloud has no such label ("sim.simcloud.dev/node-ip"?)`},
		{map[string]string{"sim.simcloud.dev/fault": "x"}, "sim.simcloud.dev/fault", ""},
		{map[string]string{"example.com/node": "x"}, "example.com/node", ""},
	} {
		got := LabelMistakes(c.labels)
		if c.says == "" && len(got) == 0 {
			continue
		}
		if len(got) != 1 || got[0].Label != c.key || c.says == "" || !strings.Contains(got[0].Error(), c.says) {
			t.Errorf("%v: got %v, want %q", c.labels, got, c.says)
		}
	}
}

// TestDocumentedLabels: the page on scenarios has each label.
func TestDocumentedLabels(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "scenarios", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, label := range MachineLabels() {
		if !strings.Contains(string(page), "| `"+label+"` |") {
			t.Errorf("scenarios/README.md has no row for %s", label)
		}
	}
}
