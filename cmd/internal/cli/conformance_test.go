package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/e2e/manager"
	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/syntax"
)

// TestUnusableConformance: what cannot be run is told before anything starts, with exit code 2.
func TestUnusableConformance(t *testing.T) {
	dir := t.TempDir()
	caps := filepath.Join(dir, "caps.yaml")
	if err := os.WriteFile(caps, []byte("apiVersion: simcloud.dev/v1alpha1\nkind: Capabilities\ncapabilities:\n- nodes\n- rutes\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	few := filepath.Join(dir, "few.yaml")
	if err := os.WriteFile(few, []byte("apiVersion: simcloud.dev/v1alpha1\nkind: Capabilities\ncapabilities: [udp]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	image := filepath.Join(dir, "image.tar")
	for _, test := range []struct {
		args []string
		says string
	}{
		{[]string{"--capabilities", caps}, caps + `:5:3: there is no capability "rutes" ("routes"?)`},
		{[]string{"--capabilities", filepath.Join(dir, "none")}, "no such file"},
		{[]string{"--areas", "node,routes"}, `--areas: "routes" is not one of: node, lifecycle, service, route, process`},
		{[]string{"--shorten", "-1"}, "--shorten is -1"},
		{[]string{"--parallel", "0"}, "--parallel is 0"},
		{[]string{"--ccm", "A={unknown} /bin/true"}, "{unknown}"},
		{[]string{"lifecycle"}, `has no command "lifecycle"`},
		{[]string{"--ccm-manifests", dir}, "--ccm-manifests goes with --backend kind alone"},
		{[]string{"--backend", "kind", "--ccm-image", image}, "--ccm-image goes with --ccm-manifests"},
		{[]string{"--backend", "kind", "--ccm-manifests", dir, "--ccm", "none"}, "want one"},
		{[]string{"--backend", "kind", "--ccm-manifests", dir, "--ccm-mode", "daemonset"}, "--ccm-mode is for simcloud-ccm"},
		{[]string{"--backend", "kind", "--ccm-manifests", dir, "--ccm-image", image}, "--ccm-image: open " + image},
		{[]string{"--ccm", "none", "--report", filepath.Join(few, "x")}, "is not a folder"},
	} {
		code, out, errs := simcloudMain(append([]string{"conformance"}, test.args...)...)
		if code != exit.CodeUsage || !strings.Contains(errs, test.says) || out != "" {
			t.Errorf("%v: code %d, %q, %q; want 2 and %q", test.args, code, out, errs, test.says)
		}
	}
}

// TestCapabilities: what is printed as YAML can be declared, and there is nothing else to declare.
func TestCapabilities(t *testing.T) {
	code, out, errs := simcloudMain("conformance", "capabilities", "-o", "yaml")
	declared, err := syntax.ParseCapabilities("out", []byte(out))
	if code != exit.CodeOK || err != nil || len(declared) != len(scenarios.Capabilities()) {
		t.Errorf("code %d, %v, %d capabilities: %s%s", code, err, len(declared), out, errs)
	}
	if code, out, _ = simcloudMain("conformance", "capabilities", "-o", "name"); code != exit.CodeOK || !strings.HasPrefix(out, "nodes\n") {
		t.Errorf("as names: code %d, %s", code, out)
	}
	if code, out, _ = simcloudMain("conformance", "capabilities", "-o", "json"); code != exit.CodeOK || !strings.Contains(out, `"doc": "initialises Nodes`) {
		t.Errorf("as JSON: code %d, %s", code, out)
	}
}

// TestNoneIsBrief: without a CCM nothing is waited for that does not come.
func TestNoneIsBrief(t *testing.T) {
	none := conformanceOptions{shorten: 4}.conformer(manager.CCMSpec{Name: "none"})
	some := conformanceOptions{shorten: 4}.conformer(manager.CCMSpec{Path: "/ccm"})
	if !none.Brief || none.Patience == 0 || none.Shorten != 0 || some.Brief || some.Patience != 0 || some.Shorten != 4 {
		t.Errorf("none is %+v, and some is %+v", none, some)
	}
}
