package main

import (
	"os"
	"slices"
	"testing"

	"github.com/simcloud-dev/simcloud/e2e/planetest"
)

func TestLabelsOf(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"scenarios/library/conformance/s15-answer-lost.yaml": "metadata:\n  name: s15-answer-lost\n  labels: {tier: conformance, area: service, clause: S15}\n",
		"scenarios/library/core/lb.yaml":                     "metadata:\n  name: lb-provisioning\n",
	}
	read := func(name string) ([]byte, error) {
		if text, ok := files[name]; ok {
			return []byte(text), nil
		}
		return nil, os.ErrNotExist
	}
	for file, want := range map[string][]string{
		"scenarios/library/conformance/s15-answer-lost.yaml": {"clause=S15"},
		"scenarios/library/core/lb.yaml":                     {"name=lb-provisioning"},
		"scenarios/library/core/deleted.yaml":                nil,
		"scenarios/run/runner.go":                            nil,
		"ccm/route/routes.go":                                {"area=route"},
		"ccm/route/routes_test.go":                           nil,
		"ccm/cloud.go":                                       {"area=node", "area=lifecycle", "area=service", "area=route", "area=process", "area=volume"},
		"ccm/internal/call/turns.go":                         {"area=node", "area=lifecycle", "area=service", "area=route", "area=process", "area=volume"},
		"ccm/internal/call/metrics.go":                       {"area=process"},
		"ccm/internal/ccmtest/services.go":                   nil,
		"ccm/health.go":                                      {"area=process"},
		"ccm/node/instances.go":                              {"area=node", "area=lifecycle"},
		"ccm/node/zones.go":                                  {"area=node"},
		"ccm/lb/family.go":                                   {"area=service"},
		"ccm/annotation/settings.go":                         {"area=service"},
		"ccm/volume/pvlabel.go":                              {"area=volume"},
		"ccm/deploy/deploy.go":                               nil,
		"cmd/simcloud-ccm/lease.go":                          {"area=process", "area=volume"},
		"ccm/deploy/role.yaml":                               nil,
	} {
		if got := labelsOf(file, read); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", file, got, want)
		}
	}
}

// repository makes a git repository of files and enters it. Its only commit was made at a time such as 2026-01-02T00:00:00Z.
func repository(t *testing.T, files map[string]string, at string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, value := range map[string]string{
		"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CEILING_DIRECTORIES": os.TempDir(),
		"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.com", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.com",
	} {
		t.Setenv(name, value)
	}
	gitOf(t, "init", "--quiet")
	commit(t, files, at)
}

// commit writes files and commits all that differs.
func commit(t *testing.T, files map[string]string, at string) {
	t.Helper()
	for name, text := range files {
		write1(t, name, text)
	}
	t.Setenv("GIT_COMMITTER_DATE", at)
	gitOf(t, "add", "--all")
	gitOf(t, "commit", "--quiet", "--message", "some")
}

func gitOf(t *testing.T, args ...string) string {
	t.Helper()
	out, err := git(t.Context(), args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// scenarioOf is a scenario of a clause.
func scenarioOf(clause string) string { return "metadata:\n  labels: {clause: " + clause + "}\n" }

// TestTouched: the change has what was committed in the last four hours and what is not committed, be it modified, staged or new.
func TestTouched(t *testing.T) {
	const folder = "scenarios/library/"
	repository(t, map[string]string{
		".gitignore": "ignored.yaml\n", folder + "old.yaml": scenarioOf("A1"), folder + "modified.yaml": scenarioOf("A2"), "ccm/route/routes.go": "package route\n",
	}, "2026-01-02T00:00:00Z")
	check := func(want ...string) {
		t.Helper()
		hash, labels, err := touched(t.Context())
		if err != nil || hash != gitOf(t, "rev-parse", "HEAD") || !slices.Equal(labels, want) {
			t.Errorf("%s %v %v, want the hash of HEAD and %v", hash, labels, err, want)
		}
	}
	check()
	write1(t, folder+"staged.yaml", scenarioOf("A3"))
	gitOf(t, "add", folder+"staged.yaml")
	check("clause=A3") // though no commit is four hours older
	commit(t, map[string]string{folder + "kept.yaml": scenarioOf("A4")}, "2026-01-02T05:00:00Z")
	commit(t, map[string]string{folder + "later.yaml": scenarioOf("A5")}, "2026-01-02T08:00:00Z")
	check("clause=A3", "clause=A4", "clause=A5")
	write1(t, folder+"modified.yaml", scenarioOf("A2")+"# more\n")
	write1(t, folder+"not known yet \u00fc.yaml", scenarioOf("A6"))
	write1(t, folder+"ignored.yaml", scenarioOf("A7"))
	if err := os.MkdirAll("ccm/node", 0o755); err != nil {
		t.Fatal(err)
	}
	gitOf(t, "mv", "ccm/route/routes.go", "ccm/node/zones.go")
	check("area=node", "area=route", "clause=A2", "clause=A3", "clause=A4", "clause=A5", "clause=A6")
}

// TestCommitIsKnown: the samples and the ledger have the hash of the commit, by day, at night and with --run.
func TestCommitIsKnown(t *testing.T) {
	for name, args := range map[string][]string{"by day": nil, "at night": {"--nightly"}, "with --run": {"--run", "^TestFlaky$", "./clusters"}} {
		t.Run(name, func(t *testing.T) {
			repository(t, tree, "2026-01-02T00:00:00Z")
			hash, dir := gitOf(t, "rev-parse", "HEAD"), gitOf(t, "rev-parse", "--show-toplevel")
			_, out := runGate(t, dir, args...)
			contains(t, "the output", out, " of "+hash)
			contains(t, "the ledger", read1(t, "ledger"), `"commit":"`+hash+`"`)
			if sample := os.Getenv(planetest.EnvSample); sample != hash {
				t.Errorf("%s is %q, want %s", planetest.EnvSample, sample, hash)
			}
		})
	}
}
