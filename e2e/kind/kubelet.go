package kind

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"

	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/yaml"

	"github.com/simcloud-dev/simcloud/e2e"
	"github.com/simcloud-dev/simcloud/e2e/machine"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// mounted is where a machine finds what was written for it on this host. So it
// joins by itself when it boots, and nothing has to be run on it.
const mounted = "/etc/simcloud"

// parseKubeletConfig reads the configuration of a kubelet that kubeadm wrote.
func parseKubeletConfig(raw []byte) (map[string]any, error) {
	var config map[string]any
	if err := yaml.UnmarshalStrict(raw, &config); err != nil {
		return nil, fmt.Errorf("read the kubelet's configuration: %w", err)
	}
	if config["kind"] != "KubeletConfiguration" {
		return nil, simcloud.Errorf(simcloud.Internal, "backend/kind", "the control plane's %s is a %v, not a KubeletConfiguration", kubeletConfigFile, config["kind"])
	}
	return config, nil
}

// clone copies a configuration, whose fields may then be replaced.
func clone(config map[string]any) map[string]any { return maps.Clone(config) }

// machineConfig is the configuration of a machine's kubelet.
func (p *plane) machineConfig() ([]byte, error) {
	config := clone(p.kubelet)
	authentication := map[string]any{}
	if of, ok := config["authentication"].(map[string]any); ok {
		authentication = clone(of)
	}
	authentication["x509"] = map[string]any{"clientCAFile": mounted + "/ca.crt"}
	config["authentication"] = authentication
	config["containerRuntimeEndpoint"] = "unix:///run/containerd/containerd.sock"
	config["rotateCertificates"] = false // they are good for longer than the cluster
	delete(config, "staticPodPath")
	return yaml.Marshal(config)
}

// machineKubeconfig is the access of a machine's kubelet to the API.
func (p *plane) machineKubeconfig() ([]byte, error) {
	const name = "simcloud"
	config := api.NewConfig()
	config.Clusters[name] = &api.Cluster{Server: p.server, CertificateAuthority: mounted + "/ca.crt"}
	config.AuthInfos[name] = &api.AuthInfo{ClientCertificate: mounted + "/kubelet.pem", ClientKey: mounted + "/kubelet.pem"}
	config.Contexts[name] = &api.Context{Cluster: name, AuthInfo: name}
	config.CurrentContext = name
	return clientcmd.Write(*config)
}

// kubeletFlags are those of a machine's kubelet. It tells the cloud's
// addresses of the machine, when it has any, and leaves the providerID to the CCM.
func kubeletFlags(spec machine.Spec) []string {
	flags := []string{"--cloud-provider=external", "--hostname-override=" + spec.Name}
	switch {
	case len(spec.NodeIPs) > 0:
		flags = append(flags, "--node-ip="+strings.Join(spec.NodeIPs, ","))
	case len(spec.Addresses) > 0:
		flags = append(flags, "--node-ip="+joined(spec.Addresses))
	}
	labels := maps.Clone(spec.Labels)
	if labels == nil {
		labels = map[string]string{}
	}
	labels[labelMachine] = "container"
	return append(flags, "--node-labels="+labelList(labels))
}

func joined(addresses []netip.Addr) string {
	texts := make([]string, len(addresses))
	for i, a := range addresses {
		texts[i] = a.String()
	}
	return strings.Join(texts, ",")
}

// labelList writes labels as the flag takes them, in a stable order.
func labelList(labels map[string]string) string {
	var list []string
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		list = append(list, key+"="+labels[key])
	}
	return strings.Join(list, ",")
}

// kubeletUnit is the drop-in for the kubelet's unit on a machine.
func kubeletUnit(spec machine.Spec) string {
	return podTrafficUnit(strings.NewReplacer("$DIR", mounted, "$FLAGS", strings.Join(kubeletFlags(spec), " ")).Replace(`[Unit]
ConditionPathExists=
ConditionPathExists=$DIR/kubelet.yaml
[Service]
Environment="KUBELET_KUBECONFIG_ARGS=--kubeconfig=$DIR/kubelet.conf"
Environment="KUBELET_CONFIG_ARGS=--config=$DIR/kubelet.yaml"
Environment="KUBELET_KUBEADM_ARGS=$FLAGS"
`))
}

// podTrafficUnit adds to a drop-in for the kubelet's unit what becomes of the
// traffic of pods. What leaves the cluster leaves with the node's address; what
// is for a pod and has no route ends on the node, and does not wander off through the host.
func podTrafficUnit(unit string) string {
	return unit + strings.ReplaceAll(`ExecStartPre=/bin/sh -c "iptables -w -t nat -C POSTROUTING -s $PODS ! -d $PODS -j MASQUERADE || iptables -w -t nat -A POSTROUTING -s $PODS ! -d $PODS -j MASQUERADE"
ExecStartPre=/bin/sh -c "ip route replace unreachable $PODS metric 4096"
`, "$PODS", e2e.ClusterCIDR)
}
