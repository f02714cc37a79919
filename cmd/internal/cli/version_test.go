package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/e2e/embedded"
	"github.com/simcloud-dev/simcloud/e2e/planetest"
)

// TestVersionIsStamped: the binary that make builds reports the version and the commit of the clone.
func TestVersionIsStamped(t *testing.T) {
	dir := os.Getenv(envBin)
	if dir == "" {
		planetest.Cluster(t) // not that it needs one: it links simcloud once more
		dir = t.TempDir()
		build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-ldflags", makeStamp(t), "-o", dir, "../../simcloud")
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("build: %v\n%s", err, out)
		}
	}
	simcloud := filepath.Join(dir, "simcloud")
	var r release
	if err := json.Unmarshal(outputOf(t, simcloud, "version", "-o", "json"), &r); err != nil {
		t.Fatal(err)
	}
	revision := strings.TrimSpace(string(outputOf(t, "git", "rev-parse", "HEAD")))
	if !regexp.MustCompile(`^v\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$`).MatchString(r.Version) || r.Revision != revision || r.Kubernetes != embedded.KubernetesVersion {
		t.Errorf("it reports %+v; want a version such as v1.2.3, the revision %s and Kubernetes %s", r, revision, embedded.KubernetesVersion)
	}
	if r.Modified != strings.HasSuffix(r.Version, "-dirty") {
		t.Errorf("modified is %v of version %s", r.Modified, r.Version)
	}
	for _, flag := range []string{"--version", "-v"} {
		want := "simcloud " + r.Version + " (revision " + revision + ", Kubernetes " + embedded.KubernetesVersion + ")\n"
		if got := string(outputOf(t, simcloud, flag)); got != want {
			t.Errorf("%s prints %q, want %q", flag, got, want)
		}
	}
}

// makeStamp is what make gives the linker.
func makeStamp(t *testing.T) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "make", "-s", "--no-print-directory", "-C", "../../..", "stamp")
	cmd.Env = append(os.Environ(), "MAKEFLAGS=", "MAKELEVEL=")
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("make stamp: %v\n%s", err, errs.String())
	}
	return strings.TrimSpace(string(out))
}

func outputOf(t *testing.T, program string, args ...string) []byte {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), program, args...).Output()
	if err != nil {
		t.Fatalf("%s %s: %v", program, strings.Join(args, " "), err)
	}
	return out
}

// TestVersionOfGo: without a stamp of the linker the one of Go counts, as after "go install".
func TestVersionOfGo(t *testing.T) {
	t.Parallel()
	r := release{Version: "(devel)"}
	r.stampedByGo(&debug.BuildInfo{Main: debug.Module{Version: "v1.2.3"}, Settings: []debug.BuildSetting{
		{Key: "-trimpath", Value: "true"}, {Key: "vcs.revision", Value: "abc"}, {Key: "vcs.modified", Value: "true"},
	}})
	if diff := cmp.Diff(release{Version: "v1.2.3", Revision: "abc", Modified: true}, r); diff != "" {
		t.Error(diff)
	}
	if got, want := (release{Version: "v1.2.3", Kubernetes: "v1.37.1"}).String(), "simcloud v1.2.3 (Kubernetes v1.37.1)"; got != want {
		t.Errorf("it prints %q, want %q", got, want)
	}
}

// TestVersionHasNoVariable: SIMCLOUD_VERSION is what workflows install, and no flag of the program.
func TestVersionHasNoVariable(t *testing.T) {
	t.Setenv("SIMCLOUD_VERSION", "latest")
	if code, out, errs := simcloudMain(); code != exit.CodeOK || !strings.Contains(out, "Usage:") {
		t.Errorf("code %d, %s%s", code, out, errs)
	}
}
