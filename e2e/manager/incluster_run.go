package manager

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// podStart bounds the time until a pod has started: it is longer than that of
// a process by what the scheduler, the kubelet and the probe take.
const podStart = 2 * time.Minute

// podPeriod is how often the pods are looked at.
const podPeriod = 200 * time.Millisecond

// podRun is the pods of a CCM from when they were applied until they are gone.
// Their log goes into the CCM's log.
type podRun struct {
	*inCluster
	cancel  context.CancelFunc
	done    chan struct{}
	running sync.WaitGroup

	mu       sync.Mutex // guards what follows
	pods     []corev1.Pod
	logs     map[string]chan struct{} // by the container's id; closed when its log is written
	reported map[string]bool          // ends of containers, by their id
}

// follow begins to look after the pods.
func (i *inCluster) follow() *podRun {
	ctx, cancel := context.WithCancel(context.Background())
	r := &podRun{inCluster: i, cancel: cancel, done: make(chan struct{}), logs: map[string]chan struct{}{}, reported: map[string]bool{}}
	r.running.Go(func() { r.watch(ctx) })
	return r
}

// watch looks at the pods until ctx is done.
func (r *podRun) watch(ctx context.Context) {
	tick := time.NewTicker(podPeriod)
	defer tick.Stop()
	for {
		if pods, err := r.list(ctx); err == nil {
			r.observe(ctx, pods)
		} else if ctx.Err() == nil {
			r.deps.Log.Warn("cannot look at the pods of the cloud controller manager; trying again", "error", err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

func (r *podRun) list(ctx context.Context) ([]corev1.Pod, error) {
	list, err := r.deps.Kube.Client.CoreV1().Pods(ccmNamespace).List(ctx, metav1.ListOptions{LabelSelector: r.workload.selector})
	if err != nil {
		return nil, err
	}
	return list.Items, nil
}

// observe takes in how the pods are now. An unexpected end is reported
// with the log that the container had: the kubelet starts another one by itself.
func (r *podRun) observe(ctx context.Context, pods []corev1.Pod) {
	r.mu.Lock()
	r.pods = pods
	r.mu.Unlock()
	for i := range pods {
		r.followLogs(ctx, &pods[i])
		for _, end := range r.workload.ends(&pods[i]) {
			if pods[i].DeletionTimestamp == nil && r.isNews(end) {
				r.awaitLog(ctx, end.ContainerID)
				r.restarted(describeEnd(end))
			}
		}
	}
}

func (r *podRun) isNews(end *corev1.ContainerStateTerminated) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	news := !r.reported[end.ContainerID]
	r.reported[end.ContainerID] = true
	return news
}

// ends are those of the CCM's container, as far as a pod still tells of them, in order.
func (w workload) ends(pod *corev1.Pod) []*corev1.ContainerStateTerminated {
	status := w.status(pod)
	var all []*corev1.ContainerStateTerminated
	for _, end := range []*corev1.ContainerStateTerminated{status.LastTerminationState.Terminated, status.State.Terminated} {
		if end != nil && end.ContainerID != "" {
			all = append(all, end)
		}
	}
	return all
}

// status is that of the CCM's container; what a pod does not tell yet is empty.
func (w workload) status(pod *corev1.Pod) corev1.ContainerStatus {
	for _, status := range pod.Status.ContainerStatuses {
		if status.Name == w.container {
			return status
		}
	}
	return corev1.ContainerStatus{}
}

func describeEnd(end *corev1.ContainerStateTerminated) string {
	return fmt.Sprintf("the container of the cloud controller manager ended by itself: exit code %d (%s)", end.ExitCode, end.Reason)
}

func (r *podRun) seen() []corev1.Pod {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.pods
}

// awaitStarted returns when a pod's startup probe has succeeded: then the CCM is
// healthy, whether or not its cloud is.
func (r *podRun) awaitStarted(ctx context.Context) (at endpoint, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, podStart, fmt.Errorf("not healthy within %s", podStart))
	defer cancel()
	var end *corev1.ContainerStateTerminated
	err = every(ctx, podPeriod, "a pod to start", func() error {
		for _, pod := range r.seen() {
			for _, found := range r.workload.ends(&pod) {
				end = found
				return nil
			}
			if started := r.workload.status(&pod).Started; started != nil && *started {
				at = endpoint{pod.Status.HostIP, r.workload.port}
				return nil
			}
		}
		return errors.New(describePods(r.seen()))
	})
	if end != nil {
		r.awaitLog(ctx, end.ContainerID)
		return at, simcloud.Errorf(simcloud.Unavailable, "ccm", "%s; its log ends with:\n%s", describeEnd(end), strings.Join(tail(r.files.log, exitLogLines), "\n"))
	}
	return at, err
}

// awaitFailed returns nil when a container has ended with a status other than 0.
func (r *podRun) awaitFailed(ctx context.Context) error {
	at, err := r.awaitStarted(ctx)
	switch {
	case err == nil:
		return simcloud.Errorf(simcloud.Conflict, "ccm", "the cloud controller manager is healthy at %s: it should fail", at)
	case simcloud.CodeOf(err) != simcloud.Unavailable:
		return simcloud.Errorf(simcloud.Conflict, "ccm", "the cloud controller manager has not ended: it should fail: %w", err)
	}
	failed := func(pod corev1.Pod) bool {
		return slices.ContainsFunc(r.workload.ends(&pod), func(end *corev1.ContainerStateTerminated) bool { return end.ExitCode != 0 })
	}
	if !slices.ContainsFunc(r.seen(), failed) {
		return simcloud.Errorf(simcloud.Conflict, "ccm", "the cloud controller manager ended with status 0: it should fail")
	}
	return nil
}

// describePods says why no pod has started.
func describePods(pods []corev1.Pod) string {
	var parts []string
	for _, pod := range pods {
		part := pod.Name + " is " + string(pod.Status.Phase)
		if pod.DeletionTimestamp != nil {
			part += ", to be gone by " + pod.DeletionTimestamp.UTC().Format(time.TimeOnly)
		}
		for _, c := range pod.Status.Conditions {
			if c.Status == corev1.ConditionFalse && c.Message != "" {
				part += ", " + c.Message
			}
		}
		for _, status := range pod.Status.ContainerStatuses {
			if waiting := status.State.Waiting; waiting != nil {
				part += ", " + waiting.Reason + " " + waiting.Message
			}
			if status.RestartCount > 0 {
				part += fmt.Sprintf(", restarted %d times", status.RestartCount)
			}
		}
		parts = append(parts, part)
	}
	if len(parts) == 0 {
		return "there is no pod"
	}
	return strings.Join(parts, "; ")
}
