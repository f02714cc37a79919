package manager

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// reachPeriod is how often the API server's Service is tried.
const reachPeriod = 100 * time.Millisecond

// proxyStart bounds the time until kube-proxy works. It is longer than the five
// minutes after which the DaemonSet controller and the scheduler look again at what they missed.
const proxyStart = 3 * podStart

// clusterCA is where kubeadm puts the authority of the API server on its node.
const clusterCA = "/etc/kubernetes/pki/ca.crt"

// awaitService waits until the API server can be reached by its Service on the
// control plane's node, as the pods do: that is kube-proxy's work. A connection
// proves nothing: before kube-proxy's rules are there it leaves the machine, and another host may answer.
func (i *inCluster) awaitService(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, proxyStart, fmt.Errorf("not so within %s", proxyStart))
	defer cancel()
	err := every(ctx, reachPeriod, "kube-proxy to lead to the API server", func() error {
		service, err := i.deps.Kube.Client.CoreV1().Services(metav1.NamespaceDefault).Get(ctx, "kubernetes", metav1.GetOptions{})
		if err != nil {
			return err
		}
		_, err = i.exec(ctx, i.node, nil, "curl", "--silent", "--show-error", "--fail", "--noproxy", "*", "--max-time", "2",
			"--cacert", clusterCA, "https://"+service.Spec.ClusterIP+"/readyz")
		return err
	})
	if err != nil {
		return fmt.Errorf("%w; kube-proxy: %s", err, i.describeProxy(context.WithoutCancel(ctx)))
	}
	return nil
}

// proxySelector selects the pods of kubeadm's kube-proxy.
const proxySelector = "k8s-app=kube-proxy"

// describeProxy says what became of kube-proxy, also of a pod that no node has yet.
func (i *inCluster) describeProxy(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, describeTimeout)
	defer cancel()
	pods := i.deps.Kube.Client.CoreV1().Pods(metav1.NamespaceSystem)
	list, err := pods.List(ctx, metav1.ListOptions{LabelSelector: proxySelector})
	if err != nil {
		return err.Error()
	}
	said := describePods(list.Items)
	for _, pod := range list.Items {
		log, err := pods.GetLogs(pod.Name, &corev1.PodLogOptions{TailLines: new(int64(exitLogLines))}).DoRaw(ctx)
		if err != nil {
			log = []byte(err.Error())
		}
		said += fmt.Sprintf("; the log of %s ends with:\n%s", pod.Name, log)
	}
	return said
}

// describeTimeout bounds how long it is asked why something failed.
const describeTimeout = 10 * time.Second

// every asks until the answer is nil. When ctx ends, the error is why, with the
// last answer that came before it.
func every(ctx context.Context, period time.Duration, what string, ask func() error) error {
	tick := time.NewTicker(period)
	defer tick.Stop()
	var last error
	for {
		err := ask()
		if err == nil {
			return nil
		}
		if last == nil || ctx.Err() == nil {
			last = err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("wait for %s: %w (%w)", what, context.Cause(ctx), last)
		}
	}
}
