package machine

import (
	"context"
	"net/netip"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/simcloud-dev/simcloud/simcloud/wait"
)

// runPods says of each pod of this node that it runs, and confirms the end of
// those that are deleted, until ctx is done.
func (n *hollowNode) runPods(ctx context.Context) {
	addresses := podAddresses{used: map[types.UID]netip.Addr{}}
	for n.frozen.pass(ctx) {
		if err := n.watchPods(ctx, &addresses); err != nil && ctx.Err() == nil {
			n.log.Warn("cannot watch the pods of a hollow node; trying again", "error", err)
			_ = wait.Pause(ctx, retryDelay)
		}
	}
}

// watchPods lists and watches until the watch ends.
func (n *hollowNode) watchPods(ctx context.Context, addresses *podAddresses) error {
	pods := n.kube.CoreV1().Pods(metav1.NamespaceAll)
	mine := fields.OneTermEqualSelector("spec.nodeName", n.spec.Name).String()
	list, err := pods.List(ctx, metav1.ListOptions{FieldSelector: mine})
	if err != nil {
		return err
	}
	w, err := pods.Watch(ctx, metav1.ListOptions{FieldSelector: mine, ResourceVersion: list.ResourceVersion})
	if err != nil {
		return err
	}
	defer w.Stop()
	for i := range list.Items {
		n.runPod(ctx, &list.Items[i], addresses)
	}
	for {
		select {
		case <-ctx.Done():
			return nil
		case ev, open := <-w.ResultChan():
			if !open || !n.frozen.pass(ctx) {
				return nil
			}
			n.podChanged(ctx, ev, addresses)
		}
	}
}

func (n *hollowNode) podChanged(ctx context.Context, ev watch.Event, addresses *podAddresses) {
	pod, ok := ev.Object.(*corev1.Pod)
	switch {
	case ok && ev.Type == watch.Deleted:
		delete(addresses.used, pod.UID)
	case ok:
		n.runPod(ctx, pod, addresses)
	}
}

// runPod does what the kubelet does for a pod as it is now.
func (n *hollowNode) runPod(ctx context.Context, pod *corev1.Pod, addresses *podAddresses) {
	if pod.Spec.NodeName != n.spec.Name {
		return
	}
	var err error
	switch {
	case pod.DeletionTimestamp != nil:
		err = n.confirmDeletion(ctx, pod)
	case pod.Status.Phase == corev1.PodPending || pod.Status.Phase == "":
		err = n.reportRunning(ctx, pod, addresses)
	}
	if err != nil && !apierrors.IsNotFound(err) && ctx.Err() == nil {
		n.log.Warn("cannot report on a pod", "pod", pod.Namespace+"/"+pod.Name, "error", err)
	}
}

// confirmDeletion removes the pod's object, as a kubelet does when the containers have ended.
func (n *hollowNode) confirmDeletion(ctx context.Context, pod *corev1.Pod) error {
	now := int64(0)
	return n.kube.CoreV1().Pods(pod.Namespace).Delete(ctx, pod.Name, metav1.DeleteOptions{
		GracePeriodSeconds: &now, Preconditions: &metav1.Preconditions{UID: &pod.UID},
	})
}

func (n *hollowNode) reportRunning(ctx context.Context, pod *corev1.Pod, addresses *podAddresses) error {
	node, err := n.kube.CoreV1().Nodes().Get(ctx, n.spec.Name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	running := pod.DeepCopy()
	running.Status = runningStatus(pod, time.Now())
	running.Status.HostIP = nodeAddress(node)
	running.Status.PodIP = running.Status.HostIP
	if !pod.Spec.HostNetwork {
		running.Status.PodIP = addresses.get(pod.UID, node.Spec.PodCIDR)
	}
	if ip := running.Status.PodIP; ip != "" {
		running.Status.PodIPs = []corev1.PodIP{{IP: ip}}
	}
	if ip := running.Status.HostIP; ip != "" {
		running.Status.HostIPs = []corev1.HostIP{{IP: ip}}
	}
	_, err = n.kube.CoreV1().Pods(pod.Namespace).UpdateStatus(ctx, running, metav1.UpdateOptions{})
	if apierrors.IsConflict(err) {
		return nil // it changed: the watch shows it again
	}
	return err
}

// runningStatus is the status of a pod whose init containers have succeeded and whose containers are ready.
func runningStatus(pod *corev1.Pod, now time.Time) corev1.PodStatus {
	at := metav1.NewTime(now)
	status := *pod.Status.DeepCopy()
	status.Phase, status.StartTime = corev1.PodRunning, &at
	scheduled := status.Conditions
	status.Conditions = nil
	for _, c := range scheduled {
		if c.Type == corev1.PodScheduled {
			status.Conditions = append(status.Conditions, c)
		}
	}
	for _, t := range []corev1.PodConditionType{corev1.PodInitialized, corev1.ContainersReady, corev1.PodReady} {
		status.Conditions = append(status.Conditions, corev1.PodCondition{Type: t, Status: corev1.ConditionTrue, LastTransitionTime: at})
	}
	done := corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Reason: "Completed", StartedAt: at, FinishedAt: at}}
	up := corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: at}}
	status.InitContainerStatuses = containerStatuses(pod.Spec.InitContainers, done, false)
	status.ContainerStatuses = containerStatuses(pod.Spec.Containers, up, true)
	return status
}

func containerStatuses(containers []corev1.Container, state corev1.ContainerState, started bool) []corev1.ContainerStatus {
	var statuses []corev1.ContainerStatus
	for _, c := range containers {
		statuses = append(statuses, corev1.ContainerStatus{
			Name: c.Name, Image: c.Image, ImageID: c.Image, ContainerID: "simcloud://" + c.Name,
			Ready: true, Started: &started, State: state,
		})
	}
	return statuses
}

func nodeAddress(node *corev1.Node) string {
	for _, a := range node.Status.Addresses {
		if a.Type == corev1.NodeInternalIP {
			return a.Address
		}
	}
	return ""
}

// podAddresses gives the pods of a node addresses of its pod CIDR, which no
// two pods have at the same time.
type podAddresses struct {
	used map[types.UID]netip.Addr
	last netip.Addr
}

// get returns the pod's address; none when the node has no CIDR yet, or no address left.
func (a *podAddresses) get(pod types.UID, cidr string) string {
	prefix, err := netip.ParsePrefix(cidr)
	if err != nil {
		return ""
	}
	if had, ok := a.used[pod]; ok {
		return had.String()
	}
	taken := map[netip.Addr]bool{}
	for _, addr := range a.used {
		taken[addr] = true
	}
	first := prefix.Masked().Addr().Next().Next() // after the network and its gateway
	addr := a.last.Next()
	for range len(taken) + 2 {
		if !addr.IsValid() || !prefix.Contains(addr) {
			addr = first
		}
		if !taken[addr] {
			a.used[pod], a.last = addr, addr
			return addr.String()
		}
		addr = addr.Next()
	}
	return ""
}
