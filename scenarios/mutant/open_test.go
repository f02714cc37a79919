package mutant

import (
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest"
)

// TestOpenWithTransport: all that a mutant asks of the cloud goes by the transport that it is given, also when it changes that.
func TestOpenWithTransport(t *testing.T) {
	t.Parallel()
	for _, name := range []string{None, "rate-limit-exhausted", "token-not-renewed"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { openOnWire(t, name) })
		})
	}
}

func openOnWire(t *testing.T, name string) {
	cloud, network, admin := simtest.OpenWire(t, "test")
	made, err := admin.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "node-1"})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "cloud.yaml")
	for path, content := range map[string]string{
		filepath.Join(dir, "token"): cloud.Token(),
		file:                        "endpoint: " + cloud.URL() + "\ntokenFile: token\n",
	} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	m, err := Find(name)
	if err != nil {
		t.Fatal(err)
	}
	transport := network.Transport()
	defer transport.CloseIdleConnections()
	provider, err := Open(m, file, transport)
	if err != nil {
		t.Fatal(err)
	}
	instances, _ := provider.InstancesV2()
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node-1"}, Spec: corev1.NodeSpec{ProviderID: "simcloud://region-1/" + string(made.Resource.ID)}}
	if exists, err := instances.InstanceExists(t.Context(), node); err != nil || !exists {
		t.Errorf("InstanceExists = %v, %v", exists, err)
	}
}
