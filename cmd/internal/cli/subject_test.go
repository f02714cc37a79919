package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
)

// fakeGo puts a go command into PATH that is a script, and gives the test an empty cache.
func fakeGo(t *testing.T, script string) {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	bin := t.TempDir()
	t.Setenv("PATH", bin+":/bin:/usr/bin")
	syscall.ForkLock.RLock() // a child that is forked meanwhile would hold the file open, which could not be run then
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(filepath.Join(bin, "go"), []byte("#!/bin/sh\n[ \"$1\" = build ] || exit 0\n"+script), 0o700); err != nil {
		t.Fatal(err)
	}
}

// TestSubjectBuild: a subject is built, the profile that names it finds the program, and before that the error of
// the profile has the command that builds it.
func TestSubjectBuild(t *testing.T) {
	fakeGo(t, "while [ \"$1\" != -o ]; do shift; done\nprintf '#!/bin/sh\\n' > \"$2\" && chmod 755 \"$2\"\n")
	t.Setenv("SIMCLOUD_KUBE", "/no/such/kube") // what comes after the program is found
	mine := profileFile(t, "{subject: aws, args: [--x]}")
	code, _, errs := simcloudMain("test", "--profile", mine)
	if code != exit.CodeEnvironment || !strings.Contains(errs, `is not built: build it with "simcloud subject build aws", or name a binary by --profile mine=PATH`) {
		t.Errorf("before the build: code %d, %s", code, errs)
	}
	var listed []subjectState
	if code, out, errs := simcloudMain("subject", "list", "-o", "json"); code != exit.CodeOK || json.Unmarshal([]byte(out), &listed) != nil || len(listed) == 0 || listed[0].Name != "aws" || listed[0].Built {
		t.Errorf("before the build: code %d, %s, %s", code, out, errs)
	}
	code, path, errs := simcloudMain("subject", "build", "aws")
	if code != exit.CodeOK || !strings.Contains(errs, "building aws-cloud-controller-manager") || path != listed[0].Path+"\n" {
		t.Fatalf("the build: code %d, %q, %s; want the path %s", code, path, errs, listed[0].Path)
	}
	var built subjectState
	if code, out, errs := simcloudMain("subject", "build", "aws", "-o", "json"); code != exit.CodeOK || json.Unmarshal([]byte(out), &built) != nil || !built.Built || built.Path+"\n" != path || errs != "" {
		t.Errorf("once more: code %d, %s, %s", code, out, errs)
	}
	if code, out, _ := simcloudMain("subject", "list"); code != exit.CodeOK || !strings.Contains(out, "yes") || !strings.Contains(out, built.Version) {
		t.Errorf("after the build: code %d, %s", code, out)
	}
	if code, _, errs := simcloudMain("test", "--profile", mine); code != exit.CodeUsage || !strings.Contains(errs, "/no/such/kube") || strings.Contains(errs, "not built") {
		t.Errorf("after the build: code %d, %s", code, errs)
	}
}

func TestSubjectRefusesWhatItDoesNotKnow(t *testing.T) {
	fakeGo(t, "echo 'main.go:1:1: broken'; exit 1\n")
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"subject", "build"}, exit.CodeUsage, "missing argument: simcloud subject build NAME"},
		{[]string{"subject", "build", "awz"}, exit.CodeUsage, `subject "awz" not found (have aws)`},
		{[]string{"subject", "biuld", "aws"}, exit.CodeUsage, "did you mean build?"},
		{[]string{"subject", "build", "aws"}, exit.CodeEnvironment, "main.go:1:1: broken"},
	} {
		if code, out, errs := simcloudMain(c.args...); code != c.code || !strings.Contains(errs, c.says) || out != "" {
			t.Errorf("%v: code %d, %q, %s; want %d and %q", c.args, code, out, errs, c.code, c.says)
		}
	}
}
