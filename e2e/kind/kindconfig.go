package kind

import (
	"fmt"

	"sigs.k8s.io/kind/pkg/apis/config/v1alpha4"

	"github.com/simcloud-dev/simcloud/e2e"
)

// serviceCIDR has both families, so that Services can ask for either or both.
const serviceCIDR = "10.96.0.0/16,fd00:10:96::/112"

// How often a kubelet says that it lives, and how long the control plane bears
// its silence: as long as two busy cores need.
const (
	heartbeat = "1s"
	nodeLease = 6 // seconds; kubelets renew it four times in it
	nodeGrace = "16s"
)

// kindConfig is the cluster as kind makes it: its control plane alone.
func (b *Backend) kindConfig() *v1alpha4.Cluster {
	config := &v1alpha4.Cluster{
		Name:  b.Config.Name,
		Nodes: []v1alpha4.Node{{Role: v1alpha4.ControlPlaneRole, Image: b.Image}},
		Networking: v1alpha4.Networking{
			IPFamily: v1alpha4.IPv4Family, PodSubnet: e2e.ClusterCIDR, APIServerAddress: "127.0.0.1", DisableDefaultCNI: true,
		},
		KubeadmConfigPatches: []string{clusterPatch(), kubeletPatch(), registrationPatch("InitConfiguration"), patiencePatch()},
	}
	v1alpha4.SetDefaultsCluster(config)
	return config
}

// clusterPatch makes the control plane one for an external cloud provider, and
// as quick to notice and to start as a cluster of one machine can be.
func clusterPatch() string {
	return fmt.Sprintf(`
kind: ClusterConfiguration
apiVersion: kubeadm.k8s.io/v1beta4
networking:
  serviceSubnet: %q
apiServer:
  extraArgs:
  - {name: enable-priority-and-fairness, value: "false"}
  - {name: profiling, value: "false"}
controllerManager:
  extraArgs:
  - {name: cloud-provider, value: external}
  - {name: node-monitor-period, value: 500ms}
  - {name: node-monitor-grace-period, value: %s}
  - {name: concurrent-namespace-syncs, value: "20"}
  - {name: leader-elect, value: "false"}
  - {name: kube-api-qps, value: "1000"}
  - {name: kube-api-burst, value: "2000"}
scheduler:
  extraArgs:
  - {name: leader-elect, value: "false"}
  - {name: kube-api-qps, value: "1000"}
  - {name: kube-api-burst, value: "2000"}
etcd:
  local:
    extraArgs:
    - {name: unsafe-no-fsync, value: "true"}
`, serviceCIDR, nodeGrace)
}

// kubeletPatch is for all kubelets. On hosts with cgroup v1, and on those where
// no process may lower an oom_score_adj, they must not insist.
func kubeletPatch() string {
	return fmt.Sprintf(`
kind: KubeletConfiguration
apiVersion: kubelet.config.k8s.io/v1beta1
failCgroupV1: false
oomScoreAdj: 0
nodeStatusUpdateFrequency: %s
nodeStatusReportFrequency: %s
nodeLeaseDurationSeconds: %d
`, heartbeat, heartbeat, nodeLease)
}

// registrationPatch leaves the providerID to the CCM: kind's own is foreign to every one.
func registrationPatch(kind string) string {
	return fmt.Sprintf(`
kind: %s
apiVersion: kubeadm.k8s.io/v1beta4
nodeRegistration:
  kubeletExtraArgs:
  - {name: cloud-provider, value: external}
  - {name: provider-id, value: ""}
`, kind)
}

// patiencePatch has kubeadm wait for an API server as long as a busy machine needs: its own minute for a call is over
// there before etcd has answered. What bounds the start of a cluster is its context.
func patiencePatch() string {
	return `
kind: InitConfiguration
apiVersion: kubeadm.k8s.io/v1beta4
timeouts:
  controlPlaneComponentHealthCheck: 10m
  kubernetesAPICall: 5m
`
}
