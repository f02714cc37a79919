package e2e

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// CCMMode says where the CCM runs.
type CCMMode string

// The modes of a CCM.
const (
	// CCMProcess runs the command as a process of this host.
	CCMProcess CCMMode = "process"
	// CCMDeployment and CCMDaemonSet run simcloud-ccm in the cluster, by the
	// manifests that it ships with. The backend must be able to run images; and a
	// cluster is thrown away after one use, since Reset answers Unimplemented.
	CCMDeployment CCMMode = "deployment"
	CCMDaemonSet  CCMMode = "daemonset"
)

// CCMModes are all modes, the default one first.
func CCMModes() []CCMMode { return []CCMMode{CCMProcess, CCMDeployment, CCMDaemonSet} }

// InCluster reports whether the CCM runs as pods of the cluster.
func (c *CCM) InCluster() bool {
	_, pods := c.launcher.(*inCluster)
	return pods
}

// inCluster runs simcloud-ccm as pods, on the Node of the control plane.
type inCluster struct {
	*CCM
	mode     CCMMode
	workload workload
	// theirs are somebody's own manifests; nil for those of simcloud-ccm.
	theirs *Manifests
	exec   execFunc
	node   string // of the control plane
	image  string // of simcloud-ccm
}

// execFunc runs a program on a node, by the node's name.
type execFunc func(ctx context.Context, node string, stdin io.Reader, argv ...string) ([]byte, error)

// checkMode finds out whether the CCM can be run where it is to be.
func (cfg Config) checkMode() error {
	mode := cfg.CCMMode
	if cfg.Subject.InCluster() {
		return cfg.checkManifests()
	}
	switch {
	case mode == "" || mode == CCMProcess || cfg.Subject.None():
		return nil
	case cfg.Subject.InProcess():
		return invalidMode("%s is for simcloud-ccm, by the manifests that it ships with, and %s runs in this process", mode, cfg.Subject.Name)
	case !slices.Contains(CCMModes(), mode):
		return invalidMode("%q is not one of: %s, %s, %s", mode, CCMProcess, CCMDeployment, CCMDaemonSet)
	case !slices.Equal(cfg.Subject.Args, []string{phFlags}) || len(cfg.Subject.Env) > 0:
		return invalidMode("%s is for simcloud-ccm, by the manifests that it ships with, and %s has arguments of its own", mode, cfg.Subject.Name)
	}
	if !cfg.runsPods() {
		return invalidMode("%s needs a Node of the control plane that runs images, and the backend %s has none", mode, cfg.Backend.Name())
	}
	return checkStatic(cfg.Subject.Path)
}

// runsPods reports whether the control plane has a Node that runs images.
func (cfg Config) runsPods() bool {
	can := cfg.can()
	return can.Exec != nil && can.ControlPlaneNode != ""
}

// checkManifests finds out whether somebody's own manifests can be run.
func (cfg Config) checkManifests() error {
	if !cfg.runsPods() {
		return invalidManifests("they need a Node of the control plane that runs images, and the backend %s has none", cfg.Backend.Name())
	}
	return cfg.Subject.Manifests.check()
}

func invalidMode(format string, args ...any) error {
	return simcloud.InvalidFields("", []simcloud.FieldError{{Field: "--ccm-mode", Detail: fmt.Sprintf(format, args...)}})
}

// launcherFor returns what starts the CCM.
func (cfg Config) launcherFor(c *CCM) launcher {
	if cfg.Subject.InProcess() {
		return inProcess{c}
	}
	can := cfg.can()
	if can.Exec == nil || !cfg.Subject.InCluster() && (cfg.CCMMode == "" || cfg.CCMMode == CCMProcess) {
		return onHost{c}
	}
	return &inCluster{
		CCM: c, mode: cfg.CCMMode, workload: ownWorkload(cfg.CCMMode), theirs: cfg.Subject.Manifests, exec: can.Exec, node: can.ControlPlaneNode,
	}
}

// prepare brings the image to the node that the pods run on, and applies all of
// the manifests but what runs.
func (i *inCluster) prepare(ctx context.Context) error {
	if i.subject.None() {
		return grantCCM(ctx, i.cluster.Kube)
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
	objects, err := i.manifests(ctx, CCMSettings{})
	if err == nil && i.theirs != nil {
		i.workload, _, err = workloadOf(objects)
	}
	if err != nil {
		return err
	}
	return i.apply(ctx, objects, func(kind string) bool { return kind != i.workload.kind })
}

// launch applies the configuration and the workload. Roles stay as they are:
// somebody may have taken rights from them.
func (i *inCluster) launch(ctx context.Context, settings CCMSettings) (ccmRun, endpoint, error) {
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
func (i *inCluster) launchFailing(ctx context.Context, settings CCMSettings) (log string, err error) {
	run, err := i.run(ctx, settings)
	if err != nil {
		return "", err
	}
	err = run.abandon(run.awaitFailed(ctx))
	return strings.Join(tail(i.files.log, failLogLines), "\n"), err
}

func (i *inCluster) run(ctx context.Context, settings CCMSettings) (*podRun, error) {
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
	pods := i.cluster.Kube.CoreV1().Pods(ccmNamespace)
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
