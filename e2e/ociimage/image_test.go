package ociimage

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func example() Image {
	return Image{
		Name: "localhost:5000/web:v1.2.3", Title: "web", Version: "v1.2.3", Architecture: "arm64", User: "65532:65532",
		Entrypoint: []string{"/web"}, Command: []string{"serve"}, Environment: []string{"PATH=/"}, Ports: []string{"80/tcp"},
		Files: []File{{"web", 0o755, []byte("a binary")}, {"etc/passwd", 0o644, nil}},
	}
}

func written(t *testing.T, img Image) []byte {
	t.Helper()
	var archive bytes.Buffer
	if err := img.Write(&archive); err != nil {
		t.Fatal(err)
	}
	return archive.Bytes()
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
		if header.ModTime.Unix() != 0 || header.Uid != 0 || header.Uname != "" {
			t.Errorf("%s has the time %s and the owner %d %q of this machine", header.Name, header.ModTime, header.Uid, header.Uname)
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

func pathOf(digest string) string { return "blobs/sha256/" + strings.TrimPrefix(digest, "sha256:") }

type descriptor struct {
	Digest      string
	Annotations map[string]string
}

// TestNameInIndex: the name by which an archive is imported is the one that Kubernetes looks for.
func TestNameInIndex(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"web:v1":                   "docker.io/library/web:v1",
		"acme/web:v1":              "docker.io/acme/web:v1",
		"docker.io/web:v1":         "docker.io/library/web:v1",
		"docker.io/acme/web:v1":    "docker.io/acme/web:v1",
		"localhost/web:v1":         "localhost/web:v1",
		"localhost:5000/web:v1":    "localhost:5000/web:v1",
		"registry.k8s.io/pause:v1": "registry.k8s.io/pause:v1",
	} {
		img := example()
		img.Name = name
		index := read[struct{ Manifests []descriptor }](t, unpacked(t, bytes.NewReader(written(t, img)))["index.json"])
		if got := index.Manifests[0].Annotations["io.containerd.image.name"]; got != want {
			t.Errorf("%s is imported as %s, want %s", name, got, want)
		}
	}
}

// docker is what docker's manifest.json says.
type docker struct {
	Config           string
	RepoTags, Layers []string
}

// TestWrite follows both ways into the archive, docker's and OCI's, to the files.
func TestWrite(t *testing.T) {
	t.Parallel()
	img := example()
	files := unpacked(t, bytes.NewReader(written(t, img)))
	for path, content := range files {
		if hash, isBlob := strings.CutPrefix(path, "blobs/sha256/"); isBlob && digest(content) != "sha256:"+hash {
			t.Errorf("%s has the digest %s", path, digest(content))
		}
	}
	index := read[struct{ Manifests []descriptor }](t, files["index.json"])
	manifest := read[struct {
		Config descriptor
		Layers []descriptor
	}](t, files[pathOf(index.Manifests[0].Digest)])
	way := docker{pathOf(manifest.Config.Digest), []string{img.Name}, []string{pathOf(manifest.Layers[0].Digest)}}
	if diff := cmp.Diff([]docker{way}, read[[]docker](t, files["manifest.json"])); diff != "" {
		t.Errorf("the ways part (-OCI +docker):\n%s", diff)
	}
	zip, err := gzip.NewReader(bytes.NewReader(files[way.Layers[0]]))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(zip)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]byte{"web": []byte("a binary"), "etc/passwd": {}}
	if diff := cmp.Diff(want, unpacked(t, bytes.NewReader(plain))); diff != "" {
		t.Errorf("the files (-want +have):\n%s", diff)
	}
	checkConfig(t, files[way.Config], digest(plain))
}

func checkConfig(t *testing.T, raw []byte, layer string) {
	t.Helper()
	have := read[map[string]any](t, raw)
	want := map[string]any{
		"created": "1970-01-01T00:00:00Z", "os": "linux", "architecture": "arm64",
		"config": map[string]any{
			"User": "65532:65532", "Env": []any{"PATH=/"}, "Entrypoint": []any{"/web"}, "Cmd": []any{"serve"},
			"ExposedPorts": map[string]any{"80/tcp": map[string]any{}},
			"Labels":       map[string]any{"org.opencontainers.image.title": "web", "org.opencontainers.image.version": "v1.2.3"},
		},
		"rootfs":  map[string]any{"type": "layers", "diff_ids": []any{layer}},
		"history": []any{map[string]any{"created": "1970-01-01T00:00:00Z", "created_by": "simcloud"}},
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("the config (-want +have):\n%s", diff)
	}
}

func TestTwoArchivesAreTheSame(t *testing.T) {
	t.Parallel()
	if !bytes.Equal(written(t, example()), written(t, example())) {
		t.Error("two archives of one image differ")
	}
}

func TestWriteFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "web.tar")
	if err := example().WriteFile(path); err != nil {
		t.Fatal(err)
	}
	have, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(have, written(t, example())) {
		t.Errorf("the file is not the archive: %v", err)
	}
	// One that cannot be written leaves what was there, and nothing beside it.
	bad := example()
	bad.Files[0].Path = strings.Repeat("a long name that no tar header takes ", 100)
	if err := bad.WriteFile(path); err == nil || !strings.Contains(err.Error(), bad.Files[0].Path) {
		t.Errorf("the error is %v", err)
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, have) {
		t.Errorf("the old archive is gone: %v", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("%v is left behind, %v", left, err)
	}
}
