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
