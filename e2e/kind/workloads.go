package kind

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// labelMachine is on the Nodes whose machines are containers. Hollow nodes,
// whose pods are simulated, lack it.
const labelMachine = "sim.simcloud.dev/machine"

// onMachines lets the pods of a workload run on machines alone.
const onMachines = `"template":{"spec":{"nodeSelector":{"` + labelMachine + `":"container"}}}`

// settle changes the workloads of kubeadm's. They run where there is
// something to run them: hundreds of hollow nodes need no kube-proxy. And there is one pod
// for DNS instead of two, which the nodes would have to start again at every reset.
func (p *plane) settle(ctx context.Context) error {
	apps, options := p.kube.AppsV1(), metav1.PatchOptions{}
	_, dns := apps.Deployments(metav1.NamespaceSystem).Patch(ctx, "coredns", types.MergePatchType, []byte(`{"spec":{"replicas":1,`+onMachines+`}}`), options)
	_, proxy := apps.DaemonSets(metav1.NamespaceSystem).Patch(ctx, "kube-proxy", types.MergePatchType, []byte(`{"spec":{`+onMachines+`}}`), options)
	for _, err := range []error{dns, proxy} {
		if err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("change the workloads of the control plane: %w", err)
		}
	}
	return nil
}

// awaitNoProxy waits until settle has taken kube-proxy off the control plane's
// machine, which is not one of those yet. A kubelet that is ended in the midst
// of that leaves a pod of the old Node, and the new one gets none while it is there.
func (p *plane) awaitNoProxy(ctx context.Context) error {
	tick := time.NewTicker(readyPeriod)
	defer tick.Stop()
	for {
		gone, err := p.noProxy(ctx)
		if gone || err != nil {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("kube-proxy still runs on %s: %w", p.name, ctx.Err())
		}
	}
}

func (p *plane) noProxy(ctx context.Context) (bool, error) {
	set, err := p.kube.AppsV1().DaemonSets(metav1.NamespaceSystem).Get(ctx, "kube-proxy", metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return true, nil
	}
	if err != nil || set.Status.ObservedGeneration < set.Generation {
		return false, err
	}
	pods, err := p.kube.CoreV1().Pods(set.Namespace).List(ctx, metav1.ListOptions{LabelSelector: metav1.FormatLabelSelector(set.Spec.Selector)})
	return err == nil && len(pods.Items) == 0, err
}
