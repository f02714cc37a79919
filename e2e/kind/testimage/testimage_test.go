package testimage_test

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/e2e/kind/testimage"
	"github.com/simcloud-dev/simcloud/simcloud"
)

func TestBuild(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs the go command")
	}
	built, err := exec.CommandContext(t.Context(), "go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOCACHE", strings.TrimSpace(string(built))) // Go's own cache would be empty too
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	img, err := testimage.Build(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(img.Archive)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(img.Name, "localhost/simcloud-testserver:") || !slices.Contains(namesIn(t, raw), img.Name) {
		t.Errorf("the archive of %s has the images %v", img.Name, namesIn(t, raw))
	}
	if len(raw) > 10<<20 {
		t.Errorf("the archive has %d bytes", len(raw))
	}
	again, err := testimage.Build(t.Context(), func(line string) { t.Errorf("again: %s", line) })
	if err != nil || again != img {
		t.Errorf("again: %+v, %v; want %+v", again, err, img)
	}
}

// namesIn returns the names of the images in a docker-archive.
func namesIn(t *testing.T, archive []byte) []string {
	t.Helper()
	files := tar.NewReader(bytes.NewReader(archive))
	for {
		header, err := files.Next()
		if err != nil {
			t.Fatalf("no manifest: %v", err)
		}
		if header.Name != "manifest.json" {
			continue
		}
		raw, err := io.ReadAll(files)
		if err != nil {
			t.Fatal(err)
		}
		var manifest []struct{ RepoTags []string }
		if err := json.Unmarshal(raw, &manifest); err != nil {
			t.Fatal(err)
		}
		return manifest[0].RepoTags
	}
}

func TestWhatCannotBeBuilt(t *testing.T) {
	blocked := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_CACHE_HOME", blocked)
	if _, err := testimage.Build(t.Context(), nil); !errors.Is(err, simcloud.Unavailable) {
		t.Errorf("got %v, want %s", err, simcloud.Unavailable)
	}
}
