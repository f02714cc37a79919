package simcloud_test

import (
	"bytes"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/simcloud-dev/simcloud/"

// direction says what each package may import of this module, besides what
// those packages may import themselves. A package that is not here may not exist.
var direction = map[string][]string{
	"simcloud":                    {},
	"simcloud/wait":               {},
	"simcloud/escape":             {},
	"simcloud/wait/waittest":      {"simcloud/wait"},
	"simcloud/durable":            {},
	"simcloud/owned":              {},
	"simcloud/store/boltfile":     {},
	"simcloud/store/sequence":     {},
	"simcloud/store":              {"simcloud", "simcloud/durable", "simcloud/store/boltfile", "simcloud/store/sequence"},
	"simcloud/core":               {"simcloud", "simcloud/store"},
	"simcloud/journal":            {"simcloud"},
	"simcloud/openapi":            {"simcloud"},
	"simcloud/topology":           {"simcloud/strictjson"},
	"simcloud/strictjson":         {"simcloud", "simcloud/spelling"},
	"simcloud/spelling":           {},
	"simcloud/yamlpath":           {},
	"simcloud/fault":              {"simcloud/strictjson"},
	"simcloud/browsertest":        {"simcloud/wait/waittest"},
	"simcloud/console":            {},
	"simcloud/server":             {"simcloud/console", "simcloud/edge", "simcloud/openapi", "simcloud/strictjson"},
	"simcloud/client":             {"simcloud", "simcloud/fault", "simcloud/wait"},
	"simcloud/mirror":             {"simcloud", "simcloud/wait"},
	"simcloud/dataplane":          {"simcloud/mirror"},
	"simcloud/sim":                {"simcloud/owned", "simcloud/dialect/aws", "simcloud/dialect/hcloud", "simcloud/dialect/openstack", "simcloud/core", "simcloud/store", "simcloud/server", "simcloud/journal", "simcloud/fault", "simcloud/dataplane", "simcloud/pki"},
	"simcloud/simtest":            {"simcloud/sim", "simcloud/client", "simcloud/wire"},
	"simcloud/simtest/suite":      {"simcloud/simtest"},
	"simcloud/simtest/compute":    {"simcloud/simtest/suite"},
	"simcloud/simtest/network":    {"simcloud/simtest/suite"},
	"simcloud/simtest/tenancy":    {"simcloud/simtest/suite"},
	"simcloud/simtest/rules":      {"simcloud/simtest/suite"},
	"simcloud/simtest/spec":       {"simcloud/simtest/compute", "simcloud/simtest/network", "simcloud/simtest/tenancy", "simcloud/simtest/rules"},
	"simcloud/modeltest":          {},
	"ccm":                         {"ccm/lb", "ccm/node", "ccm/route", "ccm/volume", "simcloud/client"},
	"ccm/internal/call":           {"simcloud"},
	"ccm/config":                  {"ccm/internal/call"},
	"ccm/annotation":              {"ccm/config"},
	"ccm/label":                   {},
	"ccm/providerid":              {"ccm/internal/call"},
	"ccm/lb":                      {"ccm/annotation", "ccm/label", "ccm/providerid", "ccm/internal/call"},
	"ccm/node":                    {"ccm/config", "ccm/providerid", "ccm/internal/call", "simcloud/wait"},
	"ccm/route":                   {"ccm/config", "ccm/label", "ccm/providerid", "ccm/internal/call"},
	"ccm/volume":                  {"ccm/internal/call"},
	"ccm/budget":                  {"ccm/config"},
	"ccm/internal/ccmtest":        {"ccm/annotation"},
	"e2e/process":                 {"simcloud"},
	"e2e/slots":                   {"simcloud", "simcloud/owned"},
	"e2e/control":                 {"simcloud", "simcloud/spelling"},
	"e2e/ociimage":                {},
	"ccm/deploy":                  {},
	"e2e":                         {"e2e/machine", "e2e/manager", "e2e/sweep", "e2e/slots", "simcloud/escape"},
	"e2e/gobuild":                 {"simcloud", "e2e/process"},
	"e2e/subject":                 {"e2e/gobuild"},
	"e2e/embedded":                {"e2e", "e2e/gobuild", "e2e/process", "simcloud/pki"},
	"e2e/planetest":               {"e2e/embedded", "e2e/slots", "simcloud/sim"},
	"e2e/kind":                    {"e2e", "simcloud/pki", "e2e/kind/engine", "e2e/kind/leftover"},
	"e2e/kind/engine":             {"simcloud"},
	"e2e/kind/tools":              {"simcloud"},
	"e2e/kind/tools/ociwrap":      {},
	"e2e/kind/tools/pause":        {},
	"e2e/kind/tools/testserver":   {},
	"e2e/kind/testimage":          {"e2e/kind/tools", "e2e/ociimage"},
	"e2e/kind/nodeimage":          {"e2e/embedded", "e2e/kind/tools"},
	"e2e/kind/leftover":           {"e2e/kind/engine"},
	"e2e/existing":                {"e2e"},
	"scenarios":                   {"simcloud", "scenarios/words"},
	"scenarios/html":              {},
	"scenarios/explore":           {"scenarios/run", "scenarios/reduce"},
	"scenarios/scenariotest":      {"scenarios/run", "scenarios/explore", "scenarios/simulation", "e2e/virtual", "e2e/embedded", "e2e/slots", "simcloud/sim"},
	"scenarios/mutant":            {"ccm", "scenarios/simulation", "e2e/embedded"},
	"scenarios/mutant/mutantccm":  {"scenarios/mutant", "scenarios/explore"},
	"cmd/simcloud":                {"cmd/internal/cli"},
	"cmd/internal/cli":            {"cmd/internal/cli/resource", "cmd/internal/cli/cloud", "cmd/internal/cli/lsp", "cmd/internal/cli/observe", "scenarios/conformance", "e2e/slots", "scenarios/explore", "e2e/embedded", "e2e/kind/leftover", "e2e/kind/nodeimage", "e2e/existing", "e2e/kind", "e2e/kind/testimage", "ccm", "scenarios/simulation"},
	"cmd/internal/cli/observe":    {"simcloud/console"},
	"cmd/internal/cli/exit":       {"simcloud", "simcloud/escape"},
	"cmd/internal/cli/usage":      {"cmd/internal/cli/exit"},
	"cmd/internal/cli/output":     {"cmd/internal/cli/exit"},
	"cmd/internal/cli/sandbox":    {"cmd/internal/cli/exit", "e2e/machine", "e2e/manager"},
	"cmd/internal/cli/connect":    {"cmd/internal/cli/output", "cmd/internal/cli/sandbox", "cmd/internal/cli/usage", "simcloud/client"},
	"cmd/internal/cli/lsp":        {"scenarios/language"},
	"cmd/internal/cli/resource":   {"cmd/internal/cli/connect", "simcloud/durable"},
	"cmd/internal/cli/cloud":      {"cmd/internal/cli/resource", "simcloud/console", "simcloud/sim", "simcloud/topology", "simcloud/yamlpath", "scenarios/words"},
	"cmd/simcloud-ccm":            {"ccm", "simcloud/escape"},
	"scripts/bench":               {},
	"scripts/gate":                {"e2e/planetest", "simcloud/escape"},
	"scripts/image":               {"e2e/ociimage"},
	"scenarios/words":             {"simcloud", "simcloud/spelling"},
	"scenarios/golden":            {},
	"scenarios/report":            {"scenarios", "scenarios/html", "scenarios/words", "simcloud/escape"},
	"scenarios/report/reporttest": {"scenarios"},
	"scenarios/observe":           {"scenarios/words", "simcloud/dialect", "simcloud/escape"},
	"scenarios/expr":              {"scenarios/observe", "simcloud/openapi"},
	"scenarios/syntax":            {"scenarios", "scenarios/expr", "e2e/control", "ccm/config", "simcloud/yamlpath"},
	"scenarios/step":              {"scenarios/syntax", "e2e/control", "e2e/manifest"},
	"scenarios/language":          {"scenarios/step"},
	"scenarios/step/steptest":     {"scenarios/step", "e2e", "simcloud/simtest", "simcloud/wait/waittest"},
	"scenarios/oracle":            {"scenarios", "scenarios/expr", "e2e/control"},
	"scenarios/timeline":          {"scenarios", "scenarios/observe", "e2e/control", "simcloud/redact"},
	"scenarios/profile":           {"scenarios/observe", "scenarios", "e2e/subject", "simcloud/fault"},
	"scenarios/run":               {"scenarios/profile", "scenarios/step", "scenarios/oracle", "scenarios/timeline", "scenarios/report", "e2e", "e2e/slots", "e2e/simulated/bubble"},
	"scenarios/run/runtest":       {"scenarios/run", "scenarios/step/steptest"},
	"scenarios/reduce":            {"scenarios/syntax", "simcloud/escape"},
	"scenarios/conformance":       {"scenarios/run", "scenarios/reduce"},
	"simcloud/pki":                {},
	"simcloud/edge":               {"simcloud/journal", "simcloud/fault", "simcloud/redact"},
	"simcloud/redact":             {},
	"simcloud/dialect":            {"simcloud/edge"},
	"simcloud/dialect/fields":     {},
	"simcloud/dialect/hcloud":     {"simcloud/dialect"},
	"e2e/machine":                 {"simcloud", "simcloud/wait", "e2e/control"},
	"e2e/sweep":                   {},
	"e2e/kubeconfig":              {},
	"e2e/manifest":                {"simcloud/spelling"},
	"e2e/manager":                 {"e2e/control", "e2e/virtual", "simcloud/sim", "simcloud/client", "simcloud/wire", "ccm/deploy", "e2e/process", "e2e/ociimage", "e2e/kubeconfig", "e2e/manifest", "e2e/simulated/bubble"},
	"e2e/backendtest":             {"e2e", "simcloud/wait/waittest"},
	"scripts/generate":            {"simcloud"},
	"scripts/new":                 {},
	"scripts/release":             {},
	"scripts/scoreboard":          {"scenarios/conformance"},
	"scripts/words":               {},

	"simcloud/dialect/aws":         {"simcloud/dialect/aws/elbv2", "simcloud/dialect/aws/sts"},
	"simcloud/dialect/aws/ec2":     {"simcloud/dialect/aws/service"},
	"simcloud/dialect/aws/elb":     {"simcloud/dialect/aws/ec2"},
	"simcloud/dialect/aws/elbv2":   {"simcloud/dialect/aws/elb"},
	"simcloud/dialect/aws/query":   {"simcloud"},
	"simcloud/dialect/aws/sts":     {"simcloud/dialect/aws/service"},
	"simcloud/dialect/aws/service": {"simcloud/dialect", "simcloud/dialect/aws/query"},

	"simcloud/dialect/openstack":          {"simcloud/dialect/openstack/barbican", "simcloud/dialect/openstack/keystone", "simcloud/dialect/openstack/neutron", "simcloud/dialect/openstack/nova", "simcloud/dialect/openstack/octavia"},
	"simcloud/dialect/openstack/keystone": {"simcloud/dialect/openstack/service"},
	"simcloud/dialect/openstack/neutron":  {"simcloud/dialect/openstack/service"},
	"simcloud/dialect/openstack/nova":     {"simcloud/dialect/openstack/service"},
	"simcloud/dialect/openstack/barbican": {"simcloud/dialect/openstack/service"},
	"simcloud/dialect/openstack/octavia":  {"simcloud/dialect/openstack/barbican", "simcloud/dialect/openstack/service"},
	"simcloud/dialect/openstack/service":  {"simcloud/dialect"},

	// Simulated time.
	"e2e/controllers":                   {"e2e/virtual", "ccm/volume"},
	"e2e/simulated/controllermanager":   {"e2e/simulated/kubeapi/store", "simcloud/wait"},
	"e2e/simulated/kubeapi":             {"e2e/simulated/kubeapi/store", "e2e/control"},
	"e2e/simulated/kubeapi/store":       {"simcloud"},
	"e2e/virtual":                       {},
	"simcloud/wire":                     {},
	"e2e/simulated":                     {"e2e", "e2e/controllers", "e2e/simulated/controllermanager", "e2e/simulated/kubeapi"},
	"e2e/simulated/bubble":              {},
	"scenarios/simulation":              {"scenarios/run", "e2e/simulated"},
	"e2e/simulated/kubeapi/kubeapitest": {"simcloud/wait"},
}

// stores are the packages that may know how things are kept on disk.
var stores = []string{"simcloud/store"}

func TestImportDirection(t *testing.T) {
	for pkg, imports := range goList(t, "{{.ImportPath}} {{join .Imports \" \"}}", module+"...") {
		name := strings.TrimPrefix(pkg, module)
		allowed, known := direction[name]
		if !known {
			t.Errorf("%s is not in the table: say there what it may import", name)
			continue
		}
		reach := closure(allowed)
		for _, imported := range imports {
			if own, ok := strings.CutPrefix(imported, module); ok && !slices.Contains(reach, own) {
				t.Errorf("%s imports %s: it may import %s", name, own, strings.Join(reach, ", "))
			}
			if imported == "go.etcd.io/bbolt" && !slices.Contains(stores, name) {
				t.Errorf("%s imports bbolt: only %s may know it", name, strings.Join(stores, ", "))
			}
		}
	}
}

func closure(names []string) []string {
	var reach []string
	for _, name := range names {
		reach = append(reach, name)
		reach = append(reach, closure(direction[name])...)
	}
	slices.Sort(reach)
	return slices.Compact(reach)
}

func TestModelImportsTheStandardLibraryAlone(t *testing.T) {
	for pkg := range goList(t, "{{if not .Standard}}{{.ImportPath}}{{end}}", "-deps", module+"simcloud") {
		if pkg != strings.TrimSuffix(module, "/")+"/simcloud" {
			t.Errorf("the model depends on %s", pkg)
		}
	}
}

// goList runs go list and returns the first word of each line with the words after it.
func goList(t *testing.T, format string, args ...string) map[string][]string {
	t.Helper()
	var stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), "go", append([]string{"list", "-f", format}, args...)...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.Bytes())
	}
	lines := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		if words := strings.Fields(line); len(words) > 0 {
			lines[words[0]] = words[1:]
		}
	}
	return lines
}
