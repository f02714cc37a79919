package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/scenarios"
	scenariorun "github.com/simcloud-dev/simcloud/scenarios/run"
)

// TestScenarioList: the scenarios that simcloud includes are listed with what --selector chooses by.
func TestScenarioList(t *testing.T) {
	t.Parallel()
	out, _, code := called("scenario", "list", "-l", "name in (lb-provisioning,s04-ports)", "-o", "wide")
	if code != 0 {
		t.Fatal(code, out)
	}
	for _, want := range []string{
		"NAME             TIER         AREA     CLAUSE  STEPS",
		"lb-provisioning  core         service  -",
		"s04-ports        conformance  service  S04",
		"library/lb-provisioning.yaml:2",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in it:\n%s", want, out)
		}
	}
	if _, errs, code := called("scenario", "list", "-l", "tier=corre"); code != 2 || !strings.Contains(errs, `--selector "tier=corre" matches none`) {
		t.Error(code, errs)
	}
}

// TestScenarioShow: what is printed is a scenario, and a name of a matrix is one too.
func TestScenarioShow(t *testing.T) {
	t.Parallel()
	out, errs, code := called("scenario", "show", "lb-provisioning", "p04-failover[how=kill]", "p04-failover")
	if strings.Contains(out, "yaml-language-server") {
		t.Error("what is shown has the place of the schema, which is another one for a copy")
	}
	all, err := scenariorun.Parse("shown.yaml", []byte(out))
	if code != 0 || err != nil || len(all) != 3 { // one, and the two of the matrix
		t.Errorf("%d %s: %d scenarios, %v", code, errs, len(all), err)
	}
	if _, errs, code := called("scenario", "show", "nope"); code != 2 || !strings.Contains(errs, `simcloud includes no scenario "nope"`) {
		t.Error(code, errs)
	}
}

// TestScenarioNew: what is written is in order, names its schema, and replaces nothing.
func TestScenarioNew(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "mine", "lb-two-ports.yaml")
	if out, errs, code := called("scenario", "new", file); code != 0 || !strings.Contains(out, "simcloud test "+file) {
		t.Fatal(code, out, errs)
	}
	all, err := scenariorun.Load(t.Context(), file)
	if err != nil || len(all) != 1 || all[0].Name != "lb-two-ports" {
		t.Fatalf("%v %v", all, err)
	}
	raw, err := os.ReadFile(file)
	if err != nil || !bytes.HasPrefix(raw, []byte("# yaml-language-server: $schema=scenario.schema.json\n")) {
		t.Errorf("%v\n%s", err, raw)
	}
	if schema, err := os.ReadFile(filepath.Join(filepath.Dir(file), "scenario.schema.json")); err != nil || !bytes.Equal(schema, scenarios.SchemaJSON()) {
		t.Errorf("the schema that it names: %v", err)
	}
	for name, want := range map[string]string{file: "is there already", "lb.txt": "ends with .yaml", "LB.yaml": "small letters"} {
		if _, errs, code := called("scenario", "new", name); code != 2 || !strings.Contains(errs, want) {
			t.Errorf("%s: %d %s", name, code, errs)
		}
	}
}

// TestScenarioExplain: operations are explained by their arguments, and parts of the snapshot by their fields.
func TestScenarioExplain(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		want []string
	}{
		{"CreateInstance", []string{"CreateInstance  InstanceResult", "FIELD", "resource   Instance"}},
		{"CreateInstance.resource", []string{"state           string  pending, running"}},
		{"nodes.spec", []string{"nodes.spec  NodeSpec", "providerID", "taints"}},
		{"loadBalancers", []string{"the cloud's load balancers", "listeners       list(Listener)", "provisioning, active"}},
		{"ListInstances", []string{"selector   string", "items"}},
		{"elapsed", []string{"elapsed  duration"}},
	} {
		out, errs, code := called("scenario", "explain", c.name)
		for _, want := range c.want {
			if !strings.Contains(out, want) {
				t.Errorf("%s: %d %s: %q is not in\n%s", c.name, code, errs, want, out)
			}
		}
	}
	for name, want := range map[string]string{"CreateInstanc": `("CreateInstance"?)`, "nods": `("nodes"?)`, "nodes.spec.providerId": `nodes.spec has no field "providerId" ("providerID"?)`} {
		if _, errs, code := called("scenario", "explain", name); code != 2 || !strings.Contains(errs, want) {
			t.Errorf("%s: %d %s", name, code, errs)
		}
	}
}

// TestLintClause: a label for a clause that there is not leads nowhere, and is told where it stands.
func TestLintClause(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "a.yaml")
	text := "apiVersion: simcloud.dev/v1alpha1\nkind: Scenario\nmetadata: {name: a, labels: {clause: S99}}\nspec:\n  description: d\n  steps:\n  - expect: nodes.size() == 0\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, errs, code := called("lint", file); code != 2 || !strings.Contains(errs, file+`:3:38: the conformance suite has no clause "S99"`) {
		t.Error(code, errs)
	}
}

// TestLintWatch: each change of a file is looked at, and those of files that come later.
func TestLintWatch(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, expect string) {
		text := "apiVersion: simcloud.dev/v1alpha1\nkind: Scenario\nmetadata: {name: " + strings.TrimSuffix(filepath.Base(name), ".yaml") +
			"}\nspec:\n  description: d\n  steps:\n  - expect: " + expect + "\n"
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	var out lockedBuffer
	ended := make(chan error, 1)
	write("a.yaml", "nods == 1")
	go func() { ended <- watchLint(ctx, &out, []string{dir}) }()
	writes(t, &out, `("nodes"?)`)
	write("a.yaml", "nodes.size() == 1")
	writes(t, &out, "ok (a)")
	write("more/b.yaml", "nodes.size() == true")
	writes(t, &out, "b.yaml:7:")
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// writes waits until a text was written.
func writes(t *testing.T, b *lockedBuffer, want string) {
	t.Helper()
	for !strings.Contains(b.String(), want) {
		select {
		case <-t.Context().Done():
			t.Fatalf("%q was never written: %s", want, b.String())
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// called runs simcloud in this process.
func called(args ...string) (out, errs string, code int) {
	code, out, errs = simcloudMain(args...)
	return out, errs, code
}
