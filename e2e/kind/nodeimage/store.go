package nodeimage

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"

	"github.com/simcloud-dev/simcloud/e2e/process"
)

// importContainers lets the node's containerd run here for a moment and take
// the images of the archive. It returns the folder that it keeps them in. They
// are not unpacked: how containerd unpacks depends on the node's file system.
func (b *builder) importContainers(ctx context.Context, programs, archive string) (root string, err error) {
	state, err := os.MkdirTemp("", "simcloud-") // the path of a unix socket must be short
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(state)) }()
	root = filepath.Join(b.work, "containerd")
	config, socket := filepath.Join(b.work, "containerd.toml"), filepath.Join(state, "containerd.sock")
	if err := os.WriteFile(config, []byte(containerdConfig(root, state, socket)), 0o600); err != nil {
		return "", err
	}
	daemon, err := process.Start(ctx, process.Spec{
		Name: "containerd", Path: filepath.Join(programs, "containerd"), Args: []string{"--config", config},
		LogFile: filepath.Join(b.work, "containerd.log"),
		Ready: func(ctx context.Context) error {
			connection, err := new(net.Dialer).DialContext(ctx, "unix", socket)
			if err != nil {
				return err
			}
			return connection.Close()
		},
	})
	if err != nil {
		return "", err
	}
	err = b.run(ctx, process.Spec{
		Name: "import of the images", Path: filepath.Join(programs, "ctr"), Args: []string{
			"--address", socket, "--namespace", "k8s.io", "images", "import",
			"--label=io.cri-containerd.pinned=pinned", "--all-platforms", "--no-unpack", "--digests", archive,
		},
	})
	return root, errors.Join(err, daemon.Stop(context.WithoutCancel(ctx)))
}

// containerdConfig is for one that only keeps images.
func containerdConfig(root, state, socket string) string {
	return fmt.Sprintf(`version = 3
root = %q
state = %q
disabled_plugins = ["io.containerd.cri.v1.images", "io.containerd.cri.v1.runtime", "io.containerd.grpc.v1.cri", "io.containerd.nri.v1.nri"]
[grpc]
  address = %q
[ttrpc]
  address = %q
`, root, state, socket, socket+".ttrpc")
}

// storedFolders are those of containerd's root in which images are.
func storedFolders() []string {
	return []string{"io.containerd.content.v1.content", "io.containerd.metadata.v1.bolt"}
}
