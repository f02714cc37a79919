package manager

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/rest"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// TestModesThatCannotBe: what is wrong is said before anything starts.
func TestModesThatCannotBe(t *testing.T) {
	t.Parallel()
	text := filepath.Join(t.TempDir(), "ccm")
	if err := os.WriteFile(text, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	flags := []string{phFlags}
	for _, c := range []struct {
		place   Place
		spec    CCMSpec
		refused string
	}{
		{Place{Mode: ""}, CCMSpec{Path: text}, ""},
		{Place{Mode: Process}, CCMSpec{Path: text}, ""},
		{Place{Mode: DaemonSet}, CCMSpec{Name: "none"}, ""},
		{Place{Mode: "statefulset"}, CCMSpec{Path: text, Args: flags}, "must be one of process, deployment, daemonset"},
		{Place{Mode: Deployment}, CCMSpec{Path: text, Args: []string{"--x"}}, "has arguments of its own"},
		{Place{Mode: Deployment, Backend: "plane-only"}, CCMSpec{Path: text, Args: flags}, "the backend plane-only has none"},
	} {
		err := c.place.Check(c.spec)
		if c.refused == "" && err != nil || c.refused != "" && (!errors.Is(err, simcloud.Invalid) || !strings.Contains(err.Error(), c.refused)) {
			t.Errorf("%+v, %+v: %v, want %q", c.place, c.spec, err, c.refused)
		}
	}
	if err := checkStatic(text); !errors.Is(err, simcloud.Invalid) || !strings.Contains(err.Error(), "not a program for Linux") {
		t.Errorf("a script: %v", err)
	}
}

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

// TestALogIsAskedForAgain: an answer that fails once costs nothing of the log.
func TestALogIsAskedForAgain(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if asked.Add(1) == 1 {
			http.Error(w, "the kubelet is busy", http.StatusInternalServerError)
			return
		}
		_, _ = io.WriteString(w, "one\ntwo\n")
	}))
	t.Cleanup(server.Close)
	ccm := &CCM{deps: Deps{Kube: Kube{Client: kubernetes.NewForConfigOrDie(&rest.Config{Host: server.URL})}}, files: ccmFiles{log: filepath.Join(t.TempDir(), "log")}}
	run := &podRun{inCluster: &inCluster{CCM: ccm}}
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "ccm", Namespace: ccmNamespace}}
	if err := run.copyLog(t.Context(), pod, corev1.PodLogOptions{Follow: true}); err != nil {
		t.Fatal(err)
	}
	if log, err := os.ReadFile(ccm.files.log); err != nil || string(log) != "one\ntwo\n" || asked.Load() != 2 {
		t.Errorf("the log is %q, %v, after %d questions", log, err, asked.Load())
	}
}
