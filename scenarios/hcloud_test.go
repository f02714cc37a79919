package scenarios_test

import (
	"os"
	"os/exec"
	"testing"

	"github.com/simcloud-dev/simcloud/e2e/manager"
	"github.com/simcloud-dev/simcloud/e2e/planetest"
	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/profile"
)

// envHcloud names the binary of Hetzner's CCM.
const envHcloud = "SIMCLOUD_HCLOUD_CCM"

// TestCoreWithHcloud: Hetzner's own CCM, as it is published, passes the core scenarios. The
// test needs its binary, by envHcloud or in PATH.
func TestCoreWithHcloud(t *testing.T) {
	planetest.Cluster(t)
	p, err := profile.Find("hcloud")
	if err != nil {
		t.Fatal(err)
	}
	binary := os.Getenv(envHcloud)
	if binary == "" {
		if binary, err = exec.LookPath(p.Binary); err != nil {
			t.Skipf("the binary of Hetzner's CCM is needed: neither is %s set, nor is %s in PATH", envHcloud, p.Binary)
		}
	}
	p.Binary = binary
	subject, err := manager.NewCCMSpec(p.Binary, p.Args, p.Env, p.Config)
	if err != nil {
		t.Fatal(err)
	}
	passesCore(t, p, subject)
}

// passesCore fails the test unless the CCM of a profile passes the core scenarios.
func passesCore(t *testing.T, p profile.Profile, subject manager.CCMSpec) {
	t.Helper()
	subject.Rights = p.Rights
	b := newBench(t, subject)
	b.profile = p
	for _, r := range b.run(core(t)).Scenarios {
		if r.Status != scenarios.Passed {
			t.Errorf("%s is %s", r.Name, r.Status)
		}
	}
}
