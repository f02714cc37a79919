package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/remotecommand"
	"k8s.io/client-go/util/exec"

	"github.com/simcloud-dev/simcloud/e2e"
	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"github.com/simcloud-dev/simcloud/scenarios/profile"
	"github.com/simcloud-dev/simcloud/scenarios/step"
)

// OnCluster makes scenarios run on a cluster of e2e, with a CCM of which the profile tells.
func OnCluster(c *e2e.Cluster, p profile.Profile) Cluster { return onCluster{c, p} }

type onCluster struct {
	*e2e.Cluster
	profile profile.Profile
}

// CCMLog is the path of the CCM's log.
func (c onCluster) CCMLog() string { return c.CCM.Log() }

// clientRate is how many requests a second a scenario may make: it must never wait for itself.
const clientRate = 500

// World gives access to the cluster.
func (c onCluster) World() (step.World, error) {
	config := rest.CopyConfig(c.RESTConfig)
	config.QPS, config.Burst = clientRate, clientRate
	config.UserAgent = step.FieldManager
	kube, err := dynamic.NewForConfig(config)
	if err != nil {
		return step.World{}, fmt.Errorf("make a client of the cluster: %w", err)
	}
	kinds, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return step.World{}, fmt.Errorf("make a client of the cluster: %w", err)
	}
	return step.World{
		Cloud:        c.Cloud,
		Kube:         kube,
		Only:         c.Selector(),
		Hiding:       e2e.LabelControlPlane,
		Mapper:       restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(kinds)),
		CCM:          c.CCM,
		Machines:     c.Machines,
		Standby:      c.Standby(),
		ControlPlane: c.Cluster,
		Simulator:    c.Cluster,
		Pods:         podsOf{config, c.Kube},
		Packets:      c.Packets(),
		InProcess:    c.CCM.Spec().InProcess() && !c.Simulated(),
		Simulated:    c.Simulated(),
		InCluster:    c.CCM.InCluster(),
		Profile:      c.profile.Name,
		Naming:       c.naming(),

		ServiceAnnotations: c.profile.ServiceAnnotations,

		Capabilities: c.profile.Capabilities,
		Writes:       c.profile.Writes,
		SkipOracles:  c.profile.SkipOracles,
		TestImage:    c.TestImage(),
		Harness:      c.IsHarness,
		Asked:        c.Asked,
		Logs:         []string{c.CCM.Log(), c.Standby().Log()},
		Secrets:      c.CCM.Secrets,
		Factor:       c.Factor(),
		Access:       step.Access{Kubeconfig: c.Kubeconfig, CloudURL: c.CloudURL, TokenFile: c.TokenFile, CCMLog: c.CCMLog()},
	}, nil
}

// naming is the profile's, with the ids of the wire format that the CCM speaks.
func (c onCluster) naming() observe.Naming {
	naming := c.profile.Naming
	if d, ok := c.CCM.Spec().Dialect(); ok {
		naming.IDs = d.IDs
	}
	return naming
}

// podsOf runs commands in the pods of a cluster.
type podsOf struct {
	access *rest.Config
	kube   kubernetes.Interface
}

// Exec runs a command in a pod.
func (p podsOf) Exec(ctx context.Context, c step.PodCommand) (step.PodResult, error) {
	request := p.kube.CoreV1().RESTClient().Get().
		Resource("pods").Namespace(c.Namespace).Name(c.Pod).SubResource("exec").
		VersionedParams(&corev1.PodExecOptions{
			Container: c.Container, Command: c.Command, Stdout: true, Stderr: true,
		}, scheme.ParameterCodec)
	run, err := remotecommand.NewWebSocketExecutor(p.access, http.MethodGet, request.URL().String())
	if err != nil {
		return step.PodResult{}, fmt.Errorf("make a connection to the cluster: %w", err)
	}
	var stdout, stderr bytes.Buffer
	err = run.StreamWithContext(ctx, remotecommand.StreamOptions{Stdout: &stdout, Stderr: &stderr})
	var ended exec.CodeExitError
	if err != nil && !errors.As(err, &ended) {
		return step.PodResult{}, err
	}
	return step.PodResult{ExitCode: ended.Code, Stdout: stdout.String(), Stderr: stderr.String()}, nil
}
