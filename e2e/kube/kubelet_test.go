package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

func TestKubeletFlags(t *testing.T) {
	good := []string{"--name=node-1", "--kubeconfig=k", "--root-dir=d"}
	tests := map[string]struct {
		args []string
		want string // of the error; "" is none
	}{
		"Good":        {good, ""},
		"Labels":      {append(good, "--node-labels=a=1,example.com/b=2"), ""},
		"NoName":      {good[1:], "--name"},
		"BadName":     {append(good, "--name=Node_1"), "--name"},
		"NoConfig":    {[]string{"--name=n", "--root-dir=d"}, "--kubeconfig"},
		"NoRoot":      {[]string{"--name=n", "--kubeconfig=k"}, "--root-dir"},
		"PortNoTLS":   {append(good, "--port=1"), "--tls-cert-file"},
		"NoCPU":       {append(good, "--cpus=0"), "--cpus"},
		"PortWithTLS": {append(good, "--port=1", "--tls-cert-file=c", "--tls-private-key-file=k", "--client-ca-file=a"), ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var o kubeletOptions
			fs := pflag.NewFlagSet("sandbox-kubelet", pflag.ContinueOnError)
			o.addFlags(fs)
			if err := fs.Parse(tt.args); err != nil {
				t.Fatal(err)
			}
			err := o.validate()
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

// TestKubeletConfig keeps what makes this kubelet a machine of a cloud.
func TestKubeletConfig(t *testing.T) {
	o := kubeletOptions{name: "node-1", port: 1234, labels: map[string]string{"a": "1"}}
	flags, config, err := kubeletConfig(o, "/root-dir")
	if err != nil {
		t.Fatal(err)
	}
	if flags.CloudProvider != "external" || config.ProviderID != "" || flags.NodeIP != "" {
		t.Errorf("cloud provider %q, provider id %q, node IP %q: these are the cloud controller manager's", flags.CloudProvider, config.ProviderID, flags.NodeIP)
	}
	if flags.HostnameOverride != "node-1" || flags.NodeLabels["a"] != "1" {
		t.Errorf("name %q, labels %v", flags.HostnameOverride, flags.NodeLabels)
	}
	if config.Address != "127.0.0.1" || config.Port != 1234 || config.ReadOnlyPort != 0 {
		t.Errorf("listens on %s:%d and, read-only, %d", config.Address, config.Port, config.ReadOnlyPort)
	}
	for _, path := range []string{flags.RootDirectory, flags.CertDirectory, config.PodLogsDir, config.VolumePluginDir} {
		if !strings.HasPrefix(path, "/root-dir") {
			t.Errorf("writes to %s", path)
		}
	}
}

// TestEnterRoot takes a folder whose path is too long for a unix socket.
func TestEnterRoot(t *testing.T) {
	t.Chdir(t.TempDir())
	dir := filepath.Join(t.TempDir(), strings.Repeat("long-", 40))
	file, none := "kubeconfig", ""
	root, err := enterRoot(dir, &file, &none)
	if err != nil {
		t.Fatal(err)
	}
	if !filepath.IsAbs(file) || none != "" {
		t.Errorf("files are %q and %q", file, none)
	}
	if len(root) > 50 {
		t.Skipf("no short name for a folder on this system: %s", root)
	}
	if err := os.WriteFile(filepath.Join(root, "x"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "x")); err != nil {
		t.Error(err)
	}
}
