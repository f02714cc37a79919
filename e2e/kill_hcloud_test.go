package e2e_test

import (
	"os"
	"testing"

	"github.com/simcloud-dev/simcloud/e2e/manager"
	"github.com/simcloud-dev/simcloud/e2e/planetest"
	"github.com/simcloud-dev/simcloud/scenarios/profile"
)

// envHcloud names the binary of Hetzner's CCM.
const envHcloud = "SIMCLOUD_HCLOUD_CCM"

// TestKillsOfHcloud does what TestKillAtEveryCall does to Hetzner's own CCM, as it is published: killed before
// and after each call for a Service, a node and its route, it must end with one load balancer and leave nothing behind.
func TestKillsOfHcloud(t *testing.T) {
	planetest.Cluster(t)
	planetest.Nightly(t, "the CCM is not ours, and the run takes ten minutes")
	binary := os.Getenv(envHcloud)
	if binary == "" {
		t.Skipf("the binary of Hetzner's CCM is needed: %s is not set", envHcloud)
	}
	p, err := profile.Find("hcloud=" + binary)
	if err != nil {
		t.Fatal(err)
	}
	subject, err := manager.NewCCMSpec(p.Binary, p.Args, p.Env, p.Config)
	if err != nil {
		t.Fatal(err)
	}
	cluster := planetest.Borrow(t, subject)
	if _, err := cluster.Cloud.UpdateConfig(t.Context(), *p.Cloud); err != nil {
		t.Fatal(err)
	}
	killAtEveryCall(t, cluster)
}
