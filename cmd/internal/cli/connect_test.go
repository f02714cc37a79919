package cli

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/sandbox"
)

// TestTokenFileOfASandbox: whoever gives a token to a sandbox's cloud is not its admin.
func TestTokenFileOfASandbox(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Setenv("SIMCLOUD_TOKEN_FILE", "")
	t.Setenv("SIMCLOUD_ENDPOINT", "")
	var got string
	cloud := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r.Header.Get("Authorization")
		http.Error(w, "no", http.StatusTeapot)
	}))
	t.Cleanup(cloud.Close)
	file := func(secret string) string {
		path := filepath.Join(t.TempDir(), "token")
		if err := os.WriteFile(path, []byte(secret), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	runs(t, testSandbox(t, sandbox.Default), sandbox.State{Name: sandbox.Default, Endpoint: cloud.URL, TokenFile: file("admin")})
	simcloudMain("region", "list")
	if got != "Bearer admin" {
		t.Errorf("without a token: %q", got)
	}
	simcloudMain("region", "list", "--token-file", file("reader"))
	if got != "Bearer reader" {
		t.Errorf("with --token-file: %q", got)
	}
}

// TestEndpointOfAnEarlierSandbox: the variables of "simcloud env" are those of its sandbox, which may have been started
// again since. A variable of the user's own counts as it is.
func TestEndpointOfAnEarlierSandbox(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	called := ""
	serve := func(name string) string {
		cloud := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			called = name
			http.Error(w, "no", http.StatusTeapot)
		}))
		t.Cleanup(cloud.Close)
		return cloud.URL
	}
	s := testSandbox(t, sandbox.Default)
	state := sandbox.State{Name: s.Name, Endpoint: serve("now"), TokenFile: s.Path("token")}
	lock := runs(t, s, state)
	other := filepath.Join(t.TempDir(), "token")
	for _, file := range []string{state.TokenFile, other} {
		if err := os.WriteFile(file, []byte("secret"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("SIMCLOUD_TOKEN", "")
	t.Setenv("SIMCLOUD_SANDBOX", s.Name)
	t.Setenv("SIMCLOUD_ENDPOINT", serve("before"))
	t.Setenv("SIMCLOUD_TOKEN_FILE", state.TokenFile)
	list := func(want string, args ...string) {
		t.Helper()
		called = ""
		if simcloudMain(append([]string{"region", "list"}, args...)...); called != want {
			t.Errorf("%q calls the cloud %q, want %q", args, called, want)
		}
	}
	list("now")
	list("given", "--endpoint", serve("given"))
	t.Setenv("SIMCLOUD_TOKEN_FILE", other)
	list("before")
	t.Setenv("SIMCLOUD_TOKEN_FILE", state.TokenFile)
	if err := lock.Release(); err != nil {
		t.Fatal(err)
	}
	list("before")
}
