package ccm

import (
	"context"
	"testing"
	"testing/synctest"

	"k8s.io/component-base/metrics"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest"
)

// TestOpenWith: a program can have several providers, each with a transport of its own.
func TestOpenWith(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cloud, network, admin := simtest.OpenWire(t, "test")
		made, err := admin.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "node-1"})
		if err != nil {
			t.Fatal(err)
		}
		file := writeConfig(t, cloud.Token(), "endpoint: "+cloud.URL()+"\ntokenFile: token\n")
		for range 2 {
			transport := network.Transport()
			provider, err := OpenWith(t.Context(), file, Options{Transport: transport, Register: metrics.NewKubeRegistry().Register})
			if err != nil {
				t.Fatal(err)
			}
			node := namedNode("node-1")
			node.Spec.ProviderID = "simcloud://region-1/" + string(made.Resource.ID)
			if exists, err := provider.instances.InstanceExists(context.Background(), node); err != nil || !exists {
				t.Errorf("InstanceExists = %v, %v", exists, err)
			}
			transport.CloseIdleConnections()
		}
	})
}
