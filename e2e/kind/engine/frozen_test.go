package engine

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestThawIsForAContainerAlone(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	if err := freezer(filepath.Join(root, "none")).thaw("c1"); err != nil {
		t.Errorf("without version 1 of cgroups: %v", err)
	}
	states := map[string]string{ // afterwards
		"docker": "FROZEN\n", "docker/c2": "FROZEN\n", "docker/c1": "THAWED\n",
		"docker/c1/pods": "THAWED", "docker/c1/pods/x": "THAWED", "system.slice/docker-c1.scope/x": "THAWED",
	}
	path := func(group string) string { return filepath.Join(root, group, "freezer.state") }
	for group, state := range states {
		if state == "THAWED" {
			state = "FROZEN\n"
		}
		if err := errors.Join(os.MkdirAll(filepath.Join(root, group), 0o700), os.WriteFile(path(group), []byte(state), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(freezer(root).thaw(""), freezer(root).thaw("c1")); err != nil {
		t.Fatal(err)
	}
	for group, want := range states {
		if got, err := os.ReadFile(path(group)); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v, want %q", group, got, err, want)
		}
	}
}
