package mutant

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/golden"
)

// TestMuseumDoc holds docs/museum.md against the mutants and the library.
func TestMuseumDoc(t *testing.T) {
	t.Parallel()
	golden.Check(t, filepath.Join("..", "..", "docs", "museum.md"), []byte(museumDoc(t, library(t))))
}

// museumDoc writes docs/museum.md.
func museumDoc(t *testing.T, named map[string]*scenarios.Scenario) string {
	var rows, others strings.Builder
	for _, mutant := range All() {
		s := named[mutant.KilledBy]
		if s == nil {
			t.Fatalf("%s: there is no scenario %q", mutant.Name, mutant.KilledBy)
		}
		scenario := fmt.Sprintf("[`%s`](../scenarios/%s)", s.Name, s.Position.File)
		if mutant.Row == "" {
			fmt.Fprintf(&others, "| `%s` | %s | %s | %s |\n", mutant.Name, escaped(mutant.Title), scenario, quote(mutant.Reason))
			continue
		}
		fmt.Fprintf(&rows, "| %s | `%s`: %s (%s) | %s | %s | %s | %s |\n", mutant.Row, mutant.Name, escaped(mutant.Title), strings.Join(links(mutant.Issues), ", "),
			escaped(mutant.Fault), escaped(mutant.Expected), scenario, quote(mutant.Reason))
	}
	return museumHead + rows.String() + museumOthers + others.String()
}

func escaped(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

func quote(text string) string { return "“…" + escaped(text) + "…”" }

// links makes links of issues such as "vsphere#479".
func links(issues []string) []string {
	var all []string
	for _, issue := range issues {
		name, number, _ := strings.Cut(issue, "#")
		name = strings.TrimSuffix(strings.TrimPrefix(name, "cloud-provider-"), " PR")
		if repo := repositories()[name]; repo != "" {
			issue = fmt.Sprintf("[%s](https://github.com/%s/issues/%s)", issue, repo, number)
		}
		all = append(all, issue)
	}
	return all
}

// repositories are those of the issues, by what they are called here.
func repositories() map[string]string {
	return map[string]string{
		"kubernetes":   "kubernetes/kubernetes",
		"aws":          "kubernetes/cloud-provider-aws",
		"azure":        "kubernetes-sigs/cloud-provider-azure",
		"cloudstack":   "apache/cloudstack-kubernetes-provider",
		"digitalocean": "digitalocean/digitalocean-cloud-controller-manager",
		"equinix":      "kubernetes-sigs/cloud-provider-equinix-metal",
		"exoscale":     "exoscale/exoscale-cloud-controller-manager",
		"gcp":          "kubernetes/cloud-provider-gcp",
		"hcloud":       "hetznercloud/hcloud-cloud-controller-manager",
		"kops":         "kubernetes/kops",
		"linode":       "linode/linode-cloud-controller-manager",
		"oci":          "oracle/oci-cloud-controller-manager",
		"openstack":    "kubernetes/cloud-provider-openstack",
		"outscale":     "outscale/cloud-provider-osc",
		"proxmox":      "sergelogvinov/proxmox-cloud-controller-manager",
		"scaleway":     "scaleway/scaleway-cloud-controller-manager",
		"tencent":      "TencentCloud/tencentcloud-cloud-controller-manager",
		"vsphere":      "kubernetes/cloud-provider-vsphere",
		"vultr":        "vultr/vultr-cloud-controller-manager",
	}
}

// TestIssuesHaveLinks fails for an issue of a repository that the table lacks. What has no number is a place in code.
func TestIssuesHaveLinks(t *testing.T) {
	t.Parallel()
	for _, mutant := range All() {
		for i, link := range links(mutant.Issues) {
			if strings.Contains(link, "#") && !strings.HasPrefix(link, "[") {
				t.Errorf("%s: the issue %q is not a name of the table, # and a number", mutant.Name, mutant.Issues[i])
			}
		}
	}
}

const museumHead = `<!-- Written by "go generate ./scenarios" from scenarios/mutant and the scenarios: do not edit. -->

# The regression corpus

Failures that cloud controller managers (CCMs) really had, each with a scenario that provokes it. To run the corpus against any CCM:

    simcloud test -l tier=museum --ccm "./my-ccm --kubeconfig={kubeconfig} …" --report out/
    simcloud test -l name=node-deleted-on-401

Each scenario is proven by a mutant in ` + "[`scenarios/mutant`](../scenarios/mutant)" + `: a provider with the historical bug. The scenario must fail
with its mutant and report what the last column quotes, and it must pass with ` + "`simcloud-ccm`" + `. To see one fail:

    go build -o bin/ ./scenarios/mutant/mutantccm && bin/mutantccm --list
    simcloud test -l name=node-deleted-on-401 --ccm "bin/mutantccm --bug node-deleted-on-401 {flags}"

| # | mutant | fault | a CCM must | scenario | caught |
|---|---|---|---|---|---|
`

const museumOthers = `
## Other mutants

No issue is behind these. They prove other scenarios and the oracles.

| mutant | what is wrong | scenario | caught |
|---|---|---|---|
`
