package nodeimage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/simcloud-dev/simcloud/e2e/embedded"
	"github.com/simcloud-dev/simcloud/e2e/kind/tools"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// Options say how to build.
type Options struct {
	// Progress, if any, is told what the build does, a line at a time, by one goroutine at a time.
	Progress func(string)
}

// Build returns the image of this version of simcloud, and builds it when the
// cache has none: about 10 minutes on 2 cores when nothing was built before.
// It takes Linux with Debian's packages, the go command, and root, which
// installs mmdebstrap where it is missing. Of several that want to build at the same time, one does and the
// others wait. A new image takes the place of the oldest ones of the cache.
func Build(ctx context.Context, o Options) (Image, error) {
	if o.Progress == nil {
		o.Progress = func(string) {}
	}
	r, err := newRecipe()
	if err != nil {
		return Image{}, err
	}
	c, err := openCache()
	if err != nil {
		return Image{}, err
	}
	unlock, err := c.lock(ctx, func() { o.Progress("waiting for another simcloud that builds a node image") })
	if err != nil {
		return Image{}, err
	}
	defer unlock()
	if image, err := c.image(r.tag()); !errors.Is(err, simcloud.NotFound) {
		return image, err
	}
	if err := requireRoot(os.Geteuid()); err != nil {
		return Image{}, err
	}
	var one sync.Mutex
	image, err := build(ctx, &builder{cache: c, recipe: r, progress: func(line string) {
		one.Lock()
		defer one.Unlock()
		o.Progress(line)
	}})
	if err != nil {
		return Image{}, err
	}
	return image, c.prune()
}

// requireRoot tells at the beginning what would else fail after minutes:
// Debian's packages and containerd have to be installed and started by root.
func requireRoot(user int) error {
	if user == 0 {
		return nil
	}
	return unusable("it takes root; another user may then load the archive (simcloud node-image path) into an engine, and name the image by --node-image")
}

// build makes the image; the cache's lock is held.
func build(ctx context.Context, b *builder) (image Image, err error) {
	if b.work, err = b.cache.workFolder(); err != nil {
		return Image{}, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(b.work)) }()
	in, err := b.ingredients(ctx)
	if err != nil {
		return Image{}, err
	}
	layers, err := b.layers(ctx, in)
	if err != nil {
		return Image{}, fmt.Errorf("build a node image: %w", err)
	}
	return b.assemble(layers)
}

// ingredients are what the image is put together from: paths on this machine.
type ingredients struct {
	root  string // the layer of the Debian root
	pause string
	parts
}

// ingredients makes what the cache does not have. The packages are fetched
// while the compiler runs.
func (b *builder) ingredients(ctx context.Context) (in ingredients, err error) {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		in.root, err = b.debianRoot(ctx)
		return err
	})
	group.Go(func() (err error) {
		if in.kube, err = embedded.Build(ctx, b.progress); err != nil {
			return err
		}
		if in.pause, err = tools.Build(ctx, "pause", b.progress); err != nil {
			return err
		}
		if in.wrapper, err = tools.Build(ctx, "ociwrap", b.progress); err != nil {
			return err
		}
		if in.runtime, err = b.runtimePrograms(ctx); err != nil {
			return err
		}
		in.kind, err = b.kindFiles(ctx)
		return err
	})
	return in, group.Wait()
}

// layers makes the layers of the image, the lowest first.
func (b *builder) layers(ctx context.Context, in ingredients) ([]packed, error) {
	defer b.step("the image")()
	root, err := measured(in.root)
	if err != nil {
		return nil, err
	}
	if in.runtimeSpec, err = b.runtimeSpec(ctx, in.runtime); err != nil {
		return nil, err
	}
	node, err := b.plain("node", func(w *layerWriter) { writeNode(w, in.parts) }, rootFolders()...)
	if err != nil {
		return nil, err
	}
	containers, err := b.containers(ctx, in)
	if err != nil {
		return nil, err
	}
	archive := filepath.Join(b.work, "containers.tar")
	if err := writeContainers(archive, runtime.GOARCH, containers); err != nil {
		return nil, err
	}
	stored, err := b.importContainers(ctx, in.runtime, archive)
	if err != nil {
		return nil, err
	}
	images, err := b.plain("images", func(w *layerWriter) {
		for _, folder := range storedFolders() {
			w.tree("var/lib/containerd/"+folder, filepath.Join(stored, folder), func(string) int64 { return 0o644 })
		}
	}, rootFolders()...)
	return []packed{root, node, images}, err
}

// nodeConfig is that of kind's own image. Engines show when the image was made.
func nodeConfig(built time.Time) imageConfig {
	return imageConfig{Created: built.UTC().Format(time.RFC3339), Architecture: runtime.GOARCH, Config: runConfig{
		Env:        []string{"container=docker"}, // systemd looks for it
		Entrypoint: []string{"/usr/local/bin/entrypoint", "/sbin/init"},
		StopSignal: "SIGRTMIN+3", // what systemd takes for "halt"
	}}
}

// assemble writes the archive and what is known of it into the cache.
func (b *builder) assemble(layers []packed) (Image, error) {
	tag := b.recipe.tag()
	image := Image{Ref: Repository + ":" + tag, Built: time.Now(), Archive: b.cache.archive(tag), Current: true}
	for i, name := range []string{"Debian " + b.recipe.release, "kubelet, containerd and kind's files", "images of the control plane"} {
		image.Layers = append(image.Layers, Layer{Name: name, Size: layers[i].size})
	}
	part := image.Archive + ".part"
	err := writeFile(part, func(out io.Writer) error {
		a := newArchive(out)
		for _, layer := range layers {
			a.layer(layer)
		}
		a.image(image.Ref, layers, nodeConfig(image.Built))
		return a.close()
	})
	if err != nil {
		return Image{}, err
	}
	if err := os.Rename(part, image.Archive); err != nil {
		return Image{}, err
	}
	return image, b.cache.keep(tag, image)
}
