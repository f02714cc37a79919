package manager

import (
	"context"
	"errors"
	"io"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// followLogs copies the logs of the CCM's containers in a pod that are not copied yet
// into the CCM's log: that of the one that runs or ran last, and of the one before.
func (r *podRun) followLogs(ctx context.Context, pod *corev1.Pod) {
	status := r.workload.status(pod)
	if last := status.LastTerminationState.Terminated; last != nil {
		r.followLog(ctx, pod, last.ContainerID, corev1.PodLogOptions{Container: status.Name, Previous: true})
	}
	if status.State.Waiting == nil {
		r.followLog(ctx, pod, status.ContainerID, corev1.PodLogOptions{Container: status.Name, Follow: true})
	}
}

func (r *podRun) followLog(ctx context.Context, pod *corev1.Pod, id string, options corev1.PodLogOptions) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if id == "" || r.logs[id] != nil {
		return
	}
	written := make(chan struct{})
	r.logs[id] = written
	r.running.Go(func() {
		defer close(written)
		if err := r.copyLog(ctx, pod, options); err != nil && ctx.Err() == nil {
			r.deps.Log.Warn("cannot read the log of the cloud controller manager", "pod", pod.Name, "error", err)
		}
	})
}

// copyLog appends a container's log until the container ends.
func (r *podRun) copyLog(ctx context.Context, pod *corev1.Pod, options corev1.PodLogOptions) (err error) {
	from, err := r.openLog(ctx, pod, options)
	if err != nil {
		return err
	}
	defer func() { _ = from.Close() }()
	into, err := os.OpenFile(r.files.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(into, from)
	return errors.Join(err, into.Close())
}

// logPatience bounds how long a log is asked for that cannot be had at once.
const logPatience = 5 * time.Second

// openLog asks for a container's log more than once: the API server or the
// kubelet may be busy, and this log is not asked for again.
func (r *podRun) openLog(ctx context.Context, pod *corev1.Pod, options corev1.PodLogOptions) (from io.ReadCloser, err error) {
	opening, cancel := context.WithTimeout(ctx, logPatience)
	defer cancel()
	err = every(opening, podPeriod, "the log", func() (err error) {
		from, err = r.deps.Kube.Client.CoreV1().Pods(pod.Namespace).GetLogs(pod.Name, &options).Stream(ctx)
		return err
	})
	return from, err
}

// awaitLog returns when the log of a container that has ended is written.
func (r *podRun) awaitLog(ctx context.Context, id string) {
	r.mu.Lock()
	written := r.logs[id]
	r.mu.Unlock()
	if written == nil {
		return // the container of before the last, whose log is gone
	}
	select {
	case <-written:
	case <-ctx.Done():
	}
}
