package manager

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

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
