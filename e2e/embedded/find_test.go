package embedded

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/simcloud-dev/simcloud/e2e/gobuild"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// program writes an executable file. No child is forked meanwhile: until it executes
// its own program it would hold the file open, which could not be executed ("text file busy").
func program(t *testing.T, path, script string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// isolate gives the test an empty cache, no $SIMCLOUD_KUBE, and a go command
// that is this script ("": there is no such command). It returns the cached binary's path.
func isolate(t *testing.T, script string) string {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv(EnvKube, "")
	bin := t.TempDir()
	if script != "" {
		program(t, filepath.Join(bin, "go"), script)
	}
	for _, tool := range []string{"sh", "touch", "chmod", "sleep", "cat"} {
		if err := os.Symlink(filepath.Join("/bin", tool), filepath.Join(bin, tool)); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", bin)
	path, err := component(binaryName, ".").Path()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// goodGo builds a binary from whatever it is given: go build ... -o OUT .
const goodGo = `[ "$1" = build ] || exit 0
[ -f go.mod ] && [ -f main.go ] && [ -f go.sum ] || { echo "no sources in $PWD"; exit 1; }
[ "$CGO_ENABLED" = 0 ] || exit 1
echo run >> "$COUNT"
while [ "$1" != -o ]; do shift; done
echo '#!/bin/sh' > "$2" && chmod 755 "$2"
`

func TestFindOrder(t *testing.T) {
	cached := isolate(t, "")
	program(t, cached, "")
	inEnv := program(t, filepath.Join(t.TempDir(), "env"), "")
	inFlag := program(t, filepath.Join(t.TempDir(), "flag"), "")

	t.Setenv(EnvKube, inEnv)
	for _, tt := range []struct{ flag, want string }{{inFlag, inFlag}, {"", inEnv}} {
		if got, err := Find(t.Context(), FindOptions{Flag: tt.flag}); got != tt.want || err != nil {
			t.Errorf("flag %q: got %q, %v, want %q", tt.flag, got, err, tt.want)
		}
	}
	t.Setenv(EnvKube, "")
	if got, err := Find(t.Context(), FindOptions{}); got != cached || err != nil {
		t.Errorf("got %q, %v, want the cached %q", got, err, cached)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	next := program(t, filepath.Join(filepath.Dir(self), binaryName), "")
	defer os.Remove(next) //nolint:errcheck // it is in the test's build folder
	if got, err := Find(t.Context(), FindOptions{}); filepath.Base(got) != binaryName || got == cached || err != nil {
		t.Errorf("got %q, %v, want the one next to %s", got, err, self)
	}
}

func TestFindNamedButWrong(t *testing.T) {
	isolate(t, goodGo)
	notExecutable := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(notExecutable, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/no/such/file", notExecutable, t.TempDir()} {
		_, err := Find(t.Context(), FindOptions{Flag: path})
		if !errors.Is(err, simcloud.Invalid) || !strings.Contains(err.Error(), "--kube") || !strings.Contains(err.Error(), path) {
			t.Errorf("flag %s: got %v, want Invalid that names --kube and the path", path, err)
		}
		t.Setenv(EnvKube, path)
		if _, err = Find(t.Context(), FindOptions{}); !errors.Is(err, simcloud.Invalid) || !strings.Contains(err.Error(), "$"+EnvKube) {
			t.Errorf("environment %s: got %v, want Invalid that names the variable", path, err)
		}
	}
}

// TestBuildTogether lets several want the same binary: it is built once, and all get it.
func TestBuildTogether(t *testing.T) {
	cached := isolate(t, goodGo)
	count := filepath.Join(t.TempDir(), "count")
	t.Setenv("COUNT", count)
	var mu sync.Mutex
	var said []string
	progress := func(line string) {
		mu.Lock()
		defer mu.Unlock()
		said = append(said, line)
	}
	var builders sync.WaitGroup
	for range 5 {
		builders.Go(func() {
			if got, err := Build(t.Context(), progress); got != cached || err != nil {
				t.Errorf("got %q, %v, want %q", got, err, cached)
			}
		})
	}
	builders.Wait()
	if runs, err := os.ReadFile(count); string(runs) != "run\n" {
		t.Errorf("built %d times (%v)", strings.Count(string(runs), "run"), err)
	}
	all := strings.Join(said, "\n")
	for _, want := range []string{"Kubernetes " + KubernetesVersion, "about 8 minutes", "built simcloud-kube in"} {
		if !strings.Contains(all, want) {
			t.Errorf("progress does not say %q: %s", want, all)
		}
	}
	if err := gobuild.Executable(cached); err != nil {
		t.Error(err)
	}
}

func TestBuildFails(t *testing.T) {
	tests := map[string]struct {
		script string
		want   []string
	}{
		"NoGo":  {"", []string{"no go command on the PATH", "install Go 1.26", "--kube", EnvKube}},
		"OldGo": {"echo 'go: go.mod requires go >= 1.26.0 (running go 1.22.1; GOTOOLCHAIN=local)' >&2; exit 1", []string{"running go 1.22.1", "install Go 1.26", EnvKube}},
		"Broken": {`[ "$1" = build ] || exit 0
echo 'pkg/x.go:1:1: broken'; exit 1`, []string{"pkg/x.go:1:1: broken", "build.log", "exit status 1"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			cached := isolate(t, tt.script)
			_, err := Find(t.Context(), FindOptions{})
			if !errors.Is(err, simcloud.Unavailable) {
				t.Fatalf("got %v, want Unavailable", err)
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("no %q in: %v", want, err)
				}
			}
			if gobuild.Executable(cached) == nil {
				t.Error("left a binary")
			}
			_, err = BuildProxy(t.Context(), nil)
			if !errors.Is(err, simcloud.Unavailable) || !strings.Contains(err.Error(), "kube-proxy") || strings.Contains(err.Error(), "simcloud-kube") {
				t.Errorf("the build of kube-proxy: %v, want Unavailable that names it", err)
			}
		})
	}
}

// TestBuildCancelled proves that Ctrl-C ends a build, and that the next one starts again.
func TestBuildCancelled(t *testing.T) {
	isolate(t, `[ "$1" = build ] || exit 0
echo begun >> "$COUNT"; sleep 1000`)
	t.Setenv("COUNT", filepath.Join(t.TempDir(), "count"))
	for range 2 {
		ctx, cancel := context.WithCancelCause(t.Context())
		interrupted := errors.New("interrupted")
		_, err := Build(ctx, func(string) { cancel(interrupted) })
		if !errors.Is(err, interrupted) {
			t.Errorf("got %v, want %v", err, interrupted)
		}
	}
}

// TestContentHash is what keeps an old binary from being used for new sources.
func TestContentHash(t *testing.T) {
	before := ContentHash()
	old := sources
	defer func() { sources = old }()
	sources = append([]byte(fmt.Sprintln("// changed")), old...)
	if ContentHash() == before {
		t.Error("other sources have the same hash")
	}
}

// TestReleaseBuildsTheSame: what a release ships as simcloud-kube is built as Build does it.
func TestReleaseBuildsTheSame(t *testing.T) {
	text, err := os.ReadFile("../../.goreleaser.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var config struct {
		Builds []struct {
			ID, Dir, Main, Binary string
			Flags, Ldflags        []string
		}
	}
	if err := yaml.Unmarshal(text, &config); err != nil {
		t.Fatal(err)
	}
	for _, b := range config.Builds {
		if b.Binary != binaryName {
			continue
		}
		args := append(append([]string{"build"}, b.Flags...), "-ldflags", strings.Join(b.Ldflags, " "))
		if want := buildArgs(); b.Dir != "e2e/kube" || b.Main != "." || !slices.Equal(args, want) {
			t.Errorf("it builds %s of %s with %q, want . of e2e/kube with %q", b.Main, b.Dir, args, want)
		}
		return
	}
	t.Errorf("%s has no build of %s", ".goreleaser.yaml", binaryName)
}
