package kind

import (
	"context"
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// kubeletConfigFile is where kubeadm writes the kubelet's configuration.
const kubeletConfigFile = "/var/lib/kubelet/config.yaml"

// standAlone takes the control plane's machine out of the cluster. Its kubelet
// runs the control plane's pods from their files, and knows no API; so there is no Node,
// and nothing that a test could drain, tag or leave out by mistake.
func (b *Backend) standAlone(ctx context.Context, p *plane) error {
	config, err := yaml.Marshal(standAloneConfig(p.kubelet))
	if err != nil {
		return err
	}
	const script = `set -e
cat > /etc/simcloud-kubelet.yaml
mkdir -p /etc/systemd/system/kubelet.service.d
printf '[Service]\nEnvironment="KUBELET_KUBECONFIG_ARGS="\nEnvironment="KUBELET_CONFIG_ARGS=--config=/etc/simcloud-kubelet.yaml"\n' > /etc/systemd/system/kubelet.service.d/20-simcloud.conf
systemctl daemon-reload
systemctl restart kubelet`
	if err := b.writeIn(ctx, p.name, config, script); err != nil {
		return err
	}
	err = p.kube.CoreV1().Nodes().Delete(ctx, p.name, metav1.DeleteOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		return err
	}
	return deletePodsOn(ctx, p, p.name)
}

// standAloneConfig is that of a kubelet without an API. Who restarts the API
// server does not want to wait for it longer each time.
func standAloneConfig(of map[string]any) map[string]any {
	config := clone(of)
	config["authentication"] = map[string]any{
		"anonymous": map[string]any{"enabled": false}, "webhook": map[string]any{"enabled": false},
		"x509": map[string]any{"clientCAFile": "/etc/kubernetes/pki/ca.crt"},
	}
	config["authorization"] = map[string]any{"mode": "AlwaysAllow"}
	config["rotateCertificates"] = false
	config["crashLoopBackOff"] = map[string]any{"maxContainerRestartPeriod": "1s"}
	return config
}

// deletePodsOn deletes the pods of a node that is gone, which else takes a minute.
func deletePodsOn(ctx context.Context, p *plane, node string) error {
	zero := int64(0)
	err := p.kube.CoreV1().Pods(metav1.NamespaceSystem).DeleteCollection(ctx,
		metav1.DeleteOptions{GracePeriodSeconds: &zero}, metav1.ListOptions{FieldSelector: "spec.nodeName=" + node})
	if err != nil {
		return fmt.Errorf("delete the pods of %s: %w", node, err)
	}
	return nil
}

// writeIn runs a script in a container, with content for its standard input.
func (b *Backend) writeIn(ctx context.Context, container string, content []byte, script string) error {
	_, err := b.Engine.Exec(ctx, container, strings.NewReader(string(content)), "sh", "-c", script)
	if err != nil {
		return errors.Join(fmt.Errorf("run a script in %s: %w", container, err), context.Cause(ctx))
	}
	return nil
}
