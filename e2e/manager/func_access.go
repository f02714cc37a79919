package manager

import (
	"path/filepath"
	"slices"

	"github.com/simcloud-dev/simcloud/e2e/control"
)

// access returns what a CCM in this process gets. The caller adds the network and the log. The config files of the subject are
// written, and their placeholders are added to the values.
func (f ccmFiles) access(d Deps, subject CCMSpec, settings control.Settings, values map[string]string) (Access, error) {
	if err := f.writeConfigFiles(subject.ConfigFiles, values); err != nil {
		return Access{}, err
	}
	configs := map[string]string{}
	for name := range subject.ConfigFiles {
		configs[name] = filepath.Join(f.dir, configFolder, name)
	}
	return Access{
		Kubeconfig: f.kubeconfig, CloudConfig: f.cloudConfig, TokenFile: f.token.file,
		Endpoint: d.Cloud.Local, ClusterName: d.Kube.Name, ClusterCIDR: d.Kube.PodCIDR, Dir: f.dir,
		Env: subject.environment(values), ConfigFiles: configs,
		Flags: CCMSpec{Args: slices.Concat(ccmFlags(d.Timings), settings.Flags)}.expand(values, nil),
	}, nil
}
