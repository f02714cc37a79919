package profile

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// likeHead begins a profile of a test, up to its spec.
const likeHead = "apiVersion: simcloud.dev/v1alpha1\nkind: Profile\nmetadata: {name: mine}\nspec: "

// TestLikeAddsOne: a profile that sets one variable or one flag has all others of the profile that it is like.
func TestLikeAddsOne(t *testing.T) {
	t.Parallel()
	other, err := Find("hcloud")
	if err != nil {
		t.Fatal(err)
	}
	change := func(list []string, from, to string) []string {
		at := slices.Index(list, from)
		if at < 0 {
			t.Fatalf("%q has no %s", list, from)
		}
		if to == "" {
			return slices.Delete(slices.Clone(list), at, at+1)
		}
		return slices.Replace(slices.Clone(list), at, at+1, to)
	}
	for text, want := range map[string]struct{ args, env []string }{
		"env: [HCLOUD_INSTANCES_ADDRESS_FAMILY=ipv4]": {other.Args, change(other.Env, "HCLOUD_INSTANCES_ADDRESS_FAMILY=dualstack", "HCLOUD_INSTANCES_ADDRESS_FAMILY=ipv4")},
		"env: [HCLOUD_NEW=a=b]":                       {other.Args, append(slices.Clone(other.Env), "HCLOUD_NEW=a=b")},
		"env: [HCLOUD_METRICS_ENABLED-]":              {other.Args, change(other.Env, "HCLOUD_METRICS_ENABLED=false", "")},
		"env: []":                                     {other.Args, other.Env},
		"env:":                                        {other.Args, other.Env},
		"args: [--leader-elect=true]":                 {change(other.Args, "--leader-elect=false", "--leader-elect=true"), other.Env},
		"args: [-leader_elect]":                       {change(other.Args, "--leader-elect=false", "-leader_elect"), other.Env},
		"args: [--webhook-secure-port-]":              {change(other.Args, "--webhook-secure-port=0", ""), other.Env},
		"args: [--v=4, word, --v=5]":                  {slices.Concat(other.Args, []string{"--v=4", "word", "--v=5"}), other.Env},
		"args: [--new, '4', '-', '--']":               {slices.Concat(other.Args, []string{"--new", "4", "-", "--"}), other.Env},
	} {
		p, err := Parse("mine.yaml", []byte(likeHead+"\n  like: hcloud\n  "+text))
		if err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if diff := cmp.Diff(want.args, p.Args); diff != "" {
			t.Errorf("%s: args (-want +got):\n%s", text, diff)
		}
		if diff := cmp.Diff(want.env, p.Env); diff != "" {
			t.Errorf("%s: env (-want +got):\n%s", text, diff)
		}
	}
}

// TestWatchRoutes: the variant of hcloud has the flags for routes that Hetzner publishes, and everything else of hcloud.
func TestWatchRoutes(t *testing.T) {
	t.Parallel()
	other, err := Find("hcloud")
	if err != nil {
		t.Fatal(err)
	}
	p, err := Find("hcloud-watch-routes")
	if err != nil {
		t.Fatal(err)
	}
	want := other
	want.Name, want.Like, want.Description = "hcloud-watch-routes", "hcloud", p.Description
	want.Args = slices.Concat(other.Args, []string{"--feature-gates=CloudControllerManagerWatchBasedRoutesReconciliation=true"})
	want.Args[slices.Index(want.Args, "--route-reconciliation-period=1s")] = "--route-reconciliation-period=30s"
	if diff := cmp.Diff(want, p); diff != "" {
		t.Errorf("wrong profile (-want +got):\n%s", diff)
	}
}

// TestLikeReplaces: what stands for the same thing is replaced, and not joined by the other.
func TestLikeReplaces(t *testing.T) {
	t.Parallel()
	p, err := Parse("mine.yaml", []byte(likeHead+"{like: aws, binary: ./mine, rights: [{apiGroups: [a], resources: [b], verbs: [c]}], cloud: {hostnames: name, maxRoutes: null}, config: {aws.conf: null}}"))
	if err != nil {
		t.Fatal(err)
	}
	if p.Binary != "./mine" || p.Subject != "" || len(p.Rights) != 1 || *p.Cloud.Hostnames != simcloud.HostnameName || p.Cloud.MaxRoutes != nil || len(p.Config) != 0 {
		t.Errorf("got %+v", p)
	}
	p, err = Parse("mine.yaml", []byte(likeHead+"{like: hcloud, subject: aws, naming: {region: null}}"))
	if err != nil || p.Subject != "aws" || p.Binary != "" || p.Naming.Region != "" || p.Naming.ProviderID == "" {
		t.Errorf("got %+v, %v", p, err)
	}
}

// TestLikeAtAnyDepth: a profile may be like one that is itself like another, of simcloud or a file.
func TestLikeAtAnyDepth(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, spec string) string {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(likeHead+spec), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	nlb, err := Find("aws-nlb")
	if err != nil {
		t.Fatal(err)
	}
	write("two.yaml", "{like: aws-nlb, args: [--v=2], env: [A=two]}")
	p, err := Find(write("deeper/one.yaml", "{like: ../two.yaml, args: [--v=1]}"))
	if err != nil {
		t.Fatal(err)
	}
	want := nlb
	want.Name, want.Like, want.Args, want.Env = "mine", "../two.yaml", slices.Concat(nlb.Args, []string{"--v=1"}), slices.Concat(nlb.Env, []string{"A=two"})
	if diff := cmp.Diff(want, p); diff != "" {
		t.Errorf("wrong profile (-want +got):\n%s", diff)
	}
	a := write("a.yaml", "{like: b.yaml}")
	b := write("b.yaml", "{like: ./a.yaml}")
	if _, err := Find(a); err == nil || !strings.Contains(err.Error(), "spec.like leads back to where it began: "+a+" is like "+b+" is like "+a) {
		t.Errorf("two profiles that are like each other: %v", err)
	}
	if _, err := Find(write("self.yaml", "{like: self.yaml}")); err == nil || !strings.Contains(err.Error(), "leads back") {
		t.Errorf("a profile that is like itself: %v", err)
	}
	wrong := write("wrong.yaml", "{env: [HOME]}")
	if _, err := Find(write("c.yaml", "{like: wrong.yaml}")); err == nil || !strings.Contains(err.Error(), wrong+`: spec.env: "HOME" is no assignment`) {
		t.Errorf("a mistake in the other file: %v", err)
	}
}

func TestLikeIsRefused(t *testing.T) {
	t.Parallel()
	for spec, says := range map[string]string{
		"{like: hcloud, env: [HCLOUD_TOKN-]}":                               `spec.env: "HCLOUD_TOKN-" removes nothing: the profile that this one is like has no variable HCLOUD_TOKN (it has HCLOUD_TOKEN,`,
		"{like: hcloud, args: [--leader-elct-]}":                            `spec.args: "--leader-elct-" removes nothing: the profile that this one is like has no flag --leader-elct`,
		"{like: simcloud, env: [A-]}":                                       "has no variable A (it has none)",
		"{like: hcloud, env: [HCLOUD_TOKEN-, HCLOUD_TOKEN=x]}":              `"HCLOUD_TOKEN-" removes a variable that is set as well`,
		"{like: hcloud, env: [HCLOUD_TOKEN]}":                               `spec.env: "HCLOUD_TOKEN" is no assignment`,
		"{like: hcloud, args: [--node-monitor-period, 1s]}":                 `the flag --node-monitor-period is replaced, and whether "1s" is its value is not known: want --node-monitor-period=1s`,
		"{binary: mine, args: [--v-]}":                                      `spec.args: "--v-" removes a flag, and this profile is like no other`,
		"{binary: mine, env: [A-]}":                                         `spec.env: "A-" is no assignment`,
		"{like: none.yaml}":                                                 "spec.like: open none.yaml: no such file",
		"{like: aws, rights: [{apiGroups: [a], verbs: [c]}]}":               "spec.rights[0] is no rule",
		"{like: aws, subject: aws, binary: mine}":                           "spec.subject and spec.binary are two programs",
		"{like: aws, naming: {nodeName: name}, cloud: {hostnames: 'name'}}": "spec.naming.nodeName and spec.cloud.hostnames",
		"{like: aws, arg: [--v=1]}":                                         `unknown field "arg"`,
	} {
		if _, err := Parse("mine.yaml", []byte(likeHead+spec)); err == nil || !strings.Contains(err.Error(), says) || !strings.HasPrefix(err.Error(), "mine.yaml: ") {
			t.Errorf("%s: got %v, want an error that says %q", spec, err, says)
		}
	}
}
