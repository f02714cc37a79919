package ociimage_test

import (
	"archive/tar"
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/e2e/ociimage"
)

// TestOpenNamed: the name of an image is in its archive.
func TestOpenNamed(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "image.tar")
	write := func(files map[string]string) {
		var b bytes.Buffer
		w := tar.NewWriter(&b)
		for name, text := range files {
			err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: int64(len(text)), Typeflag: tar.TypeReg})
			if _, writing := w.Write([]byte(text)); err != nil || writing != nil {
				t.Fatal(err, writing)
			}
		}
		if err := errors.Join(w.Close(), os.WriteFile(path, b.Bytes(), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	write(map[string]string{"layer/x": "y", "manifest.json": `[{"RepoTags": ["acme/ccm:dev", "b:1"]}]`})
	if got, err := ociimage.OpenNamed(path); err != nil || got != (ociimage.Named{Name: "acme/ccm:dev", Archive: path}) {
		t.Errorf("got %+v, %v", got, err)
	}
	for says, files := range map[string]map[string]string{
		"it has no manifest.json": {"x": "y"},
		"has 2 images":            {"manifest.json": `[{"RepoTags": ["a:1"]}, {"RepoTags": ["b:1"]}]`},
		"exactly one named image": {"manifest.json": `[{}]`},
		"manifest.json: ":         {"manifest.json": `{`},
	} {
		write(files)
		if _, err := ociimage.OpenNamed(path); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %q", err, says)
		}
	}
	if err := os.WriteFile(path, []byte("plain text, and long enough to be none of a tar archive"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ociimage.OpenNamed(path); err == nil || !strings.Contains(err.Error(), "is not an archive of an image") {
		t.Errorf("a text: %v", err)
	}
}
