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
	proxy string // kube-proxy
	parts
}

// ingredients makes what the cache does not have of them, all at the same time:
// they wait for the network, and a linker keeps one core busy.
func (b *builder) ingredients(ctx context.Context) (in ingredients, err error) {
	group, ctx := errgroup.WithContext(ctx)
	part := func(to *string, build func(context.Context) (string, error)) {
		group.Go(func() (err error) {
			*to, err = build(ctx)
			return err
		})
	}
	tool := func(name string) func(context.Context) (string, error) {
		return func(ctx context.Context) (string, error) { return tools.Build(ctx, name, b.progress) }
	}
	part(&in.root, b.debianRoot)
	if !b.cache.has(b.recipe.node()+".tar") || !b.cache.has(b.recipe.images()+".tar") {
		part(&in.kube, func(ctx context.Context) (string, error) { return embedded.Build(ctx, b.progress) })
		part(&in.proxy, func(ctx context.Context) (string, error) { return embedded.BuildProxy(ctx, b.progress) })
		part(&in.pause, tool("pause"))
		part(&in.wrapper, tool("ociwrap"))
		part(&in.runtime, b.runtimePrograms)
		part(&in.kind, b.kindFiles)
	}
	return in, group.Wait()
}

// layers makes the layers of the image, the lowest first.
func (b *builder) layers(ctx context.Context, in ingredients) ([]packed, error) {
	defer b.step("the image")()
	group, ctx := errgroup.WithContext(ctx)
	layers := make([]packed, 3)
	for i, build := range []func(context.Context, ingredients) (string, error){rootLayer, b.nodeLayer, b.imagesLayer} {
		group.Go(func() error {
			path, err := build(ctx, in)
			if err == nil {
				layers[i], err = measured(path)
			}
			return err
		})
	}
	return layers, group.Wait()
}

// rootLayer is the Debian root as it is.
func rootLayer(_ context.Context, in ingredients) (string, error) { return in.root, nil }

// nodeLayer returns the path of the layer that makes a node of the root, and makes it when the cache has none.
func (b *builder) nodeLayer(ctx context.Context, in ingredients) (string, error) {
	return b.cache.whole(b.recipe.node()+".tar", func(part string) (err error) {
		if in.runtimeSpec, err = b.runtimeSpec(ctx, in.runtime); err != nil {
			return err
		}
		return plain(part, func(w *layerWriter) { writeNode(w, in.parts) }, rootFolders()...)
	})
}

// imagesLayer returns the path of the layer with the images of the control
// plane as the node's containerd keeps them, and makes it when the cache has none.
func (b *builder) imagesLayer(ctx context.Context, in ingredients) (string, error) {
	return b.cache.whole(b.recipe.images()+".tar", func(part string) error {
		containers, err := b.containers(ctx, in)
		if err != nil {
			return err
		}
		archive := filepath.Join(b.work, "containers.tar")
		if err := writeContainers(archive, runtime.GOARCH, containers); err != nil {
			return err
		}
		stored, err := b.importContainers(ctx, in.runtime, archive)
		if err != nil {
			return err
		}
		return plain(part, func(w *layerWriter) {
			for _, folder := range storedFolders() {
				w.tree("var/lib/containerd/"+folder, filepath.Join(stored, folder), func(string) int64 { return 0o644 })
			}
		}, rootFolders()...)
	})
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
