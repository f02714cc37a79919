package nodeimage

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func newTestBuilder(t *testing.T) *builder {
	t.Helper()
	return &builder{cache: cache(t.TempDir()), work: t.TempDir(), progress: func(string) {}}
}

// TestContainersShareLayers: the binary is in the archive once, and each image
// starts the program it is named after.
func TestContainersShareLayers(t *testing.T) {
	t.Parallel()
	b := newTestBuilder(t)
	program := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(program, []byte("all programs"), 0o600); err != nil {
		t.Fatal(err)
	}
	var shared sharedLayers
	for name, layer := range map[string]*packed{"kube": &shared.kube, "proxy": &shared.proxy, "rules": &shared.rules, "pause": &shared.pause} {
		var err error
		if *layer, err = b.pack(name, func(w *layerWriter) { w.file("bin/"+name, 0o755, program) }); err != nil {
			t.Fatal(err)
		}
	}
	var all []container
	for _, name := range []string{"r.io/etcd:3", "r.io/kube-proxy:v1", "r.io/coredns/coredns:v2", "r.io/pause:1", "r.io/pause:2"} {
		c, err := b.container(name, shared)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	path := filepath.Join(t.TempDir(), "images.tar")
	if err := writeContainers(path, "arm64", all); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	files := entries(t, bytes.NewReader(raw)) // complains when one is there twice
	var images []savedImage
	decode(t, files["manifest.json"], &images)
	layers := map[string][]string{}
	for _, image := range images {
		layers[image.RepoTags[0]] = image.Layers
		checkConfig(t, files, image)
	}
	want := map[string][]string{
		"r.io/etcd:3":             {"kube.tar.gz", "etcd.tar.gz"},
		"r.io/kube-proxy:v1":      {"rules.tar.gz", "proxy.tar.gz"},
		"r.io/coredns/coredns:v2": {"kube.tar.gz", "coredns.tar.gz"},
		"r.io/pause:1":            {"pause.tar.gz"},
		"r.io/pause:2":            {"pause.tar.gz"},
	}
	if diff := cmp.Diff(want, layers); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// checkConfig compares what the configuration says of an image with the layers.
func checkConfig(t *testing.T, files map[string]string, image savedImage) {
	t.Helper()
	var config imageConfig
	decode(t, files[image.Config], &config)
	name, _, _ := strings.Cut(filepath.Base(image.RepoTags[0]), ":")
	if filepath.Base(config.Config.Entrypoint[0]) != name || config.Architecture != "arm64" || config.OS != "linux" {
		t.Errorf("%s: %+v", image.RepoTags, config)
	}
	for i, layer := range image.Layers {
		zip, err := gzip.NewReader(strings.NewReader(files[layer]))
		if err != nil {
			t.Fatal(err)
		}
		var plain bytes.Buffer
		if _, err := plain.ReadFrom(zip); err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(plain.Bytes())
		if got := "sha256:" + hex.EncodeToString(sum[:]); config.RootFS.DiffIDs[i] != got {
			t.Errorf("%s: layer %s is %s, the configuration says %s", image.RepoTags, layer, got, config.RootFS.DiffIDs[i])
		}
	}
}

func decode(t *testing.T, raw string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(raw), into); err != nil {
		t.Fatalf("%v: %q", err, raw)
	}
}

// TestLayerFolders: each folder comes once and before its files, and those of the layer below not at all.
func TestLayerFolders(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	w := newLayerWriter(&out, "usr/bin")
	w.bytes("usr/bin/a", 0o755, []byte("a"))
	w.bytes("/kind/bin/b", 0o755, []byte("b"))
	w.bytes("kind/bin/c", 0o755, []byte("c"))
	w.link("usr/lib/d", "/kind/bin/b")
	if err := w.close(); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"usr/bin/a": "a", "kind": "", "kind/bin": "", "kind/bin/b": "b", "kind/bin/c": "c", "usr/lib": "", "usr/lib/d": "/kind/bin/b"}
	if diff := cmp.Diff(want, entries(t, &out)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestLayerFails: an error of a file is the layer's, however many follow.
func TestLayerFails(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	w := newLayerWriter(&out)
	w.file("a", 0o644, filepath.Join(t.TempDir(), "none"))
	w.bytes("b", 0o644, nil)
	if err := w.close(); err == nil || !strings.Contains(err.Error(), "none") {
		t.Errorf("got %v, want one that names the file", err)
	}
}
