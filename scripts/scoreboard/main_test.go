package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const verdict = `{"subject": "x", "score": {"passed": 1, "applicable": 2, "notApplicable": 1}, "areas": [{"name": "node", "title": "Nodes", "clauses": [
	{"id": "N01", "case": "a|b", "must": "work", "status": "passed"},
	{"id": "N02", "case": "c", "must": "stay", "status": "failed", "scenarios": [{"name": "n02-one", "status": "failed",
		"failure": {"headline": "it fell over; see /x/simcloud-test-12/cluster-3-45/logs/ccm.log:", "because": "A CCM must stay."}, "reproduction": {"file": "reproduce/n02-one.yaml", "command": "simcloud test /here/n02-one.yaml", "steps": 2, "of": 5}},
		{"name": "n02-two", "status": "failed", "failure": {"headline": "it fell", "because": "A CCM must stay."},
		"reproduction": {"file": "reproduce/n02-two.yaml", "command": "simcloud test /here/n02-two.yaml", "steps": 2, "of": 5, "runs": 10, "seen": 4}},
		{"name": "n02-three", "status": "failed", "failure": {"headline": "it fell", "because": "A CCM must stay."},
		"reproduction": {"file": "reproduce/n02-three.yaml", "command": "simcloud test /here/n02-three.yaml", "steps": 5, "of": 5, "runs": 10}}]},
	{"id": "N03", "case": "d", "must": "do", "status": "not_applicable"},
	{"id": "N04", "case": "e", "must": "ask", "status": "known_failure", "scenarios": [
		{"name": "n04-one", "status": "known_failure", "known": {"scenario": "n04-one", "issue": "acme/ccm#4", "why": "It asks once."}, "failure": {"headline": "it did not ask", "because": "A CCM must ask."}},
		{"name": "n04-two", "status": "known_failure", "known": {"scenario": "n04-two", "issue": "acme/ccm#4", "why": "It asks once."}, "failure": {"headline": "it did not ask", "because": "A CCM must ask."}},
		{"name": "n04-three", "status": "passed", "known": {"scenario": "n04-three", "issue": "acme/ccm#5", "why": "It asked never."}}]}]}]}`

// TestPage: a cell for each clause and CCM, and what shows each failure beside the page.
func TestPage(t *testing.T) {
	t.Parallel()
	report, docs := t.TempDir(), t.TempDir()
	if err := os.Mkdir(filepath.Join(report, "reproduce"), 0o700); err != nil {
		t.Fatal(err)
	}
	files := map[string]string{"conformance.json": verdict}
	for _, name := range []string{"one", "two", "three"} {
		files["reproduce/n02-"+name+".yaml"] = "# simcloud test /here/n02-" + name + ".yaml\nkind: Scenario\n"
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(report, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := run(docs, []string{"mine@v1.2=" + report}); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(docs, "scoreboard.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{
		"| mine | v1.2 | 1 of 2 applicable clauses (50 %), 1 not applicable |", "| N01 | a&#124;b | work | passed |",
		"| N02 | c | stay | [**failed**](#mine-n02) |", "| N04 | e | ask | [known failure](#mine-n04) [acme/ccm&#35;&#8203;4](https://github.com/acme/ccm/issues/4) |",
		"### mine N04", "`n04-one` failed: it did not ask.\nIt is known: [acme/ccm&#35;&#8203;4](https://github.com/acme/ccm/issues/4): It asks once.\n", "-l name=n04-two", "| N03 | d | do | – |", "### mine N02", "A CCM must stay.", "it fell over; see logs/ccm.log.",
		"\n[n02-one.yaml](scoreboard/mine/n02-one.yaml) shows it in 2 of 5 steps:\n",
		"\n[n02-two.yaml](scoreboard/mine/n02-two.yaml) shows it in 2 of 5 steps, in 4 of 10 runs:\n",
		"\nThe failure was seen once. [n02-three.yaml](scoreboard/mine/n02-three.yaml), with 5 of 5 steps, did not show it again in 10 runs:\n",
		"simcloud test --profile mine docs/scoreboard/mine/n02-one.yaml", "\n## What they do differently\n",
	} {
		if !strings.Contains(string(page), part) {
			t.Errorf("the page lacks %q:\n%s", part, page)
		}
	}
	kept, err := os.ReadFile(filepath.Join(docs, "scoreboard", "mine", "n02-one.yaml"))
	if want := "# yaml-language-server: $schema=../../../scenarios/schema.json\n# simcloud test --profile mine docs/scoreboard/mine/n02-one.yaml\nkind: Scenario\n"; err != nil || string(kept) != want {
		t.Errorf("the scenario is %q, %v, want %q", kept, err, want)
	}
}

func TestArgumentsAreRefused(t *testing.T) {
	t.Parallel()
	for arg, says := range map[string]string{"": "NAME@VERSION=FOLDER", "mine=out": "NAME@VERSION=FOLDER", "mine@1=" + t.TempDir(): "conformance.json"} {
		if err := run(t.TempDir(), []string{arg}); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want an error that says %q", arg, err, says)
		}
	}
}
