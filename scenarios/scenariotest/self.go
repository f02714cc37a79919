package scenariotest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/simcloud-dev/simcloud/e2e/manager"
)

// envSelf makes the test binary the CCM of its own tests.
const envSelf = "SIMCLOUD_SCENARIOTEST_SELF"

// Main is for TestMain. In a process that [Self] has started it runs the CCM, a
// function with its command line that returns the exit code, and does not
// return; else it runs the tests.
//
//	func TestMain(m *testing.M) { os.Exit(scenariotest.Main(m, run)) }
func Main(m *testing.M, ccm func(args []string) int) int {
	if os.Getenv(envSelf) != "" {
		return ccm(os.Args[1:])
	}
	return m.Run()
}

// Self is a CCM that is another process of this test binary: it can be killed
// and paused as any other. TestMain has to call [Main]. The arguments may have
// placeholders; without any it gets the flags of simcloud-ccm.
func Self(t *testing.T, args ...string) manager.CCMSpec {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if len(args) == 0 {
		args = []string{"{flags}"}
	}
	return manager.CCMSpec{Name: filepath.Base(path), Path: path, Args: args, Env: []string{envSelf + "=1"}}
}
