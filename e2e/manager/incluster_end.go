package manager

import (
	"context"
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// podEnd bounds the time that it takes to end the pods at once.
const podEnd = time.Minute

// Done is closed when the pods are gone on request. One
// that ends by itself is started again by the kubelet.
func (r *podRun) Done() <-chan struct{} { return r.done }

// Err is nil: the pods never end by themselves.
func (r *podRun) Err() error { return nil }

// Stop deletes the workload and returns when its pods have ended, in the time
// that their manifest gives them; else it kills them.
func (r *podRun) Stop(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, podEnd)
	defer cancel()
	err := r.deleteWorkload(ctx)
	if err == nil {
		err = every(ctx, podPeriod, "the pods to end", func() error { return r.none(ctx) })
	}
	if err != nil {
		return errors.Join(err, r.Kill())
	}
	r.close()
	return nil
}

// Kill ends the processes at once, and with them the workload. They are
// suspended first: none does anything more while the cluster forgets it.
func (r *podRun) Kill() error {
	ctx, cancel := context.WithTimeout(context.Background(), podEnd)
	defer cancel()
	defer r.close()
	err := errors.Join(r.signal(ctx, "STOP"), r.deleteWorkload(ctx))
	return errors.Join(err, every(ctx, podPeriod, "the pods to be gone", func() error {
		return errors.Join(r.deletePods(ctx), r.signal(ctx, "KILL"), r.none(ctx), r.noProcess(ctx))
	}))
}

// abandon kills the pods because of an error.
func (r *podRun) abandon(err error) error { return errors.Join(err, r.Kill()) }

// close ends what looks after the pods.
func (r *podRun) close() {
	r.cancel()
	r.running.Wait()
	close(r.done)
}

// Pause suspends the processes as a stalled machine would. After a minute the
// kubelet finds them dead, and starts others.
func (r *podRun) Pause() error { return r.signalInTime("STOP") }

// Resume lets them go on.
func (r *podRun) Resume() error { return r.signalInTime("CONT") }

func (r *podRun) signalInTime(name string) error {
	ctx, cancel := context.WithTimeout(context.Background(), podEnd)
	defer cancel()
	return r.signal(ctx, name)
}

// signal signals all processes of the CCM on its machine; there may be none.
func (r *podRun) signal(ctx context.Context, name string) error {
	_, err := r.exec(ctx, r.node, nil, "sh", "-c", r.workload.signal(name))
	if err != nil {
		return fmt.Errorf("signal the cloud controller manager: %w", err)
	}
	return nil
}

// noProcess answers nil when no process of the CCM is left on its machine.
func (r *podRun) noProcess(ctx context.Context) error {
	out, err := r.exec(ctx, r.node, nil, "sh", "-c", r.workload.pids())
	if err == nil && len(out) > 0 {
		err = fmt.Errorf("its process runs still: %s", out)
	}
	return err
}

// none answers nil when there is no pod.
func (r *podRun) none(ctx context.Context) error {
	pods, err := r.list(ctx)
	if err == nil && len(pods) > 0 {
		err = errors.New(describePods(pods))
	}
	return err
}

func (r *podRun) deleteWorkload(ctx context.Context) error {
	apps, background := r.deps.Kube.Client.AppsV1(), metav1.DeletePropagationBackground
	remove := apps.Deployments(ccmNamespace).Delete
	if r.workload.kind == kindDaemonSet {
		remove = apps.DaemonSets(ccmNamespace).Delete
	}
	return absent(remove(ctx, r.workload.name, metav1.DeleteOptions{PropagationPolicy: &background}))
}

// deletePods forgets the pods, and first what would make others.
func (r *podRun) deletePods(ctx context.Context) error {
	ours, background := metav1.ListOptions{LabelSelector: r.workload.selector}, metav1.DeletePropagationBackground
	err := r.deps.Kube.Client.AppsV1().ReplicaSets(ccmNamespace).DeleteCollection(ctx, metav1.DeleteOptions{}, ours)
	return errors.Join(err, r.deps.Kube.Client.CoreV1().Pods(ccmNamespace).DeleteCollection(ctx, metav1.DeleteOptions{GracePeriodSeconds: new(int64(0)), PropagationPolicy: &background}, ours))
}
