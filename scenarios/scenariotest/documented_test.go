package scenariotest_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/e2e/planetest"
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

// importsOfTests stand before the examples of Go tests.
const importsOfTests = `package mycloud_test

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

// TestDocumentedTests: the examples of docs/testing-your-ccm.md are Go tests.
func TestDocumentedTests(t *testing.T) {
	text := page(t, "testing-your-ccm.md")
	if !strings.Contains(text, "\ngo mod tidy\nCGO_ENABLED=0 go test -trimpath -v ") {
		t.Error("the page does not run its tests with the flags of make build: all of Kubernetes is compiled once more")
	}
	examples := fenced(text, "go")
	if len(examples) != 2 {
		t.Fatalf("the page has %d examples in Go, want 2", len(examples))
	}
	compiles(t, "mycloud", map[string]string{
		"mycloud.go":      providerOutside,
		"mycloud_test.go": importsOfTests + strings.Join(examples, "\n"),
	})
}

// providerWithTransport is what the example of docs/simulated.md takes for granted.
const providerWithTransport = `package mycloud

import (
	"net/http"

	cloudprovider "k8s.io/cloud-provider"
)

// NewWith opens the cloud, with which nothing can be done.
func NewWith(endpoint, tokenFile string, transport http.RoundTripper) (cloudprovider.Interface, error) {
	return nil, nil
}
`

// importsOfSimulation stand before the example of docs/simulated.md.
const importsOfSimulation = `package mycloud_test

import (
	"context"
	"testing"

	"example.com/mycloud"
	cloudprovider "k8s.io/cloud-provider"

	"github.com/simcloud-dev/simcloud/e2e/manager"
	"github.com/simcloud-dev/simcloud/scenarios/explore"
	"github.com/simcloud-dev/simcloud/scenarios/scenariotest"
)

`

// TestDocumentedSimulation: the examples of docs/simulated.md are Go tests.
func TestDocumentedSimulation(t *testing.T) {
	examples := fenced(page(t, "simulated.md"), "go")
	if len(examples) != 2 {
		t.Fatalf("the page has %d examples in Go, want 2", len(examples))
	}
	compiles(t, "mycloud", map[string]string{
		"mycloud.go":      providerWithTransport,
		"mycloud_test.go": importsOfSimulation + strings.Join(examples, "\n"),
	})
}

// promise holds the tutorial's type to the interface that it is said to implement.
const promise = `package main

import cloudprovider "k8s.io/cloud-provider"

var _ cloudprovider.InstancesV2 = instances{}
`

// TestDocumentedProvider: the files of docs/writing-a-provider.md are a program at each point where the page builds it.
func TestDocumentedProvider(t *testing.T) {
	files := map[string]string{}
	var builds int
	for _, block := range strings.Split(page(t, "writing-a-provider.md"), "\n```")[1:] {
		if text, ok := strings.CutPrefix(block, "go\n// "); ok {
			name, body, _ := strings.Cut(text, "\n")
			files[name] = body
		}
		if !strings.Contains(block, "go build ") && !strings.Contains(block, "go test ") {
			continue
		}
		if _, ok := files["instances.go"]; ok {
			files["promise.go"] = promise
		}
		builds++
		t.Run(fmt.Sprintf("Build%d", builds), func(t *testing.T) { compiles(t, "acme-ccm", files) })
	}
	if builds != 5 {
		t.Errorf("the page builds the provider %d times, want 5", builds)
	}
}

// compiles compiles a package, and links nothing: within this module, where all that it imports is in the cache, and at
// night as a reader does, in a module of its own that can import no internal package.
func compiles(t *testing.T, name string, files map[string]string) {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	t.Run("Inside", func(t *testing.T) {
		const parent = "scenarios/scenariotest" // of a folder that only the overlay has
		replace := map[string]string{}
		for file, at := range write(t, inModule(files, "github.com/simcloud-dev/simcloud/"+parent)) {
			replace[filepath.Join(root, parent, name, file)] = at
		}
		overlay, err := json.Marshal(map[string]any{"Replace": replace})
		if err != nil {
			t.Fatal(err)
		}
		at := write(t, map[string]string{"overlay.json": string(overlay)})["overlay.json"]
		compile(t, root, "-overlay="+at, "./"+path.Join(parent, name))
	})
	t.Run("Outside", func(t *testing.T) {
		planetest.Nightly(t, "the gate compiles the examples within this module")
		files := maps.Clone(files)
		files["go.mod"] = moduleOutside(read(t, filepath.Join(root, "go.mod")), "example.com/"+name, root)
		files["go.sum"] = read(t, filepath.Join(root, "go.sum"))
		compile(t, filepath.Dir(write(t, files)["go.mod"]), "-mod=mod", ".")
	})
}

// inModule returns files that import each other's package from below another path than example.com.
func inModule(files map[string]string, parent string) map[string]string {
	moved := map[string]string{}
	for name, text := range files {
		moved[name] = strings.ReplaceAll(text, `"example.com/`, `"`+parent+"/")
	}
	return moved
}

// write writes files to a new folder, and returns where each of them is.
func write(t *testing.T, files map[string]string) map[string]string {
	t.Helper()
	dir, at := t.TempDir(), map[string]string{}
	for name, text := range files {
		at[name] = filepath.Join(dir, name)
		if err := os.WriteFile(at[name], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return at
}

// compile compiles a package and its tests with the flags of this test: with others the cache has nothing that they import.
func compile(t *testing.T, dir, flag, pattern string) {
	t.Helper()
	flags, env := sameBuild(t)
	args := append([]string{"list", "-test", "-export", "-f", "{{.ImportPath}}", flag}, flags...)
	list := exec.CommandContext(t.Context(), "go", append(args, pattern)...)
	list.Dir, list.Env = dir, slices.Concat(os.Environ(), env, []string{"GOPROXY=off", "GOWORK=off"})
	if out, err := list.CombinedOutput(); err != nil {
		t.Errorf("%v:\n%s", err, out)
	}
}

// moduleOutside is the go.mod of a module that requires this one, as it is here.
func moduleOutside(own, name, root string) string {
	_, rest, _ := strings.Cut(own, "\n")
	return fmt.Sprintf("module %s\n%s\nrequire github.com/simcloud-dev/simcloud v0.0.0\n\nreplace github.com/simcloud-dev/simcloud => %s\n", name, rest, root)
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

// page returns a page of the documentation.
func page(t *testing.T, name string) string {
	t.Helper()
	return read(t, filepath.Join("..", "..", "docs", name))
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
