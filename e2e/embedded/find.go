package embedded

import (
	"context"
	"os"
	"path/filepath"

	"github.com/simcloud-dev/simcloud/e2e/gobuild"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// EnvKube names the environment variable that says where simcloud-kube is.
const EnvKube = "SIMCLOUD_KUBE"

// binaryName is the file name of simcloud-kube.
const binaryName = "simcloud-kube"

// FindOptions say where to look for simcloud-kube.
type FindOptions struct {
	// Flag is the path that the user gave on the command line, if any.
	Flag string
	// Progress, if any, is told what a build does, a line at a time.
	Progress func(string)
}

// Find returns the path of simcloud-kube: the one of the flag, else of
// $SIMCLOUD_KUBE, else next to this program, else out of the cache, where it
// is built when it is missing. What the flag or the environment name must be there.
func Find(ctx context.Context, o FindOptions) (string, error) {
	for _, named := range []struct{ by, path string }{{"--kube", o.Flag}, {"$" + EnvKube, os.Getenv(EnvKube)}} {
		if named.path == "" {
			continue
		}
		if err := gobuild.Executable(named.path); err != nil {
			return "", simcloud.Errorf(simcloud.Invalid, "simcloud-kube", "%s: %w", named.by, err)
		}
		return filepath.Abs(named.path)
	}
	if path, ok := neighbour(); ok {
		return path, nil
	}
	return Build(ctx, o.Progress)
}

// neighbour is the binary in the folder of this program.
func neighbour() (string, bool) {
	self, err := os.Executable()
	if err != nil {
		return "", false
	}
	if real, err := filepath.EvalSymlinks(self); err == nil {
		self = real
	}
	path := filepath.Join(filepath.Dir(self), binaryName)
	return path, gobuild.Executable(path) == nil
}
