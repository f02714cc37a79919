package manager

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
)

// nothingListens runs programs on a node on which nothing can be reached, which takes a while to notice.
func nothingListens(ctx context.Context, _ string, _ io.Reader, _ ...string) ([]byte, error) {
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(7 * time.Second): // so that the wait is over in the midst of one
		return nil, errors.New("curl: (7) connection refused")
	}
}

// TestWhyTheServiceIsNotReached: the error has the last answer, not that the
// wait was over, and what became of kube-proxy.
func TestWhyTheServiceIsNotReached(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		kube := fake.NewClientset(
			&corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: "kubernetes", Namespace: metav1.NamespaceDefault}, Spec: corev1.ServiceSpec{ClusterIP: "10.96.0.1"}},
			&corev1.Pod{
				ObjectMeta: metav1.ObjectMeta{Name: "kube-proxy-x", Namespace: metav1.NamespaceSystem, Labels: map[string]string{"k8s-app": "kube-proxy"}},
				Spec:       corev1.PodSpec{NodeName: "plane"},
				Status: corev1.PodStatus{Phase: corev1.PodRunning, ContainerStatuses: []corev1.ContainerStatus{{
					RestartCount: 4, State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff"}},
				}}},
			},
		)
		i := &inCluster{CCM: &CCM{deps: Deps{Kube: Kube{Client: kube}}}, exec: nothingListens, node: "plane"}
		err := i.awaitService(t.Context())
		if err == nil {
			t.Fatal("nothing listens, and it was reached")
		}
		for _, want := range []string{"not so within 6m0s", "connection refused", "kube-proxy-x is Running", "CrashLoopBackOff", "restarted 4 times", "fake logs"} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%v: does not say %q", err, want)
			}
		}
	})
}
