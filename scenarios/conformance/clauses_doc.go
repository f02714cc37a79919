package conformance

import (
	"fmt"
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/scenarios"
)

// Labels of the scenarios of the conformance suite.
const (
	labelTier   = "tier"
	labelClause = "clause"
	labelLimit  = "limit"

	tierConformance = "conformance"
	limitUpstream   = "upstream"
)

// clauseStatus is how a clause stands: which scenarios check it, and what they can say.
type clauseStatus struct {
	clause
	scenarios []*scenarios.Scenario
}

// status says in a word or two how the clause is checked.
func (s clauseStatus) status() string {
	switch {
	case len(s.scenarios) == 0 && s.Packets:
		return "needs packets"
	case len(s.scenarios) == 0:
		return "not checked"
	case slices.ContainsFunc(s.scenarios, isUpstreamLimit):
		return "checked; limits of upstream"
	case s.Packets:
		return "checked, on kind"
	default:
		return "checked"
	}
}

// isUpstreamLimit reports whether a scenario asserts what k8s.io/cloud-provider
// does today, where one would want something else.
func isUpstreamLimit(s *scenarios.Scenario) bool { return s.Labels[labelLimit] == limitUpstream }

// clauseStatuses finds the scenarios of each clause of an area.
func clauseStatuses(area clauseArea, all []*scenarios.Scenario) []clauseStatus {
	var statuses []clauseStatus
	for _, c := range area.Clauses {
		status := clauseStatus{clause: c}
		for _, s := range all {
			if s.Labels[labelClause] == c.ID {
				status.scenarios = append(status.scenarios, s)
			}
		}
		statuses = append(statuses, status)
	}
	return statuses
}

// conformanceDoc writes docs/conformance.md.
func conformanceDoc(all []*scenarios.Scenario) string {
	var b strings.Builder
	b.WriteString(conformanceHead)
	writeCapabilities(&b)
	for _, area := range clauses() {
		fmt.Fprintf(&b, "\n## %s: %s\n\n| clause | when | a CCM must | status | source |\n|---|---|---|---|---|\n", area.Letter, area.Title)
		statuses := clauseStatuses(area, all)
		for _, s := range statuses {
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", s.ID, s.Case, s.Must, s.status(), s.Source)
		}
		writeScenarios(&b, statuses)
	}
	return b.String()
}

func writeCapabilities(b *strings.Builder) {
	b.WriteString("| capability | a CCM that declares it |\n|---|---|\n")
	for _, c := range scenarios.Capabilities() {
		fmt.Fprintf(b, "| `%s` | %s |\n", c.Name, c.Doc)
	}
}

func writeScenarios(b *strings.Builder, statuses []clauseStatus) {
	b.WriteString("\n| clause | scenario | needs | what it checks |\n|---|---|---|---|\n")
	for _, status := range statuses {
		seen := map[string]bool{} // of what a matrix makes of one file, the first stands for all
		for _, s := range status.scenarios {
			if seen[s.Base] {
				continue
			}
			seen[s.Base] = true
			limit := ""
			if isUpstreamLimit(s) {
				limit = "**A limit of upstream.** "
			}
			fmt.Fprintf(b, "| %s | [`%s`](../scenarios/%s) | %s | %s%s |\n", status.ID, s.Base, s.Position.File, strings.Join(s.Capabilities, ", "), limit,
				strings.ReplaceAll(strings.Join(strings.Fields(s.Description), " "), "|", `\|`))
		}
	}
}

const conformanceHead = `<!-- Written by "go generate ./scenarios" from scenarios/conformance/clauses.go and the scenarios: do not edit. -->

# Conformance

What a cloud controller manager (CCM) must do, clause by clause, and which scenario checks it. All clauses, for any CCM, with a
verdict on each, a score, and for each failure a short scenario file that shows it:

    simcloud conformance --ccm "./my-ccm --kubeconfig={kubeconfig} …" --capabilities caps.yaml --report out/

[testing-your-ccm.md](testing-your-ccm.md) has an example for each kind of CCM: a command, an image, a part of a Go test. One clause
alone, as any other scenarios:

    simcloud test -l clause=N01 --ccm "./my-ccm --kubeconfig={kubeconfig} …"

*Checked* means that at least one scenario holds the clause against a real CCM process on a real Kubernetes control plane, and
that CI runs it with ` + "`simcloud-ccm`" + `, which passes. *Limits of upstream* are scenarios that assert a shortcoming of
k8s.io/cloud-provider, which each describes. *Needs packets* is for the kind backend. In the last column, a name and
a number is an issue or pull request: kubernetes/kubernetes, the CCM of a cloud (openstack is kubernetes/cloud-provider-openstack,
aws kubernetes/cloud-provider-aws, and so on), or the tool named.

## Capabilities

Not every CCM can do everything. What yours can do stands in the file of ` + "`--capabilities`" + `; without one, everything is
expected. A scenario that needs what is not declared does not apply to a CCM, nor does a clause all of whose scenarios do not.
"simcloud conformance capabilities -o yaml" writes a file with all, to take from. The metrics are those that k8s.io/cloud-provider has
since 0.37, and rest_client_requests_total, which a CCM has that imports ` + "`k8s.io/component-base/metrics/prometheus/clientgo`" + `.

`
