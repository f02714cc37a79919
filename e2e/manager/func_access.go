package manager

import (
	"path/filepath"
	"slices"

	"github.com/simcloud-dev/simcloud/e2e/control"
)

// access is what a CCM in this process gets, but for its network and its log. It writes the config files of the subject, and
// adds their placeholders to the values.
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
