package scenarios_test

import (
	"os"
	"os/exec"
	"testing"

	"github.com/simcloud-dev/simcloud/e2e/manager"
	"github.com/simcloud-dev/simcloud/e2e/planetest"
	"github.com/simcloud-dev/simcloud/scenarios/profile"
)

// envOpenStack names the binary of OpenStack's CCM.
const envOpenStack = "SIMCLOUD_OPENSTACK_CCM"

// TestCoreWithOpenStack: OpenStack's own CCM, as it is published, passes the core scenarios where kubelets are told their
// addresses. The test needs its binary, by envOpenStack or in PATH.
func TestCoreWithOpenStack(t *testing.T) {
	planetest.Cluster(t)
	p, err := profile.Find("openstack-node-ip")
	if err != nil {
		t.Fatal(err)
	}
	binary := os.Getenv(envOpenStack)
	if binary == "" {
		if binary, err = exec.LookPath(p.Binary); err != nil {
			t.Skipf("the binary of OpenStack's CCM is needed: neither is %s set, nor is %s in PATH", envOpenStack, p.Binary)
		}
	}
	p.Binary = binary
	subject, err := manager.NewCCMSpec(p.Binary, p.Args, p.Env, p.Config)
	if err != nil {
		t.Fatal(err)
	}
	passesCore(t, p, subject)
}
