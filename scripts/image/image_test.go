package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func made(t *testing.T, args ...string) (archive []byte) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "image.tar")
	var stderr strings.Builder
	if code := run(append([]string{"-o", path}, args...), &stderr); code != exitOK {
		t.Fatalf("exit code %d: %s", code, &stderr)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// unpacked returns the files of a tar archive.
func unpacked(t *testing.T, from io.Reader) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	in := tar.NewReader(from)
	for {
		header, err := in.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		if files[header.Name], err = io.ReadAll(in); err != nil {
			t.Fatal(err)
		}
	}
}

func read[T any](t *testing.T, raw []byte) (v T) {
	t.Helper()
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	return v
}

// TestArchive finds in the archive what the flags say, and the binary as the entry point.
func TestArchive(t *testing.T) {
	t.Parallel()
	binary := filepath.Join(t.TempDir(), "simcloud-ccm")
	if err := os.WriteFile(binary, []byte("a binary"), 0o600); err != nil {
		t.Fatal(err)
	}
	files := unpacked(t, bytes.NewReader(made(t, "-binary", binary, "-tag", "localhost:5000/ccm:v1.2.3", "-platform", "linux/arm64")))
	manifest := read[[]struct {
		Config           string
		RepoTags, Layers []string
	}](t, files["manifest.json"])[0]
	config := read[struct {
		Architecture string
		Config       struct {
			User       string
			Entrypoint []string
			Labels     map[string]string
		}
	}](t, files[manifest.Config])
	if manifest.RepoTags[0] != "localhost:5000/ccm:v1.2.3" || config.Architecture != "arm64" || config.Config.User != user ||
		config.Config.Labels["org.opencontainers.image.version"] != "v1.2.3" {
		t.Errorf("%+v, config %+v", manifest, config)
	}
	zip, err := gzip.NewReader(bytes.NewReader(files[manifest.Layers[0]]))
	if err != nil {
		t.Fatal(err)
	}
	root := unpacked(t, zip)
	if string(root[strings.TrimPrefix(config.Config.Entrypoint[0], "/")]) != "a binary" || len(root) != 1 {
		t.Errorf("the root has %d files, and %q as the entry point", len(root), root["simcloud-ccm"])
	}
}

// TestImageOfFolder: simcloud is the entry point, with the others beside it, and may write to its home and to /tmp.
func TestImageOfFolder(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for _, name := range programs {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	files := unpacked(t, bytes.NewReader(made(t, "-folder", folder, "-tag", "simcloud:v1.2.3")))
	manifest := read[[]struct {
		Config           string
		RepoTags, Layers []string
	}](t, files["manifest.json"])[0]
	config := read[struct {
		Config struct {
			User            string
			Entrypoint, Env []string
		}
	}](t, files[manifest.Config]).Config
	if manifest.RepoTags[0] != "simcloud:v1.2.3" || config.User != user || config.Entrypoint[0] != "/usr/local/bin/simcloud" ||
		!slices.Contains(config.Env, "PATH=/usr/local/bin") || !slices.Contains(config.Env, "HOME=/home/simcloud") {
		t.Errorf("%+v, config %+v", manifest, config)
	}
	zip, err := gzip.NewReader(bytes.NewReader(files[manifest.Layers[0]]))
	if err != nil {
		t.Fatal(err)
	}
	modes := map[string]int64{}
	for in := tar.NewReader(zip); ; {
		header, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if folder := header.Typeflag == tar.TypeDir; folder != strings.HasSuffix(header.Name, "/") {
			t.Errorf("%s is a folder: %v", header.Name, folder)
		}
		modes[header.Name] = header.Mode
	}
	want := map[string]int64{
		"tmp/": 0o1777, "home/simcloud/": 0o1777,
		"usr/local/bin/simcloud": 0o755, "usr/local/bin/simcloud-ccm": 0o755, "usr/local/bin/simcloud-kube": 0o755,
	}
	if !maps.Equal(modes, want) {
		t.Errorf("the root has %v, want %v", modes, want)
	}
}

// TestTwoBuildsAreTheSame: to the byte, and with nothing of this machine.
func TestTwoBuildsAreTheSame(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds the provider twice: left out by -short")
	}
	first, second := made(t, "-tag", "ccm:v1"), made(t, "-tag", "ccm:v1")
	if !bytes.Equal(first, second) {
		t.Error("two builds differ")
	}
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	files := unpacked(t, bytes.NewReader(first))
	for path, content := range files {
		zip, err := gzip.NewReader(bytes.NewReader(content))
		if err != nil {
			continue // no layer
		}
		plain, err := io.ReadAll(zip)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(plain, []byte(here)) {
			t.Errorf("%s has the path %s in it", path, here)
		}
	}
}

func TestMistakes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"-bogus"}, exitUsage, "-bogus"},
		{[]string{"stray"}, exitUsage, "stray: there are only flags"},
		{[]string{"-binary", "a", "-folder", "b"}, exitUsage, "-binary and -folder cannot be combined"},
		{[]string{"-o", filepath.Join(t.TempDir(), "image.tar"), "-folder", t.TempDir()}, exitFailed, "-folder: open "},
		{[]string{"-platform", "windows/amd64"}, exitFailed, "linux/amd64 or another"},
		{[]string{"-o", filepath.Join(t.TempDir(), "image.tar"), "-binary", "none"}, exitFailed, "open none"},
	} {
		var stderr strings.Builder
		if code := run(c.args, &stderr); code != c.code || !strings.Contains(stderr.String(), c.want) {
			t.Errorf("%v: exit code %d, %q; want %d, %q", c.args, code, &stderr, c.code, c.want)
		}
	}
}

func TestVersion(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"ccm": "latest", "ccm:v1": "v1", "localhost:5000/ccm": "latest", "localhost:5000/a/ccm:v2": "v2"} {
		if got := version(name); got != want {
			t.Errorf("version(%q) = %q, want %q", name, got, want)
		}
	}
}

// What the builder's machine is set to makes no other binary.
func TestEnvironment(t *testing.T) {
	t.Parallel()
	for name, value := range map[string]string{"GOAMD64": "v3", "GOARM64": "v9.0", "GOEXPERIMENT": "synchashtriemap", "CGO_ENABLED": "1", "GOFLAGS": "-tags=x"} {
		effective := ""
		for _, each := range environment([]string{name + "=" + value}, "amd64") {
			if set, is := strings.CutPrefix(each, name+"="); is {
				effective = set // the last one counts
			}
		}
		if effective == value {
			t.Errorf("%s=%s of the builder is used", name, value)
		}
	}
}
