package kind

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/simcloud-dev/simcloud/e2e/machine"
)

// JoinControlPlane registers the control plane's kubelet again, with the
// addresses of its VM, which its container gets besides its own.
func (b *Backend) JoinControlPlane(ctx context.Context, spec machine.Spec) error {
	p, done, err := b.work()
	if err != nil {
		return err
	}
	defer done()
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := p.awaitNoProxy(ctx); err != nil {
		return err
	}
	var script strings.Builder
	script.WriteString("set -e\nsystemctl stop kubelet\n")
	for _, a := range spec.Addresses {
		fmt.Fprintf(&script, "ip address replace %s/%d dev eth0\n", a, b.network.subnet().Bits())
	}
	script.WriteString("cat > /etc/systemd/system/kubelet.service.d/20-simcloud.conf\nsystemctl daemon-reload\n")
	if err := b.writeIn(ctx, p.name, []byte(controlPlaneUnit(spec)), script.String()); err != nil {
		return err
	}
	err = p.kube.CoreV1().Nodes().Delete(ctx, p.name, metav1.DeleteOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		return err
	}
	if err := b.writeIn(ctx, p.name, nil, "systemctl start kubelet"); err != nil {
		return err
	}
	if err := p.markControlPlane(ctx); err != nil {
		return err
	}
	b.boots.Go(func() {
		b.followPodCIDRs(b.life, p, p.name, func(config []byte) error {
			return b.writeIn(b.life, p.name, config, "cat > /etc/cni/net.d/"+cniFile)
		})
	})
	return nil
}

// work returns the control plane that runs. Stop waits for done.
func (b *Backend) work() (p *plane, done func(), err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.state != running {
		return nil, nil, errStopped()
	}
	b.boots.Add(1)
	return b.plane, b.boots.Done, nil
}

// controlPlaneRole is the label and the taint of a Node with a control plane.
const controlPlaneRole = "node-role.kubernetes.io/control-plane"

// controlPlaneUnit is the drop-in for the kubelet's unit, which else is kubeadm's.
func controlPlaneUnit(spec machine.Spec) string {
	flags := append(kubeletFlags(spec), "--register-with-taints="+controlPlaneRole+"=:NoSchedule")
	return podTrafficUnit(`[Service]
Environment="KUBELET_KUBEADM_ARGS=` + strings.Join(flags, " ") + `"
EnvironmentFile=
`)
}

// markControlPlane waits for the Node, and labels it as kubeadm does; a kubelet
// may not do that by itself.
func (p *plane) markControlPlane(ctx context.Context) error {
	patch, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"labels": map[string]string{
			controlPlaneRole: "", corev1.LabelNodeExcludeBalancers: "",
		}},
	})
	if err != nil {
		return err
	}
	tick := time.NewTicker(readyPeriod)
	defer tick.Stop()
	for {
		_, err := p.kube.CoreV1().Nodes().Patch(ctx, p.name, types.MergePatchType, patch, metav1.PatchOptions{})
		if err == nil || !apierrors.IsNotFound(err) {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("the Node %s is not registered: %w", p.name, ctx.Err())
		}
	}
}
