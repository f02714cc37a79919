package e2e

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"time"

	"sigs.k8s.io/yaml"
)

// ccmFiles are the files that a CCM gets, in a folder of its own.
type ccmFiles struct {
	dir         string
	kubeconfig  string
	cloudConfig string
	log         string
}

func newCCMFiles(dir string) ccmFiles {
	own := filepath.Join(dir, "ccm")
	return ccmFiles{
		dir:         own,
		kubeconfig:  filepath.Join(own, "kubeconfig"),
		cloudConfig: filepath.Join(own, "cloud-config.yaml"),
		log:         filepath.Join(dir, "logs", "ccm.log"),
	}
}

// cloudConfig is the configuration of simcloud-ccm. Its other keys have defaults that fit.
type cloudConfig struct {
	Endpoint  string `json:"endpoint"`
	TokenFile string `json:"tokenFile"`
}

// write makes the files; the token in the kubeconfig is a new one.
func (f ccmFiles) write(ctx context.Context, c *Cluster) error {
	raw, err := yaml.Marshal(cloudConfig{Endpoint: c.CloudURL, TokenFile: c.TokenFile})
	if err != nil {
		return fmt.Errorf("write %s: %w", f.cloudConfig, err)
	}
	if err := writeSecret(f.cloudConfig, raw); err != nil {
		return fmt.Errorf("write %s: %w", f.cloudConfig, err)
	}
	access, err := ccmAccess(ctx, c.Kube, c.RESTConfig)
	if err != nil {
		return err
	}
	return writeKubeconfig(f.kubeconfig, c.Name, ccmServiceAccount, access)
}

// placeholders returns what the placeholders of a subject stand for.
func (f ccmFiles) placeholders(c *Cluster, securePort int) map[string]string {
	return map[string]string{
		phKubeconfig:  f.kubeconfig,
		phCloudConfig: f.cloudConfig,
		phEndpoint:    c.CloudURL,
		phTokenFile:   c.TokenFile,
		phClusterName: c.Name,
		phClusterCIDR: ClusterCIDR,
		phSecurePort:  strconv.Itoa(securePort),
		phDir:         f.dir,
	}
}

// environment returns what a CCM finds in its environment besides what this process has.
func (f ccmFiles) environment(c *Cluster) []string {
	return []string{
		"KUBECONFIG=" + f.kubeconfig,
		"SIMCLOUD_ENDPOINT=" + c.CloudURL,
		"SIMCLOUD_TOKEN_FILE=" + c.TokenFile,
	}
}

// ccmFlags are the flags of simcloud-ccm. The periods are short, so that what
// takes a controller a minute in a data centre takes a second here; no leader
// is elected, because a killed leader would delay the next by 15 seconds.
func ccmFlags(t Timings) []string {
	period := func(d time.Duration) string { return d.String() }
	return []string{
		"--cloud-provider=simcloud",
		"--cloud-config=" + phCloudConfig,
		"--kubeconfig=" + phKubeconfig,
		"--cluster-name=" + phClusterName,
		"--cluster-cidr=" + phClusterCIDR,
		"--bind-address=127.0.0.1",
		"--secure-port=" + phSecurePort,
		"--leader-elect=false",
		"--node-monitor-period=" + period(t.NodeMonitor),
		"--node-status-update-frequency=" + period(t.NodeStatusUpdate),
		"--route-reconciliation-period=" + period(t.RouteReconciliation),
		"--concurrent-node-syncs=4",
		"--concurrent-service-syncs=4",
		"--kube-api-qps=200",
		"--kube-api-burst=400",
	}
}
