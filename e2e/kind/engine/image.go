package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// Load loads the images of a docker-archive, a file, into the engine.
func (e *Engine) Load(ctx context.Context, archive string) error {
	file, err := os.Open(archive)
	if err != nil {
		return fmt.Errorf("load an image: %w", err)
	}
	_, err = e.run(ctx, file, "load")
	return errors.Join(err, file.Close())
}

// Pull fetches an image from its registry, for as long as that takes.
func (e *Engine) Pull(ctx context.Context, ref string) error {
	_, err := e.run(ctx, nil, "pull", "--quiet", ref)
	return err
}

// ImageExists reports whether the engine has the image.
func (e *Engine) ImageExists(ctx context.Context, ref string) (bool, error) {
	_, err := e.run(ctx, nil, "image", "inspect", "--format", "{{.Id}}", ref)
	if errors.Is(err, simcloud.NotFound) {
		return false, nil
	}
	return err == nil, err
}

// Images returns the references "name:tag" of all images of a name.
func (e *Engine) Images(ctx context.Context, name string) ([]string, error) {
	out, err := e.run(ctx, nil, "image", "ls", "--format", "{{.Repository}}:{{.Tag}}", name)
	return strings.Fields(string(out)), err
}

// RemoveImage removes a reference to an image, and with the last one the
// image. One that is not there is no error.
func (e *Engine) RemoveImage(ctx context.Context, ref string) error {
	_, err := e.run(ctx, nil, "image", "rm", ref)
	if errors.Is(err, simcloud.NotFound) {
		return nil
	}
	return err
}

func (e *Engine) number(out []byte) (int, error) {
	n, err := strconv.Atoi(strings.TrimSpace(string(out)))
	if err != nil {
		return 0, e.errorf(simcloud.Internal, "it answers %q where a number was expected", out)
	}
	return n, nil
}
