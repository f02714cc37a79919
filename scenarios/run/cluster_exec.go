package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/remotecommand"
	"k8s.io/client-go/util/exec"

	"github.com/simcloud-dev/simcloud/scenarios/step"
)

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
