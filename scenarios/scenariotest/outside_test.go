package scenariotest_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
)

// providerOutside is what the examples of the documentation take for granted.
const providerOutside = `package mycloud

import (
	"os"

	cloudprovider "k8s.io/cloud-provider"
)

// New opens the cloud, with which nothing can be done.
func New(endpoint, tokenFile string) (cloudprovider.Interface, error) {
	_, err := os.ReadFile(tokenFile)
	return nil, err
}
`

// TestDocumentedTests: the examples of docs/testing-your-ccm.md are Go tests of a
// module that is not this one, and need nothing but what a module can import.
func TestDocumentedTests(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	page := read(t, filepath.Join(root, "docs", "testing-your-ccm.md"))
	imports := `package mycloud_test

import (
	"context"
	"os"
	"testing"

	"example.com/mycloud"
	cloudprovider "k8s.io/cloud-provider"

	"github.com/simcloud-dev/simcloud/e2e/manager"
	"github.com/simcloud-dev/simcloud/scenarios/scenariotest"
)

func runMyCCM(args []string) int { return len(args) }

`
	examples := fenced(page, "go")
	if len(examples) != 2 {
		t.Fatalf("the page has %d examples in Go, want 2", len(examples))
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":          moduleOutside(read(t, filepath.Join(root, "go.mod")), root),
		"go.sum":          read(t, filepath.Join(root, "go.sum")),
		"mycloud.go":      providerOutside,
		"mycloud_test.go": imports + strings.Join(examples, "\n"),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	flags, env := sameBuild(t)
	args := append([]string{"list", "-mod=mod", "-test", "-export", "-f", "{{.ImportPath}}"}, flags...)
	build := exec.CommandContext(t.Context(), "go", append(args, "./...")...) // compiles, and links nothing
	build.Dir, build.Env = dir, slices.Concat(os.Environ(), env, []string{"GOPROXY=off", "GOWORK=off"})
	out, err := build.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "example.com/mycloud_test") {
		t.Errorf("%v:\n%s", err, out)
	}
}

// moduleOutside is the go.mod of a module that requires this one, as it is here.
func moduleOutside(own, root string) string {
	_, rest, _ := strings.Cut(own, "\n")
	return fmt.Sprintf("module example.com/mycloud\n%s\nrequire github.com/simcloud-dev/simcloud v0.0.0\n\nreplace github.com/simcloud-dev/simcloud => %s\n", rest, root)
}

// sameBuild are the flags and the environment with which what this test was built of is in the cache.
func sameBuild(t *testing.T) (flags, env []string) {
	t.Helper()
	info, ok := debug.ReadBuildInfo()
	if !ok {
		t.Fatal("this test does not know how it was built")
	}
	for _, setting := range info.Settings {
		switch setting.Key {
		case "-trimpath", "-race":
			flags = append(flags, setting.Key+"="+setting.Value)
		case "CGO_ENABLED":
			env = append(env, setting.Key+"="+setting.Value)
		}
	}
	return flags, env
}

// fenced returns the blocks of a language of a page.
func fenced(page, language string) []string {
	var blocks []string
	for _, part := range strings.Split(page, "```"+language+"\n")[1:] {
		block, _, _ := strings.Cut(part, "```")
		blocks = append(blocks, block)
	}
	return blocks
}

func read(t *testing.T, path string) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
