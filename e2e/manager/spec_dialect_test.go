package manager

import (
	"os"
	"path/filepath"
	"testing"
)

// TestDialectOfACommand: the wire format is that of the endpoint which a command, a file of it or a manifest names.
func TestDialectOfACommand(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "ccm.yaml"), []byte("args: [--url={endpoint:hcloud}]"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		spec CCMSpec
		want string
	}{
		{CCMSpec{Args: []string{"--x", "{endpoint}", "{endpoint:simcloud}"}}, ""},
		{CCMSpec{Args: []string{"--x={endpoint:aws}/y"}}, "aws"},
		{CCMSpec{Env: []string{"URL={endpoint:hcloud}"}}, "hcloud"},
		{CCMSpec{ConfigFiles: map[string]string{"cloud.conf": "[Global]\nauth-url={endpoint:openstack}/identity"}}, "openstack"},
		{CCMSpec{Manifests: &Manifests{Dir: folder}}, "hcloud"},
		{CCMSpec{Manifests: &Manifests{Dir: filepath.Join(folder, "none")}}, ""},
	} {
		if d, found := c.spec.Dialect(); d.Name != c.want || found != (c.want != "") {
			t.Errorf("%+v speaks %q, want %q", c.spec, d.Name, c.want)
		}
	}
}
