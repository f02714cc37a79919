package nodeimage

import (
	"archive/tar"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"path/filepath"
	"time"
)

// archive writes images in the form of "docker save", which docker, podman,
// nerdctl and containerd load.
type archive struct {
	out    *layerWriter
	layers map[string]bool // written, by their names
	images []savedImage
}

// savedImage is an entry of manifest.json.
type savedImage struct {
	Config   string
	RepoTags []string
	Layers   []string
}

// imageConfig is the configuration of an image, in the terms of OCI.
type imageConfig struct {
	Created      string    `json:"created"`
	Architecture string    `json:"architecture"`
	OS           string    `json:"os"`
	Config       runConfig `json:"config"`
	RootFS       rootFS    `json:"rootfs"`
}

type runConfig struct {
	Env        []string `json:",omitempty"`
	Entrypoint []string `json:",omitempty"`
	StopSignal string   `json:",omitempty"`
}

type rootFS struct {
	Type    string   `json:"type"`
	DiffIDs []string `json:"diff_ids"`
}

func newArchive(out io.Writer) *archive {
	return &archive{out: &layerWriter{out: tar.NewWriter(out), folders: map[string]bool{".": true}}, layers: map[string]bool{}}
}

// layer adds a layer that is not in the archive yet.
func (a *archive) layer(layer packed) {
	if name := filepath.Base(layer.path); !a.layers[name] {
		a.layers[name] = true
		a.out.file(name, 0o644, layer.path)
	}
}

// image adds an image of layers that were added.
func (a *archive) image(name string, layers []packed, config imageConfig) {
	config.OS, config.Created = "linux", cmp.Or(config.Created, epoch().Format(time.RFC3339))
	config.RootFS.Type = "layers"
	saved := savedImage{RepoTags: []string{name}}
	for _, layer := range layers {
		config.RootFS.DiffIDs = append(config.RootFS.DiffIDs, layer.diff)
		saved.Layers = append(saved.Layers, filepath.Base(layer.path))
	}
	raw, err := json.Marshal(config)
	if err != nil {
		a.out.err = err
		return
	}
	sum := sha256.Sum256(raw)
	saved.Config = hex.EncodeToString(sum[:]) + ".json"
	if !a.layers[saved.Config] {
		a.layers[saved.Config] = true
		a.out.bytes(saved.Config, 0o644, raw)
	}
	a.images = append(a.images, saved)
}

// close writes the manifest, which the others are found by.
func (a *archive) close() error {
	raw, err := json.Marshal(a.images)
	if err != nil {
		return err
	}
	a.out.bytes("manifest.json", 0o644, raw)
	return a.out.close()
}
