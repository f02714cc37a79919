package lb

import (
	"testing"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/simcloud-dev/simcloud/ccm/internal/ccmtest"
)

func TestEventsReachTheCluster(t *testing.T) {
	t.Parallel()
	kube, stop := fake.NewClientset(), make(chan struct{})
	defer close(stop)
	watch, err := kube.CoreV1().Events("default").Watch(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer watch.Stop()
	var e Events
	e.warning(ccmtest.Service(), ReasonInvalid, "before Initialize there is no recorder")
	e.Start(kube, stop)
	e.warning(ccmtest.Service(), ReasonInvalid, "port %d", 80)
	event, ok := (<-watch.ResultChan()).Object.(*v1.Event)
	if !ok || event.Reason != ReasonInvalid || event.Message != "port 80" || event.InvolvedObject.Name != "web" || event.Source.Component != EventSource {
		t.Errorf("got %+v, want InvalidLoadBalancer on Service web", event)
	}
}
