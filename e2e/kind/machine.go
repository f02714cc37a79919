package kind

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/simcloud-dev/simcloud/e2e/machine"
)

// What is mounted into a machine, below its folder on this host.
const (
	etcFolder = "etc"               // at mounted
	cniFolder = "cni"               // at /etc/cni/net.d
	unitFile  = "kubelet-unit.conf" // a drop-in for the kubelet's unit
)

// machineMounts are the flags that bring a machine's folder into its container.
func machineMounts(dir string) []string {
	return []string{
		"--volume", filepath.Join(dir, etcFolder) + ":" + mounted + ":ro",
		"--volume", filepath.Join(dir, cniFolder) + ":/etc/cni/net.d",
		"--volume", filepath.Join(dir, unitFile) + ":/etc/systemd/system/kubelet.service.d/20-simcloud.conf:ro",
	}
}

// writeMachine writes a machine's folder as it has to be at a boot: without
// the pod network, which waits for the Node's pod CIDRs. Files are written in place,
// since a container that is kept has them mounted.
func (p *plane) writeMachine(dir string, spec machine.Spec) error {
	etc, cni := filepath.Join(dir, etcFolder), filepath.Join(dir, cniFolder)
	if err := errors.Join(os.MkdirAll(etc, 0o700), os.MkdirAll(cni, 0o700), removeIfThere(filepath.Join(cni, cniFile))); err != nil {
		return fmt.Errorf("make the folder of %s: %w", spec.Name, err)
	}
	pair, err := p.authority.kubelet(spec.Name, time.Now())
	if err != nil {
		return err
	}
	kubeconfig, err := p.machineKubeconfig()
	if err != nil {
		return err
	}
	config, err := p.machineConfig()
	if err != nil {
		return err
	}
	for path, content := range map[string][]byte{
		filepath.Join(etc, "ca.crt"): p.authority.PEM, filepath.Join(etc, "kubelet.pem"): pair,
		filepath.Join(etc, "kubelet.conf"): kubeconfig, filepath.Join(etc, "kubelet.yaml"): config,
		filepath.Join(dir, unitFile): []byte(kubeletUnit(spec)),
	} {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			return fmt.Errorf("write for %s: %w", spec.Name, err)
		}
	}
	return nil
}

func removeIfThere(path string) error {
	if err := os.Remove(path); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}
