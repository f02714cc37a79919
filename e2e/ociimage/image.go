// Package ociimage writes images of one layer to archives, with the standard
// library alone: no registry, no base image, no daemon. The same image gives
// the same bytes.
package ociimage

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Image is an image for linux that has nothing in it but its files.
type Image struct {
	// Name is what the image is found by, with its tag.
	Name string
	// Title and Version are what its labels say of it.
	Title, Version string
	// Architecture is Go's name of it, such as "amd64".
	Architecture string
	// User is a number that no file of a host need belong to: the image has no names of users.
	User string
	// Entrypoint, Command, Environment and Ports ("8080/tcp") are those of a container.
	Entrypoint, Command, Environment, Ports []string
	Files                                   []File
}

// File is one of an image, or a folder.
type File struct {
	Path    string // without a slash at the beginning; that of a folder ends with one
	Mode    int64
	Content []byte
}

// WriteFile writes the archive that Write writes to a file, whole or not at all.
func (img Image) WriteFile(path string) (err error) {
	out, err := os.CreateTemp(filepath.Dir(path), ".image-")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(out.Name()))
		}
	}()
	if err := errors.Join(img.Write(out), out.Chmod(0o644), out.Close()); err != nil {
		return err
	}
	return os.Rename(out.Name(), path)
}

// Write writes an OCI image layout of the image, with the manifest.json of
// docker save beside: docker, podman, nerdctl, ctr, kind and skopeo take it.
func (img Image) Write(to io.Writer) error {
	files, err := img.archive()
	if err != nil {
		return err
	}
	return writeTar(to, files)
}

func (img Image) archive() ([]File, error) {
	layer, diff, err := layerOf(img.Files)
	if err != nil {
		return nil, err
	}
	config, err := jsonBlob(typeConfig, img.config(diff))
	if err != nil {
		return nil, err
	}
	manifest, err := jsonBlob(typeManifest, object{
		"schemaVersion": 2, "mediaType": typeManifest, "config": config.descriptor(), "layers": []object{layer.descriptor()},
	})
	if err != nil {
		return nil, err
	}
	files := []File{}
	for path, content := range map[string]any{
		"oci-layout":    object{"imageLayoutVersion": "1.0.0"},
		"index.json":    img.index(manifest),
		"manifest.json": []object{{"Config": config.path(), "RepoTags": []string{img.Name}, "Layers": []string{layer.path()}}},
	} {
		raw, err := json.Marshal(content)
		if err != nil {
			return nil, err
		}
		files = append(files, File{path, 0o644, raw})
	}
	for _, b := range []blob{config, layer, manifest} {
		files = append(files, File{b.path(), 0o644, b.content})
	}
	return files, nil
}

// layerOf returns a layer of the files, and the digest that it has unpacked.
func layerOf(files []File) (layer blob, diff string, err error) {
	var plain, packed bytes.Buffer
	if err := writeTar(&plain, files); err != nil {
		return blob{}, "", err
	}
	zip := gzip.NewWriter(&packed)
	_, err = zip.Write(plain.Bytes())
	if err := errors.Join(err, zip.Close()); err != nil {
		return blob{}, "", err
	}
	return blob{typeLayer, packed.Bytes()}, digest(plain.Bytes()), nil
}

func (img Image) config(diff string) object {
	ports := object{}
	for _, port := range img.Ports {
		ports[port] = object{}
	}
	created := epoch().Format(time.RFC3339)
	return object{
		"created": created, "os": "linux", "architecture": img.Architecture,
		"config": object{
			"User": img.User, "Env": img.Environment, "Entrypoint": img.Entrypoint, "Cmd": img.Command, "ExposedPorts": ports,
			"Labels": object{
				"org.opencontainers.image.title":   img.Title,
				"org.opencontainers.image.version": img.Version,
			},
		},
		"rootfs":  object{"type": "layers", "diff_ids": []string{diff}},
		"history": []object{{"created": created, "created_by": "simcloud"}},
	}
}

func (img Image) index(manifest blob) object {
	entry := manifest.descriptor()
	entry["platform"] = object{"os": "linux", "architecture": img.Architecture}
	entry["annotations"] = object{"org.opencontainers.image.ref.name": img.Version, "io.containerd.image.name": qualified(img.Name)}
	return object{"schemaVersion": 2, "mediaType": typeIndex, "manifests": []object{entry}}
}

// The media types of OCI images.
const (
	typeIndex    = "application/vnd.oci.image.index.v1+json"
	typeManifest = "application/vnd.oci.image.manifest.v1+json"
	typeConfig   = "application/vnd.oci.image.config.v1+json"
	typeLayer    = "application/vnd.oci.image.layer.v1.tar+gzip"
)

// object is one of JSON; its keys are written in order, so that it is the same each time.
type object map[string]any

// blob is a file that is named by its content.
type blob struct {
	mediaType string
	content   []byte
}

func (b blob) digest() string { return digest(b.content) }
func (b blob) path() string   { return "blobs/sha256/" + b.digest()[len("sha256:"):] }

func (b blob) descriptor() object {
	return object{"mediaType": b.mediaType, "digest": b.digest(), "size": len(b.content)}
}

func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return "sha256:" + hex.EncodeToString(sum[:])
}

func jsonBlob(mediaType string, content object) (blob, error) {
	raw, err := json.Marshal(content)
	return blob{mediaType, raw}, err
}

// writeTar writes the files in the order of their paths, as root's and without a time.
func writeTar(to io.Writer, files []File) error {
	out := tar.NewWriter(to)
	for _, f := range slices.SortedFunc(slices.Values(files), func(a, b File) int { return strings.Compare(a.Path, b.Path) }) {
		header := &tar.Header{Name: f.Path, Mode: f.Mode, Size: int64(len(f.Content)), ModTime: epoch(), Typeflag: tar.TypeReg, Format: tar.FormatUSTAR}
		if strings.HasSuffix(f.Path, "/") {
			header.Typeflag = tar.TypeDir
		}
		if err := out.WriteHeader(header); err != nil {
			return fmt.Errorf("%s: %w", f.Path, err)
		}
		if _, err := out.Write(f.Content); err != nil {
			return fmt.Errorf("%s: %w", f.Path, err)
		}
	}
	return out.Close()
}

// epoch is the time of everything: that of the build would be another each time.
func epoch() time.Time { return time.Unix(0, 0).UTC() }
