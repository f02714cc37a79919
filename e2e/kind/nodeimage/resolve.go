package nodeimage

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"sigs.k8s.io/kind/pkg/apis/config/defaults"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// Env names the environment variable that says which image nodes run.
const Env = "SIMCLOUD_NODE_IMAGE"

// Engine is what Resolve needs of a container engine.
type Engine interface {
	ImageExists(ctx context.Context, ref string) (bool, error)
	Load(ctx context.Context, archive string) error
	Images(ctx context.Context, name string) ([]string, error)
	RemoveImage(ctx context.Context, ref string) error
}

// Resolve returns the image that nodes are to run: that of the flag, else of
// $SIMCLOUD_NODE_IMAGE, else the one that Build would make if it was made,
// else kind's published one, which the engine pulls. One that Build made is
// loaded into the engine if it is not there; progress, if any, is told of that.
func Resolve(ctx context.Context, flag string, e Engine, progress func(string)) (string, error) {
	for _, named := range []string{flag, os.Getenv(Env)} {
		if named != "" {
			return named, nil
		}
	}
	image, err := Current()
	if errors.Is(err, simcloud.NotFound) || errors.Is(err, simcloud.Unavailable) { // not built, or not to be built here
		return defaults.Image, announce(ctx, e, progress)
	}
	if err != nil {
		return "", err
	}
	return image.Ref, Load(ctx, image, e, progress)
}

// announce says that kind's image will be pulled, and what helps where it cannot be.
func announce(ctx context.Context, e Engine, progress func(string)) error {
	there, err := e.ImageExists(ctx, defaults.Image)
	if err == nil && !there && progress != nil {
		image, _, _ := strings.Cut(defaults.Image, "@")
		progress(fmt.Sprintf("the engine pulls %s; where it has no registry, simcloud node-image build makes an image", image))
	}
	return err
}

// Load loads an image into an engine that does not have it. Older ones that are
// in the cache no more, and in no container, leave the engine then. Of several
// that want to load it at the same time, one does and the others wait.
func Load(ctx context.Context, image Image, e Engine, progress func(string)) error {
	there, err := e.ImageExists(ctx, image.Ref)
	if err != nil || there {
		return err
	}
	c, err := openCache()
	if err != nil {
		return err
	}
	if progress == nil {
		progress = func(string) {}
	}
	unlock, err := c.lock(ctx, func() { progress("waiting for another simcloud that builds or loads a node image") })
	if err != nil {
		return err
	}
	defer unlock()
	there, err = e.ImageExists(ctx, image.Ref)
	if err != nil || there {
		return err
	}
	progress("loading the node image " + image.Ref)
	if err := e.Load(ctx, image.Archive); err != nil {
		return fmt.Errorf("load the node image %s: %w", image.Ref, err)
	}
	c.forgetOld(ctx, image, e)
	return nil
}
