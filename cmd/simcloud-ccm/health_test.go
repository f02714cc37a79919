package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/cloud-provider/app"
	"k8s.io/cloud-provider/app/config"
	genericcontrollermanager "k8s.io/controller-manager/app"
	"k8s.io/utils/ptr"
)

// TestALeaderKnowsItsLease: a process that leads remembers its lease, to give it up at its end; one that need not has none.
func TestALeaderKnowsItsLease(t *testing.T) {
	t.Parallel()
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	kube := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(coordinationv1.Lease{
			TypeMeta: metav1.TypeMeta{APIVersion: "coordination.k8s.io/v1", Kind: "Lease"},
			Spec:     coordinationv1.LeaseSpec{HolderIdentity: ptr.To(host + "_1")},
		})
	}))
	t.Cleanup(kube.Close)
	for _, elects := range []bool{true, false} {
		c := &config.Config{Client: kubernetes.NewForConfigOrDie(&rest.Config{Host: kube.URL})}
		c.ComponentConfig.Generic.LeaderElection.LeaderElect = elects
		c.ComponentConfig.Generic.LeaderElection.ResourceName = "own"
		p := &process{}
		start := p.watchCloud(app.ControllerInitContext{}, c.Complete(), nil)
		if _, started, err := start(t.Context(), genericcontrollermanager.ControllerContext{}); err != nil || !started {
			t.Fatalf("started %t, %v", started, err)
		}
		if held := p.lease.Load(); (held != nil) != elects {
			t.Errorf("with an election %t it remembers %v", elects, held)
		}
	}
}
