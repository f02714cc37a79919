package main

import (
	"io"
	"os/exec"
	"strings"
	"testing"
)

// TestExplore: random histories find a mutant. The last line counts the mutants that were found.
func TestExplore(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: this runs histories")
	}
	out, err := exec.CommandContext(t.Context(), programOf(t), "explore", "--bugs", "stopped-taken-for-gone", "--seeds", "1", "--time", "1m").CombinedOutput()
	for _, want := range []string{`"bug":"stopped-taken-for-gone","seed":1,"found":true`, "1 of 1 mutants are found by at least half of 1 seeds within 1m0s"} {
		if err != nil || !strings.Contains(string(out), want) {
			t.Errorf("%v, want %s in\n%s", err, want, out)
		}
	}
}

// TestExploreUnusable: wrong flags are refused before anything runs.
func TestExploreUnusable(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ args, says string }{
		{"--seeds 0", "invalid --seeds 0: must be 1 or more"},
		{"--time 0s", "invalid --time 0s: must be positive"},
		{"--bugs no-such-bug", "--bugs: "},
		{"labels-rewritten", `unexpected argument "labels-rewritten": mutants are named by --bugs`},
	} {
		err := exploreMutants(t.Context(), strings.Fields(c.args), io.Discard, io.Discard)
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: got %v, want %s", c.args, err, c.says)
		}
	}
}
