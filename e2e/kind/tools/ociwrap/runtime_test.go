package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// build builds the wrapper as dir/runc.
func build(t *testing.T, dir string) string {
	t.Helper()
	path := filepath.Join(dir, "runc")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-o", path, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}

// Two wrappers of different files stand before the runtime: each must pass on
// to the next, and none back.
func TestTheWrapperBecomesTheRuntime(t *testing.T) {
	t.Parallel()
	first, second, last := t.TempDir(), t.TempDir(), t.TempDir()
	outer := build(t, first)
	build(t, second)
	script := "#!/bin/sh\necho \"ran $0 $*\"\nexit 7\n"
	if err := os.WriteFile(filepath.Join(last, "runc"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(first, "other"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // two that call each other do not end
	defer cancel()
	cmd := exec.CommandContext(ctx, outer, "--log", "x", "delete", "c 1")
	cmd.Env = append(os.Environ(), "PATH="+strings.Join([]string{first, second, "/no/such", last}, ":"))
	out, err := cmd.CombinedOutput()
	if want := "ran " + filepath.Join(last, "runc") + " --log x delete c 1\n"; string(out) != want || cmd.ProcessState.ExitCode() != 7 {
		t.Errorf("%v: got %q, want %q and exit code 7", err, out, want)
	}
}

func TestARuntimeIsAFileThatCanBeRun(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "runc")
	if isRuntime(path, nil) {
		t.Error("it is not there")
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if isRuntime(path, nil) || isRuntime(dir, nil) {
		t.Error("neither a file without the bit nor a folder can be run")
	}
	if err := os.Chmod(path, 0o700); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Link(path, link); err != nil {
		t.Fatal(err)
	}
	if !isRuntime(path, nil) || isRuntime(path, []string{link}) {
		t.Error("want it to be a runtime, unless it is a wrapper under any name")
	}
}
