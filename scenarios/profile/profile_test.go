package profile

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack"
)

// TestProfiles: each profile of simcloud can be read, and names itself as its file.
func TestProfiles(t *testing.T) {
	t.Parallel()
	for _, name := range Names() {
		p, err := Find(name)
		if err != nil || p.Name != name || p.Description == "" || p.Naming.ProviderID == "" {
			t.Errorf("%s: got %+v, %v", name, p, err)
		}
	}
	p, err := Find("hcloud=/opt/it's mine")
	if err != nil || p.Binary != "/opt/it's mine" || !p.Capabilities["nodes"] || p.Capabilities["udp"] {
		t.Errorf("got %+v, %v", p, err)
	}
	for _, word := range []string{"HCLOUD_TOKEN={credential:hcloud}", "HCLOUD_ENDPOINT={endpoint:hcloud}", "--cloud-provider=hcloud"} {
		if !slices.Contains(slices.Concat(p.Env, p.Args), word) {
			t.Errorf("the command %q lacks %s", slices.Concat(p.Env, p.Args), word)
		}
	}
	if own, err := Find("simcloud"); err != nil || own.Binary != "" || own.Capabilities != nil {
		t.Errorf("got %+v, %v", own, err)
	}
}

func TestProfilesAreRefused(t *testing.T) {
	t.Parallel()
	const good = "apiVersion: simcloud.dev/v1alpha1\nkind: Profile\nmetadata: {name: mine}\nspec: {binary: mine}\n"
	file := filepath.Join(t.TempDir(), "mine.yaml")
	if err := os.WriteFile(file, []byte(good), 0o600); err != nil {
		t.Fatal(err)
	}
	if p, err := Find(file); err != nil || p.Name != "mine" || p.Binary != "mine" {
		t.Errorf("a user's file: %+v, %v", p, err)
	}
	for text, says := range map[string]string{
		strings.Replace(good, "Profile", "Scenario", 1):                                                    `kind "Scenario"`,
		strings.Replace(good, "name: mine", "name: ''", 1):                                                 "metadata.name is missing",
		strings.Replace(good, "{binary: mine}", "{capabilities: [nods]}", 1):                               `no capability "nods"`,
		strings.Replace(good, "{binary: mine}", "{env: [HOME]}", 1):                                        `"HOME" is no assignment`,
		strings.Replace(good, "{binary: mine}", "{naming: {providerID: 'x://{uid}'}}", 1):                  "spec.naming.providerID: {uid}",
		strings.Replace(good, "{binary: mine}", "{naming: {zone: '{zone'}}", 1):                            "spec.naming.zone: {zone",
		strings.Replace(good, "{binary: mine}", "{binaries: mine}", 1):                                     "binaries",
		strings.Replace(good, "{binary: mine}", "{cloud: {uniqueNames: [load-balancer]}}", 1):              "load_balancer",
		strings.Replace(good, "{binary: mine}", "{cloud: {uniqueName: [instance]}}", 1):                    "uniqueName",
		strings.Replace(good, "{binary: mine}", "{known: [{scenario: one, issue: 'a#1', why: x}]}", 1):     `spec.known[0].issue is "a#1": want the URL of an issue`,
		strings.Replace(good, "{binary: mine}", "{known: [{scenario: one, bug: 'a/b#1', why: x}]}", 1):     `unknown field "bug"`,
		strings.Replace(good, "{binary: mine}", "{naming: {nodeName: fqdn}}", 1):                           `spec.naming.nodeName: invalid value "fqdn": must be one of name, privateDNSName, resourceName`,
		strings.Replace(good, "{binary: mine}", "{naming: {nodeName: name}, cloud: {hostnames: name}}", 1): "spec.naming.nodeName and spec.cloud.hostnames",
		strings.Replace(good, "{binary: mine}", "{naming: {targetCalls: ['octavia:Update']}}", 1):          `spec.naming.targetCalls: no dialect has an operation "octavia:Update": want names as in the journal`,
		strings.Replace(good, "{binary: mine}", "{naming: {loadBalancer: vip}}", 1):                        `spec.naming.loadBalancer: invalid value "vip": must be floatingIP, or left out`,
		strings.Replace(good, "{binary: mine}", "{rights: [{verbs: [patch]}]}", 1):                         `spec.rights[0] is no rule: want apiGroups, resources and verbs`,
		strings.Replace(good, "{binary: mine}", "{naming: {routeCalls: ['ec2:ModifyInstance']}}", 1):       `spec.naming.routeCalls: no dialect has an operation "ec2:ModifyInstance": want names as in the journal`,
		strings.Replace(good, "{binary: mine}", "{writes: [instance.label]}", 1):                           `spec.writes: no resource and no field is named "instance.label"`,
		strings.Replace(good, "{binary: mine}", "{writes: ['[']}", 1):                                      `spec.writes: no resource and no field is named "["`,
		strings.Replace(good, "{binary: mine}", "{skipOracles: [foreign]}", 1):                             `spec.skipOracles: there is no oracle "foreign": want some of foreign-kept, node-kept`,
		strings.Replace(good, "{binary: mine}", "{subject: awz}", 1):                                       `spec.subject: subject "awz" not found (have aws)`,
		strings.Replace(good, "{binary: mine}", "{subject: aws, binary: mine}", 1):                         "spec.subject and spec.binary are two programs",
		strings.Replace(good, "apiVersion: simcloud.dev/v1alpha1", "apiVersion: simcloud.dev/v2", 1):       "simcloud.dev/v2",
	} {
		if _, err := Parse("mine.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), says) || !strings.HasPrefix(err.Error(), "mine.yaml: ") {
			t.Errorf("%s\ngot %v, want an error that says %q", text, err, says)
		}
	}
	for word, says := range map[string]string{"hclod": "want one of aws, aws-nlb, hcloud, hcloud-watch-routes, openstack, openstack-node-ip, openstack-ovn, openstack-security-groups, simcloud", "hcloud=": "want hcloud=PATH", "/none.yaml": "no such file"} {
		if _, err := Find(word); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: got %v, want an error that says %q", word, err, says)
		}
	}
}

// TestLike: a profile that is like another has its entries, and adds to them or takes their place.
func TestLike(t *testing.T) {
	t.Parallel()
	const head = "apiVersion: simcloud.dev/v1alpha1\nkind: Profile\nmetadata: {name: mine}\nspec: "
	other, err := Find("aws")
	if err != nil {
		t.Fatal(err)
	}
	p, err := Parse("mine.yaml", []byte(head+"{like: aws, args: [--v=4], naming: {zone: '{id}'}, cloud: {maxRoutes: 3}, config: {b: two}, serviceAnnotations: {a: b}}"))
	if err != nil {
		t.Fatal(err)
	}
	want := other
	want.Name, want.Like, want.Args, want.Naming.Zone, want.ServiceAnnotations = "mine", "aws", slices.Concat(other.Args, []string{"--v=4"}), "{id}", map[string]string{"a": "b"}
	want.Config = map[string]string{"aws.conf": other.Config["aws.conf"], "b": "two"}
	rules, routes := *other.Cloud, 3
	rules.MaxRoutes, want.Cloud = &routes, &rules
	if diff := cmp.Diff(want, p); diff != "" {
		t.Errorf("wrong profile (-want +got):\n%s", diff)
	}
	if _, err := Parse("mine.yaml", []byte(head+"{like: awz}")); err == nil || !strings.Contains(err.Error(), `spec.like: there is no profile "awz": want one of aws`) {
		t.Errorf("a profile that does not exist: %v", err)
	}
}

// TestLikeKnown: a profile that is like another has its known failures, at their place in its file, or its own alone.
func TestLikeKnown(t *testing.T) {
	t.Parallel()
	const head = "apiVersion: simcloud.dev/v1alpha1\nkind: Profile\nmetadata: {name: mine}\nspec: {like: aws"
	other, err := Find("aws")
	if err != nil || len(other.Known) == 0 || other.Known[0].Place != "aws.yaml: spec.known[0]" {
		t.Fatalf("%v, or aws has no known failures at their place: %+v", err, other.Known)
	}
	own := scenarios.KnownFailures{{Scenario: "one", Issue: "a/b#1", Why: "x", Place: "mine.yaml: spec.known[0]"}}
	for text, want := range map[string]scenarios.KnownFailures{
		"}":            other.Known,
		", known: []}": {},
		", known: [{scenario: one, issue: 'a/b#1', why: x}]}": own,
	} {
		p, err := Parse("mine.yaml", []byte(head+text))
		if diff := cmp.Diff(want, p.Known); err != nil || diff != "" {
			t.Errorf("%s: %v, known failures (-want +got):\n%s", text, err, diff)
		}
	}
	_, err = Parse("mine.yaml", []byte(head+", known: [{scenario: one, issue: 'a/b#1'}]}"))
	if want := "spec.known[0].why is empty"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("an entry without a reason: %v, want %q: it must not have that of the other profile", err, want)
	}
}

// TestNodeName: what a profile calls its Nodes is a rule of its cloud, beside the others.
func TestNodeName(t *testing.T) {
	t.Parallel()
	const text = "apiVersion: simcloud.dev/v1alpha1\nkind: Profile\nmetadata: {name: mine}\nspec: {naming: {nodeName: %s}, cloud: {maxRoutes: 7}}\n"
	for name, want := range map[string]simcloud.HostnameForm{
		"name": simcloud.HostnameName, "privateDNSName": simcloud.HostnamePrivateDNS, "resourceName": simcloud.HostnameResourceID,
	} {
		p, err := Parse("mine.yaml", fmt.Appendf(nil, text, name))
		if err != nil || p.Cloud == nil || p.Cloud.Hostnames == nil || *p.Cloud.Hostnames != want || *p.Cloud.MaxRoutes != 7 {
			t.Errorf("%s: got %+v, %v, want %s", name, p.Cloud, err, want)
		}
	}
}

// TestDocumentedProfile: the profile that the page on testing shows can be read.
func TestDocumentedProfile(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "testing-your-ccm.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(page), "\n## A profile\n")
	_, after, _ = strings.Cut(after, "```yaml\n")
	text, _, _ := strings.Cut(after, "```")
	p, err := Parse("page.yaml", []byte(text))
	if err != nil || p.Name != "mine" || p.Cloud == nil {
		t.Errorf("%+v, %v:\n%s", p, err, text)
	}
	_, after, _ = strings.Cut(after, "like: hcloud")
	like, _, _ := strings.Cut(after, "```")
	const head = "apiVersion: simcloud.dev/v1alpha1\nkind: Profile\nmetadata: {name: mine}\nspec:\n  like: hcloud"
	p, err = Parse("page.yaml", []byte(head+like))
	if has := slices.Concat(p.Env, p.Args); err != nil || !slices.Contains(has, "HCLOUD_INSTANCES_ADDRESS_FAMILY=ipv4") || !slices.Contains(has, "HCLOUD_TOKEN={credential:hcloud}") || slices.Contains(has, "--webhook-secure-port=0") {
		t.Errorf("the profile that is like another has %q, %v", has, err)
	}
	for _, name := range Names() {
		if !strings.Contains(string(page), "`"+name+"`") {
			t.Errorf("the page does not tell of the profile %s", name)
		}
	}
}

// TestOpenStackConfig: each profile of OpenStack's CCM has what the dialect prints for clients, with settings of its own beside it. So
// the ids in it are those of the cloud.
func TestOpenStackConfig(t *testing.T) {
	t.Parallel()
	settings := func(text string) map[string]bool {
		all := map[string]bool{}
		for line := range strings.Lines(text) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, ";") {
				all[line] = true
			}
		}
		return all
	}
	printed := openstack.Describe().Files[0].Content
	filled := strings.NewReplacer("{endpoint:openstack}", "{endpoint}/openstack", "{credential:openstack.id}", "simcloud", "{credential:openstack.secret}", "{token}")
	for _, name := range []string{"openstack", "openstack-node-ip", "openstack-ovn", "openstack-security-groups"} {
		p, err := Find(name)
		if err != nil {
			t.Fatal(err)
		}
		has := settings(filled.Replace(p.Config["cloud.conf"]))
		for line := range settings(printed) {
			if !has[line] {
				t.Errorf("%s: cloud.conf lacks %q", name, line)
			}
		}
	}
}
