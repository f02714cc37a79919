package ociimage

import (
	"archive/tar"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Named is an image in a docker-archive.
type Named struct {
	// Name is what pods say to have it.
	Name string
	// Archive is the path of the archive, which must stay where it is.
	Archive string
}

// OpenNamed reads of a docker-archive, as "docker save" writes one, what its image is called.
func OpenNamed(archive string) (img Named, err error) {
	path, err := filepath.Abs(archive)
	if err != nil {
		return Named{}, err
	}
	file, err := os.Open(path)
	if err != nil {
		return Named{}, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	files := tar.NewReader(file)
	for {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			return Named{}, fmt.Errorf("%s is not an archive of an image: it has no manifest.json", archive)
		}
		if err != nil {
			return Named{}, fmt.Errorf("%s is not an archive of an image: %w", archive, err)
		}
		if header.Name != "manifest.json" {
			continue
		}
		name, err := imageName(files)
		if err != nil {
			return Named{}, fmt.Errorf("%s is not an archive of one image: %w", archive, err)
		}
		return Named{Name: name, Archive: path}, nil
	}
}

// maxManifest is how much of a manifest.json is read, in bytes.
const maxManifest = 1 << 20

// imageName is the first name of the one image of a manifest.json.
func imageName(manifest io.Reader) (string, error) {
	var images []struct{ RepoTags []string }
	if err := json.NewDecoder(io.LimitReader(manifest, maxManifest)).Decode(&images); err != nil {
		return "", fmt.Errorf("manifest.json: %w", err)
	}
	if len(images) != 1 || len(images[0].RepoTags) == 0 {
		return "", fmt.Errorf("manifest.json has %d images: exactly one named image is required; use docker save NAME", len(images))
	}
	return images[0].RepoTags[0], nil
}

// qualified is a name with its registry, as Kubernetes looks for it: one that
// names none is Docker's. Who imports an OCI layout takes its name as it is.
func qualified(name string) string {
	first, rest, more := strings.Cut(name, "/")
	switch {
	case !more:
		return "docker.io/library/" + name
	case first == "docker.io" && !strings.Contains(rest, "/"):
		return "docker.io/library/" + rest
	case strings.ContainsAny(first, ".:") || first == "localhost":
		return name
	}
	return "docker.io/" + name
}
