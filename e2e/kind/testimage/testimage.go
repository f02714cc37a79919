// Package testimage makes the image of the test server, which the pods of
// scenarios with packets run.
package testimage

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/simcloud-dev/simcloud/e2e/kind/tools"
	"github.com/simcloud-dev/simcloud/e2e/ociimage"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// Image is the image of the test server.
type Image struct {
	// Name is what pods say to have it. Its tag is of its content, and its
	// registry one that nothing is ever pulled from.
	Name string
	// Archive is the path of a docker-archive.
	Archive string
}

// program is the name of the test server among the tools.
const program = "testserver"

// Build returns the image, whose archive is kept in the user's cache folder
// and made there when it is missing. Progress, if any, is called for that.
func Build(ctx context.Context, progress func(string)) (Image, error) {
	hash, err := hash()
	if err != nil {
		return Image{}, err
	}
	dir, err := cacheDir(hash)
	if err != nil {
		return Image{}, buildError("cache folder: %w", err)
	}
	img := Image{Name: "localhost/simcloud-" + program + ":" + hash, Archive: filepath.Join(dir, "image.tar")}
	if info, err := os.Stat(img.Archive); err == nil && info.Mode().IsRegular() {
		return img, nil
	}
	path, err := tools.Build(ctx, program, progress)
	if err != nil {
		return Image{}, err
	}
	binary, err := os.ReadFile(path)
	if err != nil {
		return Image{}, buildError("%w", err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return Image{}, buildError("cache folder: %w", err)
	}
	if err := contents(img.Name, hash, binary).WriteFile(img.Archive); err != nil {
		return Image{}, buildError("%w", err)
	}
	return img, nil
}

// hash stands for everything that decides what the image is.
func hash() (string, error) {
	sources, err := tools.Hash(program)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	if err := contents(program, sources, nil).Write(h); err != nil {
		return "", buildError("%w", err)
	}
	return hex.EncodeToString(h.Sum(nil))[:16], nil
}

// contents is the image with the test server alone, which is found by its name.
func contents(name, version string, binary []byte) ociimage.Image {
	return ociimage.Image{
		Name: name, Title: program, Version: version, Architecture: runtime.GOARCH,
		User:       "65532:65532",
		Entrypoint: []string{"/" + program}, Command: []string{"serve"}, Environment: []string{"PATH=/"},
		Ports: []string{"8080/tcp", "8081/udp", "8082/tcp"},
		Files: []ociimage.File{{Path: program, Mode: 0o755, Content: binary}},
	}
}

// cacheDir is where the archive is kept.
func cacheDir(hash string) (string, error) {
	base := os.Getenv("XDG_CACHE_HOME")
	if !filepath.IsAbs(base) { // unset, or unusable by the XDG rules
		var err error
		if base, err = os.UserCacheDir(); err != nil {
			return "", err
		}
	}
	return filepath.Join(base, "simcloud", "image-"+program+"-"+hash), nil
}

func buildError(format string, args ...any) error {
	return simcloud.Errorf(simcloud.Unavailable, "image/"+program, "make the image of the test server: %w", fmt.Errorf(format, args...))
}
