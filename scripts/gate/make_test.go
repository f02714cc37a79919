package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// fakeGo writes its arguments to the file calls and fails when they match $FAILS.
const fakeGo = `#!/bin/sh
case "$1" in env) exec "$REAL_GO" "$@" ;; esac
echo "$*" >>"$CALLS"
! echo "$*" | grep -Eq -- "$FAILS"
`

// fakeSimcloud writes its arguments to the same file, and says where Kubernetes is.
const fakeSimcloud = `#!/bin/sh
echo "simcloud $*" >>"$CALLS"
case "$*" in "kube path") echo cache/simcloud-kube ;; esac
`

// fakeLint writes its arguments and its folder to the same file, and fails when the folder matches $FAILS.
const fakeLint = `#!/bin/sh
echo "lint $* in ${PWD#$ROOT/}" >>"$CALLS"
! echo "lint in $PWD" | grep -Eq -- "$FAILS"
`

// lintedModule is the nested module for which the linters run at night.
const lintedModule = "simcloud/dialect/aws/sdktest"

// makeWithout runs a target of the Makefile in a folder of its own, with a go command that does nothing but fail for arguments
// that match a pattern. It returns the calls of that command, what make printed, and whether make succeeded.
func makeWithout(t *testing.T, fails string, args ...string) (calls []string, out string, ok bool) {
	t.Helper()
	goCommand, err := exec.LookPath("go")
	if err == nil {
		_, err = exec.LookPath("make")
	}
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, name := range []string{"Makefile", "scripts/fuzz"} {
		write1(t, filepath.Join(dir, name), read1(t, filepath.Join("../..", name)))
	}
	write1(t, filepath.Join(dir, "p", "f_test.go"), "package p\n\nfunc FuzzA(f *testing.F) {}\n\nfunc FuzzB(f *testing.F) {}\n")
	write1(t, filepath.Join(dir, "out", "museum.txt"), "of an earlier night\n")
	write1(t, filepath.Join(dir, "fake", "go"), fakeGo)
	write1(t, filepath.Join(dir, "bin", "simcloud"), fakeSimcloud)
	write1(t, filepath.Join(dir, "fake", "lint"), fakeLint)
	write1(t, filepath.Join(dir, lintedModule, "go.mod"), "module m\n")
	write1(t, filepath.Join(dir, "bin", "simcloud-ccm"), "the CCM")
	write1(t, filepath.Join(dir, "cache", "simcloud-kube"), "Kubernetes")
	for _, name := range []string{"fake/go", "fake/lint", "bin/simcloud", "scripts/fuzz"} {
		if err := os.Chmod(filepath.Join(dir, name), 0o700); err != nil { //nolint:gosec // it is run
			t.Fatal(err)
		}
	}
	file := filepath.Join(dir, "calls")
	write1(t, file, "")
	make := exec.CommandContext(t.Context(), "make", append(args, "GOLANGCI="+filepath.Join(dir, "fake", "lint"))...)
	make.Dir = dir
	make.Env = append(os.Environ(), "PATH="+filepath.Join(dir, "fake")+string(filepath.ListSeparator)+os.Getenv("PATH"),
		"REAL_GO="+goCommand, "CALLS="+file, "ROOT="+dir, "FAILS="+fails, "MAKEFLAGS=", "MAKELEVEL=", "RETRIES=", "KILLS=", "FLIPS=", "FUZZ=", "FUZZTIME=", "HCLOUD=", "OPENSTACK=", "HCLOUD_VERSION=", "OPENSTACK_VERSION=", "PREFIX=")
	printed, err := make.CombinedOutput()
	if _, err := os.Stat(filepath.Join(dir, "out", "museum.txt")); err == nil && slices.Contains(args, "nightly") {
		t.Error("the matrix of an earlier night is still there")
	}
	return strings.Split(read1(t, file), "\n"), string(printed), err == nil
}

// called reports whether a call matches a pattern.
func called(calls []string, pattern string) bool {
	return slices.ContainsFunc(calls, regexp.MustCompile(pattern).MatchString)
}

// TestMakeNightly: all parts run when one fails, each fuzz target too, and make then fails. The matrix begins empty.
func TestMakeNightly(t *testing.T) {
	parts := []string{
		`^lint run .* in ` + lintedModule + `$`, `^run .*scripts/gate --nightly`, `-fuzz \^FuzzA\$ -fuzztime 1m`, `-fuzz \^FuzzB\$ -fuzztime 1m`, `\^TestFlips\$`, `\^TestCrashes\$`,
	}
	for _, fails := range append(parts[1:], "^lint in .*/sdktest$", "^nothing does$") {
		calls, out, ok := makeWithout(t, fails, "nightly")
		if ok != (fails == "^nothing does$") {
			t.Errorf("%s fails: make succeeds: %v\n%s", fails, ok, out)
		}
		for _, part := range parts {
			if !called(calls, part) {
				t.Errorf("%s fails: %s has not run:\n%s", fails, part, out)
			}
		}
		for _, profile := range []string{"aws", "aws-nlb"} {
			if !called(calls, `^simcloud test --profile `+profile+` -l tier=core `) {
				t.Errorf("%s fails: the CCM of the profile %s has not run:\n%s", fails, profile, out)
			}
		}
		if strings.Contains(fails, "Fuzz") && !strings.Contains(out, "these targets failed:\n  p Fuzz") {
			t.Errorf("%s fails: the end does not name it:\n%s", fails, out)
		}
	}
}

// TestMakeWantsBinary: what runs a CCM of another cloud reports which variable is missing before it calls anything.
func TestMakeWantsBinary(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"hcloud"}, `HCLOUD is missing: must be the path of a built hcloud-cloud-controller-manager, as in "make hcloud HCLOUD=`},
		{[]string{"scoreboard", "HCLOUD_VERSION=v1"}, `as in "make scoreboard HCLOUD=`},
		{[]string{"scoreboard", "HCLOUD=" + program}, `as in "make scoreboard OPENSTACK=`},
		{[]string{"hcloud", "HCLOUD=" + filepath.Dir(program)}, "which is no program"},
		{[]string{"openstack"}, `OPENSTACK is missing: must be the path of a built openstack-cloud-controller-manager, as in "make openstack OPENSTACK=`},
		{[]string{"openstack", "OPENSTACK=" + filepath.Dir(program)}, "which is no program"},
		{[]string{"scoreboard", "HCLOUD=" + program, "OPENSTACK=" + program}, "HCLOUD_VERSION is missing: must be the version of HCLOUD"},
		{[]string{"scoreboard", "HCLOUD=" + program, "OPENSTACK=" + program, "HCLOUD_VERSION=v1"}, "OPENSTACK_VERSION is missing: must be the version of OPENSTACK"},
	} {
		calls, out, ok := makeWithout(t, "^nothing does$", test.args...)
		if ok || !strings.Contains(out, test.want) || len(calls) != 1 {
			t.Errorf("make %s: succeeds: %v, calls %q, want none and %q:\n%s", strings.Join(test.args, " "), ok, calls, test.want, out)
		}
	}
	calls, out, ok := makeWithout(t, "^nothing does$", "hcloud", "HCLOUD="+program)
	if !ok || !called(calls, `^simcloud test --profile hcloud=`+regexp.QuoteMeta(program)+` `) {
		t.Errorf("with a program make hcloud calls %q:\n%s", calls, out)
	}
	calls, out, ok = makeWithout(t, "^nothing does$", "openstack", "OPENSTACK="+program)
	if !ok || !called(calls, `^simcloud test --profile openstack-node-ip=.* tier=core `) || !called(calls, `^simcloud test --profile openstack=`+regexp.QuoteMeta(program)+` .*tier=dialect `) ||
		!called(calls, `^simcloud test --profile openstack-security-groups=`+regexp.QuoteMeta(program)+` .*tier=dialect `) {
		t.Errorf("with a program make openstack calls %q:\n%s", calls, out)
	}
	calls, out, ok = makeWithout(t, "^nothing does$", "scoreboard", "HCLOUD="+program, "OPENSTACK="+program, "HCLOUD_VERSION=v1", "OPENSTACK_VERSION=v2")
	if !ok || !called(calls, `^simcloud conformance .*--profile hcloud=`+regexp.QuoteMeta(program)+` `) || !called(calls, `hcloud@v1=.* openstack@v2=`) {
		t.Errorf("with a program make scoreboard calls %q:\n%s", calls, out)
	}
}

// TestKindRetries: what fails on kind is run once more in the gate and never at night.
func TestKindRetries(t *testing.T) {
	for target, want := range map[string][]string{
		"kind":         {`^simcloud test .*name in.*zone-down.* --retries 1 `, `^simcloud test .*name=.* --retries 1 `, `^run .*scripts/gate +--report`},
		"kind-nightly": {`^simcloud test .*tier in.* --retries 0 `, `^simcloud test .*name=.* --retries 0 `},
	} {
		calls, out, ok := makeWithout(t, "^nothing does$", target)
		if !ok {
			t.Errorf("make %s fails:\n%s", target, out)
		}
		for _, pattern := range want {
			if !called(calls, pattern) {
				t.Errorf("make %s has no call like %s:\n%s", target, pattern, strings.Join(calls, "\n"))
			}
		}
	}
	if calls, out, _ := makeWithout(t, "^nothing does$", "kind-backend", "RETRIES=0"); !called(calls, `scripts/gate --nightly --report`) {
		t.Errorf("make kind-backend RETRIES=0 retries:\n%s", out)
	}
}

// TestMakeHelp: the list has each line of the Makefile that documents a target, and each of these is a target.
func TestMakeHelp(t *testing.T) {
	makefile := read1(t, "../../Makefile")
	_, out, ok := makeWithout(t, "^nothing does$", "help")
	if !ok {
		t.Fatal(out)
	}
	documented := regexp.MustCompile(`(?m)^## ([a-z-]+): (.*)$`).FindAllStringSubmatch(makefile, -1)
	if len(documented) < 20 || len(documented) != strings.Count(makefile, "\n## ") {
		t.Errorf("%d lines begin with ##, and %d of them document a target", strings.Count(makefile, "\n## "), len(documented))
	}
	for _, line := range documented {
		if !regexp.MustCompile(`(?m)^` + line[1] + ` +` + regexp.QuoteMeta(line[2]) + `$`).MatchString(out) {
			t.Errorf("make help does not list %s:\n%s", line[1], out)
		}
		if !strings.Contains(makefile, "\n"+line[1]+":") || !regexp.MustCompile(`(?m)^\.PHONY:.* `+line[1]+`( |$)`).MatchString(makefile) {
			t.Errorf("%s is documented, and is no target that always runs", line[1])
		}
	}
}

// TestMakeInstall: the programs come to the folder of Go's programs, or below a prefix with Kubernetes. When the PATH lacks
// the folder, make prints how to add it.
func TestMakeInstall(t *testing.T) {
	gobin, gopath, prefix := t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "a prefix")
	inPath := filepath.Join(gopath, "bin")
	t.Setenv("GOPATH", gopath+":/elsewhere")
	t.Setenv("PATH", inPath+":"+os.Getenv("PATH"))
	for _, test := range []struct {
		gobin  string
		args   []string
		folder string
		kube   bool
	}{
		{gobin, nil, gobin, false},
		{"", nil, inPath, false},
		{gobin, []string{"PREFIX=" + prefix}, filepath.Join(prefix, "bin"), true},
	} {
		t.Setenv("GOBIN", test.gobin)
		_, out, ok := makeWithout(t, "^nothing does$", append([]string{"install"}, test.args...)...)
		if !ok {
			t.Fatalf("make install %v:\n%s", test.args, out)
		}
		for name, want := range map[string]bool{"simcloud": true, "simcloud-ccm": true, "simcloud-kube": test.kube} {
			file, err := os.Stat(filepath.Join(test.folder, name))
			if (err == nil) != want || err == nil && file.Mode().Perm() != 0o755 {
				t.Errorf("make install %v: %s in %s: %v; want it there as a program: %v", test.args, name, test.folder, err, want)
			}
		}
		if advice := `export PATH="` + test.folder + `:$PATH"`; strings.Contains(out, advice) != (test.folder != inPath) {
			t.Errorf("make install %v prints\n%s\nwant %s where the PATH lacks the folder", test.args, out, advice)
		}
	}
}
