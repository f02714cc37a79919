package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
)

// TestLogsOfAClusterThatDoesNotStart: they are beside the report, where the documents send people whose environment fails.
func TestLogsOfAClusterThatDoesNotStart(t *testing.T) {
	kube, report := fakeKube(t, "echo there is no room; exit 1"), filepath.Join(t.TempDir(), "out")
	code, out, errs := simcloudMain("test", "-l", "name=node-deletion", "--ccm", "none", "--kube", kube, "--report", report)
	if code != exit.CodeEnvironment {
		t.Fatalf("the exit code is %d, want %d\n%s%s", code, exit.CodeEnvironment, out, errs)
	}
	// Which part of the control plane is the first to end is a matter of who is quicker.
	for name, want := range map[string]string{"*.log": "there is no room", harnessLog: "level=INFO"} {
		found, err := filepath.Glob(filepath.Join(report, "logs", "cluster-1-*-not-started", name))
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %v, %q", name, err, found)
		}
		if !strings.Contains(readAll(t, found), want) {
			t.Errorf("none of %q says %q", found, want)
		}
	}
}

// readAll returns the texts of files.
func readAll(t *testing.T, paths []string) string {
	t.Helper()
	var all strings.Builder
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}
