package manager

import (
	"context"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/simcloud-dev/simcloud/e2e/control"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// InCluster reports whether the CCM runs as pods of the cluster.
func (c *CCM) InCluster() bool {
	_, pods := c.launcher.(*inCluster)
	return pods
}

// inCluster runs simcloud-ccm as pods, on the Node of the control plane.
type inCluster struct {
	*CCM
	mode     Mode
	workload workload
	// theirs are a user's own manifests; nil for those of simcloud-ccm.
	theirs *Manifests
	exec   ExecFunc
	node   string // of the control plane
	image  string // of simcloud-ccm
}

// prepare brings the image to the node that the pods run on, and applies all of
// the manifests but what runs.
func (i *inCluster) prepare(ctx context.Context) error {
	if i.subject.None() {
		return Grant(ctx, i.deps.Kube.Client)
	}
	if i.leader != nil {
		return nil
	}
	for _, step := range []struct {
		what string
		do   func(context.Context) error
	}{
		{"bring its image to the node", i.loadImage},
		{"reach the API server from the node", i.awaitService},
		{"apply its manifests", i.applyAccess},
	} {
		if err := step.do(ctx); err != nil {
			return fmt.Errorf("run the cloud controller manager in the cluster: %s: %w", step.what, err)
		}
	}
	return nil
}

// applyAccess applies what is not the workload's own.
func (i *inCluster) applyAccess(ctx context.Context) error {
	objects, err := i.manifests(ctx, control.Settings{})
	if err == nil && i.theirs != nil {
		i.workload, _, err = workloadOf(objects)
	}
	if err != nil {
		return err
	}
	return i.apply(ctx, objects, func(kind string) bool { return kind != i.workload.kind })
}

// launch applies the configuration and the workload. Roles stay as they are:
// a scenario may have taken rights from them.
func (i *inCluster) launch(ctx context.Context, settings control.Settings) (ccmRun, endpoint, error) {
	run, err := i.run(ctx, settings)
	if err != nil {
		return nil, endpoint{}, err
	}
	at, err := run.awaitStarted(ctx)
	if err != nil {
		return nil, endpoint{}, run.abandon(err)
	}
	return run, at, nil
}

// launchFailing waits until a container has ended.
func (i *inCluster) launchFailing(ctx context.Context, settings control.Settings) (log string, err error) {
	run, err := i.run(ctx, settings)
	if err != nil {
		return "", err
	}
	err = run.abandon(run.awaitFailed(ctx))
	return strings.Join(tail(i.files.log, failLogLines), "\n"), err
}

func (i *inCluster) run(ctx context.Context, settings control.Settings) (*podRun, error) {
	if i.leader != nil {
		return nil, simcloud.Errorf(simcloud.Unimplemented, "ccm", "a cloud controller manager in the cluster has no standby of the harness: its %s has as many pods as its manifest says", i.workload.kind)
	}
	objects, err := i.manifests(ctx, settings)
	if err != nil {
		return nil, err
	}
	configures := func(kind string) bool { return slices.Contains([]string{"ConfigMap", "Secret", i.workload.kind}, kind) }
	if err := i.apply(ctx, objects, configures); err != nil {
		return nil, err
	}
	return i.follow(), nil
}

// tokenRenewed replaces the Secret, as an operator does. A kubelet brings it to
// the pods when it next looks at them, once a minute, and also when they change.
func (i *inCluster) tokenRenewed(ctx context.Context) error {
	objects, err := i.manifests(ctx, i.configured())
	if err != nil {
		return err
	}
	if err := i.apply(ctx, objects, func(kind string) bool { return kind == "Secret" }); err != nil {
		return err
	}
	change := fmt.Appendf(nil, `{"metadata": {"annotations": {%q: %q}}}`, annotationToken, i.TokenID())
	pods := i.deps.Kube.Client.CoreV1().Pods(ccmNamespace)
	list, err := pods.List(ctx, metav1.ListOptions{LabelSelector: i.workload.selector})
	if err != nil {
		return err
	}
	for _, pod := range list.Items {
		if _, err := pods.Patch(ctx, pod.Name, types.MergePatchType, change, metav1.PatchOptions{}); absent(err) != nil {
			return fmt.Errorf("let the kubelet look at %s: %w", pod.Name, err)
		}
	}
	return nil
}

// annotationToken is the id of the token that a pod of the CCM was to get last.
const annotationToken = "sim.simcloud.dev/token"
