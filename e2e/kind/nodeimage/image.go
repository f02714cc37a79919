// Package nodeimage builds the image that the nodes of a kind cluster run, for
// places where kind's published one cannot be pulled: from Debian packages and
// Go modules, without a registry and without a container engine.
//
// The image is named by its content, simcloud-node:<hash>: everything that
// decides what is in it is hashed, and what was built once is kept in the
// user's cache, the Debian root, the programs and the whole image apart.
package nodeimage

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// Repository is the name of the images that Build makes, without the tag.
const Repository = "simcloud-node"

// Image is an image that was built.
type Image struct {
	// Ref is the name and the tag.
	Ref string `json:"ref"`
	// Archive is the path of the file that an engine loads: that of "docker save".
	Archive string `json:"archive"`
	// Layers are those of the image, the lowest first.
	Layers []Layer `json:"layers"`
	// Built is when.
	Built time.Time `json:"built"`
	// Current is whether a build would make this image.
	Current bool `json:"current"`
}

// Layer is a part of an image.
type Layer struct {
	Name string `json:"name"`
	// Size is in bytes, unpacked.
	Size int64 `json:"size"`
}

// Size is how many bytes an engine needs for the image.
func (i Image) Size() int64 {
	var size int64
	for _, l := range i.Layers {
		size += l.Size
	}
	return size
}

// Current returns the image that Build would make. The error has the code
// NotFound when it was not built yet.
func Current() (Image, error) {
	c, err := openCache()
	if err != nil {
		return Image{}, err
	}
	r, err := newRecipe()
	if err != nil {
		return Image{}, err
	}
	return c.image(r.tag())
}

// List returns the images of the cache, the newest first.
func List() ([]Image, error) {
	c, err := openCache()
	if err != nil {
		return nil, err
	}
	current := ""
	if r, err := newRecipe(); err == nil { // a machine that cannot build may have images
		current = Repository + ":" + r.tag()
	}
	paths, err := filepath.Glob(c.path(Repository + "-*.json"))
	if err != nil {
		return nil, err
	}
	var images []Image
	for _, path := range paths {
		tag := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(path), Repository+"-"), ".json")
		image, err := c.image(tag)
		if errors.Is(err, simcloud.NotFound) {
			continue // its archive was removed
		}
		if err != nil {
			return nil, err
		}
		image.Current = image.Ref == current
		images = append(images, image)
	}
	slices.SortFunc(images, func(a, b Image) int { return b.Built.Compare(a.Built) })
	return images, nil
}

// image reads what is known of a built image.
func (c cache) image(tag string) (Image, error) {
	raw, err := os.ReadFile(c.facts(tag))
	if errors.Is(err, os.ErrNotExist) {
		return Image{}, simcloud.Errorf(simcloud.NotFound, "node-image/"+tag, "the image was not built yet; simcloud node-image build does it")
	}
	if err != nil {
		return Image{}, err
	}
	var image Image
	if err := json.Unmarshal(raw, &image); err != nil {
		return Image{}, fmt.Errorf("%s: %w", c.facts(tag), err)
	}
	image.Archive, image.Current = c.archive(tag), true
	if _, err := os.Stat(image.Archive); err != nil {
		return Image{}, simcloud.Errorf(simcloud.NotFound, "node-image/"+tag, "the archive of the image is gone; simcloud node-image build makes it anew: %w", err)
	}
	return image, nil
}

// keep writes what is known of an image, last of all: it says that the archive is whole.
func (c cache) keep(tag string, image Image) error {
	raw, err := json.MarshalIndent(image, "", "  ")
	if err != nil {
		return err
	}
	part := c.facts(tag) + ".part"
	if err := os.WriteFile(part, append(raw, '\n'), 0o600); err != nil {
		return err
	}
	return os.Rename(part, c.facts(tag))
}

// Delete removes an image from the cache. The error has the code NotFound when it has none of that name.
func Delete(ref string) error {
	c, err := openCache()
	if err != nil {
		return err
	}
	name, tag, ok := strings.Cut(ref, ":")
	if !ok || name != Repository || tag != filepath.Base(tag) {
		return simcloud.Errorf(simcloud.Invalid, "node-image/"+ref, "%s is no name of a node image: %s:<hash> is", ref, Repository)
	}
	if _, err := os.Stat(c.facts(tag)); err != nil {
		return simcloud.Errorf(simcloud.NotFound, "node-image/"+tag, "no such image was built")
	}
	return errors.Join(os.Remove(c.facts(tag)), os.RemoveAll(c.archive(tag)))
}
