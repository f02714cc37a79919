package engine

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// The labels by which kind knows the node containers of its clusters.
const (
	KindClusterLabel = "io.x-k8s.kind.cluster"
	KindRoleLabel    = "io.x-k8s.kind.role"
)

// NodeFlags are the flags of a node container of this name, as kind v0.33
// gives them, without those of RunSpec: privileged, with /var on a volume of
// its own, which Remove removes, and /tmp and /run in memory.
func (e *Engine) NodeFlags(container string, ipv6 bool) []string {
	flags := []string{
		"--tty", "--privileged", "--tmpfs", "/tmp", "--tmpfs", "/run", "--volume", "/lib/modules:/lib/modules:ro",
		"-e", "KIND_EXPERIMENTAL_CONTAINERD_SNAPSHOTTER",
	}
	switch e.Name() {
	case "docker":
		flags = append(flags, "--cgroupns=private")
		fallthrough
	case "nerdctl":
		flags = append(flags, "--volume", "/var", "--security-opt", "seccomp=unconfined", "--security-opt", "apparmor=unconfined", "--init=false")
	case "podman":
		flags = append(flags, "--cgroupns=private", "--volume", volumeOf(container)+":/var:suid,exec,dev", "-e", "container=podman")
	}
	if ipv6 {
		flags = append(flags, "--sysctl=net.ipv6.conf.all.disable_ipv6=0", "--sysctl=net.ipv6.conf.all.forwarding=1")
	}
	return append(flags, e.flags...)
}

// volumeOf names the volume of a node's /var with Podman, whose nameless ones take no options.
func volumeOf(container string) string { return container + "-var" }

// removeVolumes removes a node's volumes with Podman: ours, and those of a node
// that kind made, which have its name for a label.
func (e *Engine) removeVolumes(ctx context.Context, container string) error {
	if e.Name() != "podman" {
		return nil
	}
	out, err := e.run(ctx, nil, "volume", "ls", "--quiet", "--filter", "label="+container)
	if err != nil {
		return err
	}
	_, err = e.run(ctx, nil, slices.Concat([]string{"volume", "rm", "--force", volumeOf(container)}, strings.Fields(string(out)))...)
	if errors.Is(err, simcloud.NotFound) {
		return nil
	}
	return err
}

// storageFlags are what nodes need on some file systems, and with an engine
// without root or with user namespaces, as kind finds out. An engine that does
// not say needs none.
func (e *Engine) storageFlags(ctx context.Context) []string {
	out, err := e.run(ctx, nil, "info", "--format", "{{json .}}")
	if err != nil {
		return nil
	}
	var info engineInfo
	if err := json.Unmarshal(out, &info); err != nil {
		return nil
	}
	return info.flags()
}

// engineInfo is what Docker and nerdctl, and in Host and Store what Podman, say of themselves.
type engineInfo struct {
	Driver          string
	DriverStatus    [][]string
	SecurityOptions []string
	Host            struct {
		Security struct{ Rootless bool }
	}
	Store struct {
		GraphDriverName string
		GraphStatus     map[string]string
	}
}

func (i engineInfo) flags() []string {
	var flags []string
	option := func(name string) bool {
		return slices.ContainsFunc(i.SecurityOptions, func(o string) bool { return strings.Contains(o, "name="+name) })
	}
	if option("userns") {
		flags = append(flags, "--userns=host")
	}
	if option("rootless") || i.Host.Security.Rootless {
		return append(flags, "--device", "/dev/fuse")
	}
	if slices.ContainsFunc(i.storage(), func(s string) bool { return slices.Contains([]string{"btrfs", "zfs", "devicemapper", "xfs"}, s) }) {
		flags = append(flags, "--volume", "/dev/mapper:/dev/mapper")
	}
	return flags
}

// storage are the storage driver and the file system that it is on.
func (i engineInfo) storage() []string {
	found := []string{i.Driver, i.Store.GraphDriverName, i.Store.GraphStatus["Backing Filesystem"]}
	for _, pair := range i.DriverStatus {
		if len(pair) == 2 && pair[0] == "Backing Filesystem" {
			found = append(found, pair[1])
		}
	}
	for n := range found {
		found[n] = strings.ToLower(found[n])
	}
	return found
}
