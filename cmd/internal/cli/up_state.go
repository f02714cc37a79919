package cli

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"time"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/sandbox"
)

// statePeriod is how old the state file may be.
const statePeriod = time.Second

// keepState keeps the state file current until ctx is done. A state that
// cannot be written, such as on a full disk, ends nothing.
func (u *up) keepState(ctx context.Context) error {
	tick := time.NewTicker(statePeriod)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if u.refresh() {
				if err := u.sandbox.WriteState(u.state); err != nil {
					u.progress.line("cannot write the sandbox's state: " + err.Error())
				}
			}
		case <-ctx.Done():
			return nil
		}
	}
}

// refresh reads how the CCM and the machines do, and reports whether that changed.
func (u *up) refresh() bool {
	ccm := u.cluster.CCM
	now := sandbox.CCM{
		Name: u.options.subject.Name, Running: ccm.Running(), Log: ccm.Log(),
		Kubeconfig: ccm.Kubeconfig(), CloudConfig: ccm.CloudConfig(), Exits: ccm.Exits(),
	}
	machines := u.cluster.Machines.List()
	if reflect.DeepEqual(now, u.state.CCM) && slices.Equal(machines, u.state.Machines) {
		return false
	}
	u.state.CCM, u.state.Machines = now, machines
	return true
}

// linkKubectl makes a folder with a kubectl for users who have none, and
// returns it; empty when there is one in PATH, or none to link to.
func (u *up) linkKubectl(kube string) (string, error) {
	if _, err := exec.LookPath("kubectl"); err == nil || kube == "" {
		return "", nil
	}
	dir := u.sandbox.Path("bin")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", exit.Environment(err)
	}
	kube, err := filepath.Abs(kube)
	if err != nil {
		return "", err
	}
	if err := os.Symlink(kube, filepath.Join(dir, "kubectl")); err != nil && !os.IsExist(err) {
		return "", exit.Environment(err)
	}
	return dir, nil
}
