package manager

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"github.com/simcloud-dev/simcloud/e2e/control"
	"github.com/simcloud-dev/simcloud/e2e/kubeconfig"
)

// ccmFiles are the files that a CCM gets, in a folder of its own.
type ccmFiles struct {
	dir         string
	kubeconfig  string
	cloudConfig string
	log         string
	token       *ccmToken // of the cloud
}

// newCCMFiles names the files of a CCM in the folder of its cluster.
func newCCMFiles(dir, name string, token *ccmToken) ccmFiles {
	own := filepath.Join(dir, name)
	return ccmFiles{
		dir:         own,
		kubeconfig:  filepath.Join(own, "kubeconfig"),
		cloudConfig: filepath.Join(own, "cloud-config.yaml"),
		log:         filepath.Join(dir, "logs", name+".log"),
		token:       token,
	}
}

// write makes the files; the token in the kubeconfig is a new one. Keys of the
// cloud config that are not given have defaults that fit.
func (f ccmFiles) write(ctx context.Context, d Deps, api *kubeAPI, settings control.Settings) error {
	config := map[string]any{"endpoint": d.Cloud.Local, "tokenFile": f.token.file}
	maps.Copy(config, settings.Config)
	raw, err := yaml.Marshal(config)
	if err != nil {
		return fmt.Errorf("write %s: %w", f.cloudConfig, err)
	}
	if err := kubeconfig.WriteSecret(f.cloudConfig, raw); err != nil {
		return fmt.Errorf("write %s: %w", f.cloudConfig, err)
	}
	if err := f.writeClientCA(d.Kube.Config); err != nil {
		return err
	}
	access, err := ccmAccess(ctx, d.Kube.Client, d.Kube.Config)
	if err == nil && settings.Proxied {
		access, err = api.proxied(access)
	}
	if err != nil {
		return err
	}
	f.token.secrets.add(clusterSecret, access.BearerToken)
	return kubeconfig.Write(f.kubeconfig, d.Kube.Name, ccmServiceAccount, access)
}

// clientCAFile, in the folder of a CCM, has the authority of the cluster, which
// has signed the certificate of its admin.
const clientCAFile = "client-ca.crt"

func (f ccmFiles) writeClientCA(access *rest.Config) error {
	authority := access.CAData
	if len(authority) == 0 && access.CAFile != "" {
		var err error
		if authority, err = os.ReadFile(access.CAFile); err != nil {
			return fmt.Errorf("read the cluster's authority: %w", err)
		}
	}
	path := filepath.Join(f.dir, clientCAFile)
	if err := kubeconfig.WriteSecret(path, authority); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// placeholders returns what the placeholders of a subject stand for.
func (f ccmFiles) placeholders(d Deps, securePort int) (map[string]string, error) {
	token, err := os.ReadFile(f.token.file)
	if err != nil {
		return nil, fmt.Errorf("read the cloud's token: %w", err)
	}
	return withFormats(map[string]string{
		phKubeconfig:  f.kubeconfig,
		phCloudConfig: f.cloudConfig,
		phEndpoint:    d.Cloud.Local,
		phTokenFile:   f.token.file,
		phToken:       strings.TrimSpace(string(token)),
		phClusterName: d.Kube.Name,
		phClusterCIDR: d.Kube.PodCIDR,
		phSecurePort:  strconv.Itoa(securePort),
		phDir:         f.dir,
	}), nil
}

// environment returns what a CCM finds in its environment besides what this process has.
func (f ccmFiles) environment(d Deps) []string {
	return []string{
		"KUBECONFIG=" + f.kubeconfig,
		"SIMCLOUD_ENDPOINT=" + d.Cloud.Local,
		"SIMCLOUD_TOKEN_FILE=" + f.token.file,
	}
}

// ccmFlags are the flags of simcloud-ccm. The periods are short, so that what
// takes a controller a minute in a data centre takes a second here; no leader
// is elected, because a killed leader would delay the next by 15 seconds.
func ccmFlags(t Timings) []string {
	return append([]string{
		"--cloud-provider=simcloud",
		"--cloud-config=" + phCloudConfig,
		"--kubeconfig=" + phKubeconfig,
		"--authentication-kubeconfig=" + phKubeconfig,
		"--client-ca-file=" + filepath.Join(phDir, clientCAFile), // so that it knows an admin from the start
		"--cluster-name=" + phClusterName,
		"--cluster-cidr=" + phClusterCIDR,
		"--bind-address=127.0.0.1",
		"--secure-port=" + phSecurePort,
		"--leader-elect=false",
	}, paceFlags(t)...)
}

// paceFlags are those of the flags that say how fast simcloud-ccm works.
func paceFlags(t Timings) []string {
	return []string{
		"--node-monitor-period=" + t.NodeMonitor.String(),
		"--node-status-update-frequency=" + t.NodeStatusUpdate.String(),
		"--route-reconciliation-period=" + t.RouteReconciliation.String(),
		"--concurrent-node-syncs=4",
		"--concurrent-service-syncs=4",
		"--kube-api-qps=200",
		"--kube-api-burst=400",
	}
}
