package cli

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestLSPInNeovim: Neovim's own client, which is not of this project, shows mistakes, completes and explains.
func TestLSPInNeovim(t *testing.T) {
	t.Parallel()
	nvim, err := exec.LookPath("nvim")
	if err != nil {
		t.Skip("there is no nvim: install the package neovim")
	}
	dir := t.TempDir()
	file, answers := filepath.Join(dir, "a.yaml"), filepath.Join(dir, "answers.json")
	text := "apiVersion: simcloud.dev/v1alpha1\nkind: Scenario\nmetadata:\n  name: a\nspec:\n  description: A test.\n  steps:\n    - expect: nods.size() == 1\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), nvim, "--headless", "-u", "NONE", "-i", "NONE", "-n", "-c", "luafile testdata/lsp/session.lua")
	cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_STATE_HOME="+dir, "XDG_CACHE_HOME="+dir, "XDG_DATA_HOME="+dir,
		"SIMCLOUD_LSP_SESSION="+strings.Join([]string{"simcloud", file, answers}, "\n"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("nvim: %v\n%s", err, out)
	}
	raw, err := os.ReadFile(answers)
	if err != nil {
		t.Fatal(err)
	}
	var found struct {
		Error, Missed, Hover string
		Mistakes, Proposals  []string
	}
	if err := json.Unmarshal(raw, &found); err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	if found.Error != "" {
		t.Fatalf("the session failed: %s", raw)
	}
	if len(found.Mistakes) != 1 || !strings.Contains(found.Mistakes[0], `("nodes"?)`) {
		t.Errorf("Neovim shows %q", found.Mistakes)
	}
	if !slices.Contains(found.Proposals, "state") || slices.Contains(found.Proposals, "taints") {
		t.Errorf("Neovim proposes %q", found.Proposals)
	}
	if !strings.Contains(found.Hover, "**instances**") {
		t.Errorf("Neovim explains: %q", found.Hover)
	}
}
