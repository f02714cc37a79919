package nodeimage

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"

	"github.com/simcloud-dev/simcloud/e2e/process"
)

// containerdPrograms are those of the container runtime. Debian's own may be
// too old for kind, which asks it for what version 1.7 brought.
func containerdPrograms() []string { return []string{"containerd", "containerd-shim-runc-v2", "ctr"} }

// runtimePrograms returns the folder of the container runtime's programs, and
// builds them when the cache has none.
func (b *builder) runtimePrograms(ctx context.Context) (string, error) {
	return b.cache.whole(b.recipe.programs(), func(part string) error {
		if err := errors.Join(os.RemoveAll(part), os.MkdirAll(part, 0o700)); err != nil {
			return err
		}
		defer b.step("containerd " + containerdVersion + " from source")()
		const module = "github.com/containerd/containerd/v2"
		args := []string{
			"install", "-trimpath", "-tags", "no_btrfs no_devmapper no_zfs",
			"-ldflags", "-s -w -X " + module + "/version.Version=" + containerdVersion,
		}
		for _, name := range containerdPrograms() {
			args = append(args, module+"/cmd/"+name+"@"+containerdVersion)
		}
		return b.run(ctx, process.Spec{
			Name: "go install of containerd", Path: "go", Args: args, Dir: b.work,
			Env: append(goEnv(), "GOBIN="+part),
		})
	})
}

// goEnv keeps the user's settings for other modules out of the build. Without
// cgo the programs are static.
func goEnv() []string {
	return []string{"CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off", "GO111MODULE=on", "GOOS=", "GOARCH="}
}

// kindFiles returns the folder of kind's sources with the files of its own image.
func (b *builder) kindFiles(ctx context.Context) (string, error) {
	out, err := b.output(ctx, "go", "mod", "download", "-json", "sigs.k8s.io/kind@"+kindVersion)
	var module struct{ Dir, Error string }
	if json.Unmarshal(out, &module) == nil && module.Error != "" {
		return "", unusable("the sources of kind: %s", module.Error)
	}
	if err != nil {
		return "", unusable("the sources of kind: %w", err)
	}
	return filepath.Join(module.Dir, "images", "base", "files"), nil
}
