package kind

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// labelMachine is on the Nodes whose machines are containers. Light nodes,
// where pods run on paper, lack it.
const labelMachine = "sim.simcloud.dev/machine"

// onMachines lets the pods of a workload run on machines alone.
const onMachines = `"template":{"spec":{"nodeSelector":{"` + labelMachine + `":"container"}}}`

// settle changes the workloads of kubeadm's. They run where there is
// something to run them: hundreds of light nodes need no kube-proxy. And there is one pod
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
