package main

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/e2e/planetest"
)

// goreleaser is a configuration as that of this project, for two small programs, one in a module of its own.
const goreleaser = `version: 2
project_name: p
dist: dist
builds:
- {id: hello, main: ./cmd, binary: hello, goos: [linux], goarch: [amd64, arm64], env: [CGO_ENABLED=0], flags: [-trimpath],
   ldflags: [-s -w, "-X main.version=v{{ .Version }} -X main.commit={{ .FullCommit }}"]}
- {id: kube, dir: nested, main: ., binary: kube, goos: [linux], goarch: [amd64, arm64], env: [CGO_ENABLED=0], flags: [-trimpath]}
archives:
- {formats: [tar.gz], name_template: "p_{{ .Version }}_{{ .Os }}_{{ .Arch }}", wrap_in_directory: "true", files: [LICENSE]}
checksum: {name_template: checksums.txt, algorithm: sha256}
`

const hello = "package main\n\nvar version, commit string\n\nfunc main() { println(version, commit) }\n"

// project writes the files of a project with that configuration.
func project(t *testing.T, config string) string {
	t.Helper()
	root := t.TempDir()
	for name, content := range map[string]string{
		".goreleaser.yaml": config, "LICENSE": "free", "go.mod": "module p\n", "cmd/main.go": hello,
		"nested/go.mod": "module kube\n", "nested/main.go": hello,
	} {
		path := filepath.Join(root, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(content), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// released runs release and returns the paths that it prints.
func released(t *testing.T, args ...string) []string {
	t.Helper()
	var stdout, stderr strings.Builder
	if code := run(args, &stdout, &stderr); code != exitOK {
		t.Fatalf("exit code %d: %s", code, &stderr)
	}
	return strings.Fields(stdout.String())
}

// unpack unpacks an archive as tar does. It returns what it wrote, by name.
func unpack(t *testing.T, archive, into string) map[string]os.FileMode {
	t.Helper()
	file, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	zip, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	modes := map[string]os.FileMode{}
	for in := tar.NewReader(zip); ; {
		header, err := in.Next()
		if errors.Is(err, io.EOF) {
			return modes
		}
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(into, filepath.FromSlash(header.Name)) //nolint:gosec // of our own archive
		out, err := createFile(path, header.FileInfo().Mode())
		if err == nil {
			_, err = io.Copy(out, in) //nolint:gosec // of our own archive
			err = errors.Join(err, out.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
		modes[header.Name] = header.FileInfo().Mode()
	}
}

func createFile(path string, mode os.FileMode) (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	return os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_EXCL, mode)
}

// TestRelease: each platform has an archive with all programs, stamped, and the files; checksums are of the archives and of their bills of
// materials.
func TestRelease(t *testing.T) {
	t.Parallel()
	root, into := project(t, goreleaser), t.TempDir()
	made := released(t, "-root", root, "-version", "v1.2.3", "-commit", "abc", "-platform", "all")
	dist := filepath.Join(root, "dist")
	if got, want := strings.Join(made, " "), filepath.Join(dist, "p_1.2.3_linux_amd64.tar.gz")+" "+filepath.Join(dist, "p_1.2.3_linux_amd64.cdx.json")+" "+
		filepath.Join(dist, "p_1.2.3_linux_arm64.tar.gz")+" "+filepath.Join(dist, "p_1.2.3_linux_arm64.cdx.json")+" "+filepath.Join(dist, "checksums.txt"); got != want {
		t.Fatalf("made\n%s, want\n%s", got, want)
	}
	name := "p_1.2.3_linux_" + runtime.GOARCH
	modes := unpack(t, filepath.Join(dist, name+".tar.gz"), into)
	if len(modes) != 4 || modes[name+"/NOTICES.txt"] != 0o644 || modes[name+"/hello"] != 0o755 || modes[name+"/kube"] != 0o755 || modes[name+"/LICENSE"] != 0o644 {
		t.Errorf("the archive has %v", modes)
	}
	out, err := exec.CommandContext(t.Context(), filepath.Join(into, name, "hello")).CombinedOutput()
	if err != nil || string(out) != "v1.2.3 abc\n" {
		t.Errorf("%v: it prints %q", err, out)
	}
	check := exec.CommandContext(t.Context(), "sha256sum", "--check", "--strict", "checksums.txt")
	check.Dir = dist
	if out, err := check.CombinedOutput(); err != nil || strings.Count(string(out), ": OK\n") != 4 {
		t.Errorf("%v: %s", err, out)
	}
}

// TestReleaseOfBuiltProgram: a program that is built already is taken as it is.
func TestReleaseOfBuiltProgram(t *testing.T) {
	t.Parallel()
	root, into := project(t, goreleaser), t.TempDir()
	built := filepath.Join(into, "built", "kube")
	build := exec.CommandContext(t.Context(), "go", "build", "-ldflags=-X main.version=built", "-o", built, ".")
	build.Dir = filepath.Join(root, "nested")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	made := released(t, "-root", root, "-o", filepath.Join(into, "dist"), "-version", "v1.2.3", "-built", built)
	unpack(t, made[0], into)
	out, err := exec.CommandContext(t.Context(), filepath.Join(into, "p_1.2.3_linux_"+runtime.GOARCH, "kube")).CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), "built ") {
		t.Errorf("%v: %q", err, out)
	}
}

func TestMistakes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change, to string
		args       []string
		code       int
		want       string
	}{
		"flag":     {"", "", []string{"-bogus"}, exitUsage, "-bogus"},
		"argument": {"", "", []string{"-version", "v1", "stray"}, exitUsage, "unexpected argument stray"},
		"version":  {"", "", []string{"-version", "1.2.3"}, exitUsage, `invalid -version "1.2.3": must begin with v`},
		"platform": {"", "", []string{"-version", "v1", "-platform", "plan9/amd64"}, exitFailed, "must be all or one of linux/amd64, linux/arm64"},
		"key":      {"dist: dist", "dist: dist\nsigns: []", []string{"-version", "v1"}, exitFailed, `unknown field "signs"`},
		"format":   {"formats: [tar.gz]", "formats: [zip]", []string{"-version", "v1"}, exitFailed, "invalid archives[0].formats: must be [tar.gz]"},
		"field":    {"{{ .FullCommit }}", "{{ .Commit }}", []string{"-version", "v1"}, exitFailed, "linux/" + runtime.GOARCH + ": hello: ldflags: "},
		"source":   {"main: ./cmd", "main: ./none", []string{"-version", "v1"}, exitFailed, "hello: go build ./none"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := project(t, strings.Replace(goreleaser, c.change, c.to, 1))
			var stderr strings.Builder
			if code := run(append([]string{"-root", root}, c.args...), io.Discard, &stderr); code != c.code || !strings.Contains(stderr.String(), c.want) {
				t.Errorf("exit code %d, %q; want %d, %q", code, &stderr, c.code, c.want)
			}
		})
	}
}

// TestConfigOfThisProject: release knows what .goreleaser.yaml has, and all programs go into each archive.
func TestConfigOfThisProject(t *testing.T) {
	t.Parallel()
	c, err := loadConfig("../../.goreleaser.yaml")
	if err != nil {
		t.Fatal(err)
	}
	binaries := map[string]int{}
	for _, b := range c.Builds {
		for _, platform := range c.platforms() {
			if b.has(platform) {
				binaries[b.Binary]++
			}
		}
	}
	for _, name := range []string{"simcloud", "simcloud-ccm", "simcloud-kube"} {
		if binaries[name] != 2 || len(c.platforms()) != 2 {
			t.Errorf("%s is built for %d of the platforms %v, want linux/amd64 and linux/arm64", name, binaries[name], c.platforms())
		}
	}
}

// TestSnapshot unpacks the archive of a snapshot where there is neither Go nor a cache: simcloud reports its version, and finds
// the simcloud-kube beside it.
func TestSnapshot(t *testing.T) {
	planetest.Nightly(t, "TestRelease builds a small project, and TestReleaseBuildsTheSame compares how Kubernetes is built")
	dir := t.TempDir()
	made := released(t, "-root", "../..", "-o", filepath.Join(dir, "dist"), "-version", "v1.2.3-test", "-commit", "abc")
	unpack(t, made[0], dir)
	folder := filepath.Join(dir, "simcloud_1.2.3-test_linux_"+runtime.GOARCH)
	for args, want := range map[string]string{
		"--version": "simcloud v1.2.3-test (revision abc, Kubernetes v",
		"kube path": filepath.Join(folder, "simcloud-kube") + "\n",
	} {
		cmd := exec.CommandContext(t.Context(), filepath.Join(folder, "simcloud"), strings.Fields(args)...)
		cmd.Env = []string{"HOME=" + filepath.Join(dir, "home"), "XDG_CACHE_HOME=" + filepath.Join(dir, "cache"), "PATH="}
		if out, err := cmd.CombinedOutput(); err != nil || !strings.HasPrefix(string(out), want) {
			t.Errorf("simcloud %s: %v: %s; want %s", args, err, out, want)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "cache")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("something was built into the cache: %v", err)
	}
}
