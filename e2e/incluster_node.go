package e2e

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// reachPeriod is how often the API server's Service is tried.
const reachPeriod = 100 * time.Millisecond

// clusterCA is where kubeadm puts the authority of the API server on its node.
const clusterCA = "/etc/kubernetes/pki/ca.crt"

// awaitService waits until the API server can be reached by its Service on the
// control plane's node, as the pods do: that is kube-proxy's work. A connection
// proves nothing: before kube-proxy's rules are there it leaves the machine, and somebody may answer.
func (i *inCluster) awaitService(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, podStart, fmt.Errorf("not so within %s", podStart))
	defer cancel()
	return every(ctx, reachPeriod, "kube-proxy to lead to the API server", func() error {
		service, err := i.cluster.Kube.CoreV1().Services(metav1.NamespaceDefault).Get(ctx, "kubernetes", metav1.GetOptions{})
		if err != nil {
			return err
		}
		_, err = i.nodes.Exec(ctx, i.node, nil, "curl", "--silent", "--show-error", "--fail", "--noproxy", "*", "--max-time", "2",
			"--cacert", clusterCA, "https://"+service.Spec.ClusterIP+"/readyz")
		return err
	})
}

// every asks until the answer is nil. When ctx ends, the error is why, with the last answer.
func every(ctx context.Context, period time.Duration, what string, ask func() error) error {
	tick := time.NewTicker(period)
	defer tick.Stop()
	for {
		err := ask()
		if err == nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("wait for %s: %w (%w)", what, context.Cause(ctx), err)
		}
	}
}
