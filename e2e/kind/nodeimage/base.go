package nodeimage

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/simcloud-dev/simcloud/e2e/process"
)

// packages are those of Debian that the root has besides the ones that each
// Debian has: what kind's own image has, as far as it is used here.
func packages() []string {
	return []string{
		"systemd", "systemd-sysv", "dbus",
		"conntrack", "iptables", "nftables", "iproute2", "ethtool", "socat", // Services and the pods' network
		"util-linux", "mount", "kmod", "e2fsprogs", "libseccomp2", "pigz", // volumes and images
		"bash", "ca-certificates", "curl", "jq", "procps", "hostname",
		"runc", "containernetworking-plugins",
	}
}

// bootstrapper makes a Debian root out of packages.
const bootstrapper = "mmdebstrap"

// mergedUsr makes the links of /bin and others before there are packages. Without
// it a package does that afterwards, and takes Perl with it, a quarter of the root.
const mergedUsr = "/usr/share/mmdebstrap/hooks/maybe-merged-usr"

// debianRoot returns the path of the layer with the Debian root, and makes it when the cache has none.
func (b *builder) debianRoot(ctx context.Context) (string, error) {
	return b.cache.whole(b.recipe.base()+".tar", func(part string) error {
		defer b.step("Debian " + b.recipe.release + " from its packages")()
		if err := b.ensureBootstrapper(ctx); err != nil {
			return err
		}
		raw := filepath.Join(b.work, "debian.tar")
		if err := b.bootstrap(ctx, raw); err != nil {
			return err
		}
		if err := filterRoot(raw, part); err != nil {
			return fmt.Errorf("the Debian root: %w", err)
		}
		return os.Remove(raw)
	})
}

// ensureBootstrapper installs what makes the root, where it may.
func (b *builder) ensureBootstrapper(ctx context.Context) error {
	if _, err := exec.LookPath(bootstrapper); err == nil {
		return nil
	}
	if os.Geteuid() != 0 {
		return unusable("%s is not installed, and only root may do that: run apt-get install %s", bootstrapper, bootstrapper)
	}
	b.progress("installing " + bootstrapper)
	install := process.Spec{
		Name: "apt-get install " + bootstrapper, Path: "apt-get", Env: []string{"DEBIAN_FRONTEND=noninteractive"},
		Args: []string{"install", "-qy", "-o", "DPkg::Lock::Timeout=300", "--no-install-recommends", bootstrapper},
	}
	if b.run(ctx, install) == nil {
		return nil
	}
	// The lists of packages are old, or there are none. Another vendor's archive
	// that does not answer is no reason to give up.
	_ = b.run(ctx, process.Spec{Name: "apt-get update", Path: "apt-get", Args: []string{"update", "-q"}})
	return b.run(ctx, install)
}

// bootstrap writes the root as a tar archive, from where this machine gets its own packages.
func (b *builder) bootstrap(ctx context.Context, to string) error {
	sources, err := aptSources(ctx, b.recipe.release)
	if err != nil {
		return err
	}
	list, settings := filepath.Join(b.work, "debian.list"), filepath.Join(b.work, "apt.conf")
	if err := os.WriteFile(list, []byte(sources), 0o644); err != nil { //nolint:gosec // apt reads it as another user
		return err
	}
	if err := os.WriteFile(settings, []byte(aptSettings(ctx)), 0o644); err != nil { //nolint:gosec // as above
		return err
	}
	return b.run(ctx, process.Spec{
		Name: bootstrapper, Path: bootstrapper, Env: []string{"TMPDIR=" + b.work}, Args: []string{
			"--quiet", "--variant=minbase", "--hook-dir=" + mergedUsr, "--include=" + strings.Join(packages(), ","), "--aptopt=" + settings,
			"--dpkgopt=force-unsafe-io", "--dpkgopt=path-exclude=/usr/share/man/*", "--dpkgopt=path-exclude=/usr/share/locale/*",
			"--dpkgopt=path-exclude=/usr/share/doc/*", "--dpkgopt=path-include=/usr/share/doc/*/copyright",
			b.recipe.release, to, list,
		},
	})
}
