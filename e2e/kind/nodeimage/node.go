package nodeimage

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/simcloud-dev/simcloud/e2e/embedded"
)

// parts are what the node's own layer is made of: paths on this machine.
type parts struct {
	kube, wrapper string // programs
	runtime       string // the folder of containerd's programs
	kind          string // the folder of kind's files
	runtimeSpec   []byte // what containerd starts a container's specification from
}

// rootFolders are those of the Debian root that the layers above it write to.
func rootFolders() []string {
	return []string{"etc/default", "etc/sysctl.d", "etc/systemd/system", "opt", "usr/bin", "usr/local/bin", "usr/local/sbin", "var/lib"}
}

// writeNode writes what makes a node of a Debian root: what the Dockerfile of
// kind's own image does, and what "kind build node-image" adds.
func writeNode(w *layerWriter, p parts) {
	for _, folder := range []string{"etc", "kind", "usr"} {
		w.tree(folder, filepath.Join(p.kind, folder), kindMode)
	}
	for _, name := range containerdPrograms() {
		w.file("usr/local/bin/"+name, 0o755, filepath.Join(p.runtime, name))
	}
	w.bytes("etc/containerd/cri-base.json", 0o644, p.runtimeSpec)
	w.file("usr/local/sbin/runc", 0o755, p.wrapper) // before Debian's own runc on the PATH
	for _, name := range cniPlugins() {
		w.link("opt/cni/bin/"+name, "/usr/lib/cni/"+name)
	}
	w.file("usr/bin/simcloud-kube", 0o755, p.kube)
	for _, name := range []string{"kubeadm", "kubectl", "kubelet"} {
		w.link("usr/bin/"+name, "simcloud-kube")
	}
	w.folder("etc/kubernetes/manifests", 0o755)
	w.bytes("usr/local/bin/crictl", 0o755, []byte(crictl))
	w.bytes("kind/version", 0o644, []byte(embedded.KubernetesVersion))
	w.bytes("kind/manifests/default-storage.yaml", 0o644, []byte(storageClass))
	writeUnits(w)
}

// writeUnits says what systemd starts, and not: the registration of binary
// formats would be the whole machine's, and the kernel's log is the host's.
func writeUnits(w *layerWriter) {
	for _, name := range []string{"containerd", "kubelet", "undo-mount-hacks"} {
		w.link("etc/systemd/system/multi-user.target.wants/"+name+".service", "/etc/systemd/system/"+name+".service")
	}
	w.link("etc/systemd/system/systemd-binfmt.service", "/dev/null")
	w.bytes("etc/systemd/journald.conf.d/kind.conf", 0o644, []byte("[Journal]\nReadKMsg=no\n"))
}

// kindMode is what kind's Dockerfile gives a file.
func kindMode(name string) int64 {
	if dir := path.Dir(name); strings.HasSuffix(dir, "/bin") {
		return 0o755
	}
	return 0o644
}

// storageClass is the default one: kind applies it to every cluster. Nothing
// here makes volumes, so a claim waits for one that somebody else makes.
const storageClass = `apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata:
  name: standard
  annotations:
    storageclass.kubernetes.io/is-default-class: "true"
provisioner: kubernetes.io/no-provisioner
volumeBindingMode: WaitForFirstConsumer
`

// crictl lists the images, for which kind's export of logs calls it.
const crictl = `#!/bin/sh
if [ "$*" = images ]; then
	exec ctr --namespace k8s.io images list
fi
echo "crictl: this node has it for the list of images alone; ctr --namespace k8s.io does the rest" >&2
exit 1
`

// runtimeSpec is containerd's default specification of a container with kind's
// hook, which hides the machine's serial number, and without limits: a host may not let them be raised.
func (b *builder) runtimeSpec(ctx context.Context, programs string) ([]byte, error) {
	out, err := b.output(ctx, filepath.Join(programs, "ctr"), "oci", "spec")
	if err != nil {
		return nil, err
	}
	var spec map[string]any
	if err := json.Unmarshal(out, &spec); err != nil {
		return nil, fmt.Errorf("ctr oci spec: %w", err)
	}
	if process, ok := spec["process"].(map[string]any); ok {
		delete(process, "rlimits")
	}
	spec["hooks"] = map[string]any{"createContainer": []any{map[string]any{"path": "/kind/bin/mount-product-files.sh"}}}
	return json.Marshal(spec)
}
