package scenarios_test

import (
	"testing"

	"github.com/simcloud-dev/simcloud/e2e/manager"
	"github.com/simcloud-dev/simcloud/e2e/planetest"
	"github.com/simcloud-dev/simcloud/e2e/subject"
	"github.com/simcloud-dev/simcloud/scenarios/profile"
)

// TestCoreWithAWS: AWS's own CCM, built from its published source, passes the core scenarios. What builds it takes minutes;
// where that was not done the test is skipped, and "make aws" runs the same at night.
func TestCoreWithAWS(t *testing.T) {
	planetest.Cluster(t)
	p, err := profile.Find("aws")
	if err != nil {
		t.Fatal(err)
	}
	s, err := subject.Find(p.Subject)
	if err != nil {
		t.Fatal(err)
	}
	binary, built := s.Built()
	if !built {
		t.Skipf("%s is needed, which \"make subject-aws\" builds", s.Title)
	}
	spec, err := manager.NewCCMSpec(binary, p.Args, p.Env, p.Config)
	if err != nil {
		t.Fatal(err)
	}
	passesCore(t, p, spec)
}
