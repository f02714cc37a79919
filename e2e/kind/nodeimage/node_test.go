package nodeimage

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// testParts are parts with the least that kind and containerd bring.
func testParts(t *testing.T) parts {
	t.Helper()
	p := parts{kube: write(t, t.TempDir(), "simcloud-kube"), wrapper: write(t, t.TempDir(), "ociwrap"), runtime: t.TempDir(), kind: t.TempDir()}
	for _, name := range containerdPrograms() {
		write(t, p.runtime, name)
	}
	for _, name := range []string{"usr/local/bin/entrypoint", "kind/bin/undo-mount-hacks.sh", "etc/systemd/system/kubelet.service", "etc/containerd/config.toml"} {
		write(t, p.kind, name)
	}
	p.runtimeSpec = []byte("{}")
	return p
}

// write makes a file whose content is its name.
func write(t *testing.T, dir, name string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(name), 0o600)); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestNodeLayer looks for what systemd, kind and kubeadm go by.
func TestNodeLayer(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	w := newLayerWriter(&out, rootFolders()...)
	writeNode(w, testParts(t))
	if err := w.close(); err != nil {
		t.Fatal(err)
	}
	layer := out.Bytes()
	files, modes := entries(t, bytes.NewReader(layer)), modesOf(t, layer)
	for name, want := range map[string]string{
		"usr/bin/simcloud-kube":  "simcloud-kube",
		"usr/bin/kubelet":        "simcloud-kube",
		"usr/bin/kubeadm":        "simcloud-kube",
		"usr/local/sbin/runc":    "ociwrap",
		"opt/cni/bin/host-local": "/usr/lib/cni/host-local",
		"etc/systemd/system/multi-user.target.wants/kubelet.service":    "/etc/systemd/system/kubelet.service",
		"etc/systemd/system/multi-user.target.wants/containerd.service": "/etc/systemd/system/containerd.service",
		"etc/systemd/system/systemd-binfmt.service":                     "/dev/null",
		"kind/version":                 "v1.37.1",
		"etc/containerd/cri-base.json": "{}",
		"etc/kubernetes/manifests":     "",
		"usr/local/bin/entrypoint":     "usr/local/bin/entrypoint",
		"kind/bin/undo-mount-hacks.sh": "kind/bin/undo-mount-hacks.sh",
		"etc/containerd/config.toml":   "etc/containerd/config.toml",
		"usr/local/bin/ctr":            "ctr",
	} {
		got, there := files[name]
		if !there || got != want {
			t.Errorf("%s: %q, there: %t; want %q", name, got, there, want)
		}
	}
	for name, want := range map[string]int64{
		"usr/local/bin/entrypoint": 0o755, "kind/bin/undo-mount-hacks.sh": 0o755, "usr/bin/simcloud-kube": 0o755,
		"etc/systemd/system/kubelet.service": 0o644, "etc/containerd/config.toml": 0o644,
	} {
		if modes[name] != want {
			t.Errorf("%s has the mode %o, want %o", name, modes[name], want)
		}
	}
}

func modesOf(t *testing.T, layer []byte) map[string]int64 {
	t.Helper()
	modes := map[string]int64{}
	for in := tar.NewReader(bytes.NewReader(layer)); ; {
		header, err := in.Next()
		if errors.Is(err, io.EOF) {
			return modes
		}
		if err != nil {
			t.Fatal(err)
		}
		modes[header.Name] = header.Mode
	}
}
