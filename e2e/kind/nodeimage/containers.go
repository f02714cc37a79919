package nodeimage

import (
	"context"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/simcloud-dev/simcloud/e2e/embedded"
)

// container is an image that the node's containerd has from the start.
type container struct {
	name       string
	entrypoint []string
	layers     []packed
}

// containers packs the images that kubeadm and containerd want, in the names
// they want them by. Those that run a program of simcloud-kube have one layer
// in common with that, and one with a link of the program's name. kube-proxy, which each node unpacks, is by itself: it is
// less than half as big.
func (b *builder) containers(ctx context.Context, in ingredients) ([]container, error) {
	names, err := b.wantedImages(ctx, in)
	if err != nil {
		return nil, err
	}
	shared, err := b.sharedLayers(in)
	if err != nil {
		return nil, err
	}
	var all []container
	for _, name := range names {
		c, err := b.container(name, shared)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

// wantedImages are those that kubeadm lists, and the pause image of kind's files.
func (b *builder) wantedImages(ctx context.Context, in ingredients) ([]string, error) {
	out, err := b.output(ctx, in.kube, "kubeadm", "config", "images", "list", "--kubernetes-version", embedded.KubernetesVersion)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(in.kind, "etc", "containerd", "config.toml")
	config, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	sandbox := regexp.MustCompile(`sandbox_image\s*=\s*"(.+)"`).FindSubmatch(config)
	if sandbox == nil {
		return nil, fmt.Errorf("%s names no sandbox_image", file)
	}
	return append(strings.Fields(string(out)), string(sandbox[1])), nil
}

// sharedLayers are those that more than one image has.
type sharedLayers struct{ kube, proxy, rules, pause packed }

func (b *builder) sharedLayers(in ingredients) (shared sharedLayers, err error) {
	if shared.kube, err = b.pack("kube", func(w *layerWriter) {
		w.folder("tmp", 0o1777)
		w.file(kubeInContainer, 0o755, in.kube)
	}); err != nil {
		return shared, err
	}
	if shared.proxy, err = b.pack("kube-proxy", func(w *layerWriter) {
		w.folder("tmp", 0o1777)
		w.file(proxyInContainer, 0o755, in.proxy)
	}); err != nil {
		return shared, err
	}
	if shared.pause, err = b.pack("pause", func(w *layerWriter) { w.file("pause", 0o755, in.pause) }); err != nil {
		return shared, err
	}
	root, err := readRoot(in.root)
	if err != nil {
		return shared, err
	}
	shared.rules, err = b.pack("iptables", func(w *layerWriter) { w.fail(writePacketTools(w, root)) })
	return shared, err
}

// kubeInContainer is the path of simcloud-kube in the images of its programs, and proxyInContainer that of kube-proxy in its own.
const (
	kubeInContainer  = "usr/local/bin/simcloud-kube"
	proxyInContainer = "usr/local/bin/kube-proxy"
)

// container is the image of a name such as "registry.k8s.io/etcd:3.7.0-0",
// which runs the program that is called like it.
func (b *builder) container(name string, shared sharedLayers) (container, error) {
	program, _, _ := strings.Cut(path.Base(name), ":")
	if program == "pause" {
		return container{name, []string{"/pause"}, []packed{shared.pause}}, nil
	}
	if program == path.Base(proxyInContainer) {
		return container{name, []string{"/" + proxyInContainer}, []packed{shared.rules, shared.proxy}}, nil
	}
	folder := path.Dir(kubeInContainer)
	link, err := b.pack(program, func(w *layerWriter) { w.link(path.Join(folder, program), path.Base(kubeInContainer)) }, folder)
	if err != nil {
		return container{}, err
	}
	return container{name, []string{path.Join("/", folder, program)}, []packed{shared.kube, link}}, nil
}

// writeContainers writes the images as one archive, each layer once.
func writeContainers(to, architecture string, containers []container) error {
	return writeFile(to, func(out io.Writer) error {
		a := newArchive(out)
		for _, c := range containers {
			for _, layer := range c.layers {
				a.layer(layer)
			}
			a.image(c.name, c.layers, imageConfig{Architecture: architecture, Config: runConfig{
				Entrypoint: c.entrypoint,
				Env:        []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"},
			}})
		}
		return a.close()
	})
}
