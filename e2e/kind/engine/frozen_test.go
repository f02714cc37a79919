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

// What is thawed is found by a part of its path, which a name may be of another container's.
func TestANameIsNoID(t *testing.T) {
	const id = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	path := filepath.Join(t.TempDir(), "docker")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n[ \"$6\" != 'name=^there$' ] || echo "+id+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	e := &Engine{path: path}
	for container, want := range map[string]string{"there": id, "gone": "", id: id} {
		if got, err := e.id(t.Context(), container); err != nil || got != want {
			t.Errorf("%s: got %q, %v, want %q", container, got, err, want)
		}
	}
}
