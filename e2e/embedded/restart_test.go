package embedded_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/simcloud-dev/simcloud/e2e/embedded"
	"github.com/simcloud-dev/simcloud/e2e/planetest"
	"github.com/simcloud-dev/simcloud/simcloud"
)

const auditPolicy = `
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- {level: Metadata, resources: [{group: "", resources: [configmaps]}], namespaces: [default]}
- {level: None}
`

// TestRestartAPIServer also proves that what is asked for is recorded, before and
// after, and that neither a restart nor a stop counts as the loss of a control plane.
func TestRestartAPIServer(t *testing.T) {
	kube := planetest.Kube(t)
	policy := filepath.Join(t.TempDir(), "policy.yaml")
	if err := os.WriteFile(policy, []byte(auditPolicy), 0o600); err != nil {
		t.Fatal(err)
	}
	c := startCluster(t, embedded.Config{Kube: kube, Audit: policy, NodeGrace: time.Hour})
	maps := c.kube.CoreV1().ConfigMaps("default")
	if _, err := maps.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "mine"}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	w, err := maps.Watch(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.RestartAPIServer(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range w.ResultChan() { // until it ends
	}
	if _, err := maps.Get(t.Context(), "mine", metav1.GetOptions{}); err != nil || c.Err() != nil {
		t.Errorf("after the restart: %v, %v", err, c.Err())
	}
	seen := map[string]int{}
	for _, event := range auditEvents(t, c.AuditLog()) {
		seen[event.Verb+" "+event.ObjectRef.Resource]++
	}
	if seen["create configmaps"] == 0 || seen["get configmaps"] != 1 {
		t.Errorf("recorded %v; want what was done before and after the restart", seen)
	}
	for what := range seen {
		if what == "list nodes" || what == "update leases" {
			t.Errorf("recorded %s, which the policy leaves out", what)
		}
	}
	if err := c.Stop(context.Background()); err != nil || c.Err() != nil {
		t.Errorf("after a stop: %v, %v", err, c.Err())
	}
}

// auditEvent is what the test reads of one.
type auditEvent struct {
	Verb      string
	ObjectRef struct{ Resource string }
}

func auditEvents(t *testing.T, path string) (events []auditEvent) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var event auditEvent
		if err := json.Unmarshal(lines.Bytes(), &event); err != nil {
			t.Fatal(err)
		}
		events = append(events, event)
	}
	return events
}

func TestRestartAPIServerNeedsOne(t *testing.T) {
	t.Parallel()
	backend, err := embedded.New(embedded.Config{Dir: t.TempDir(), Kube: "/bin/sh"})
	if err != nil {
		t.Fatal(err)
	}
	if err := backend.RestartAPIServer(context.Background()); !errors.Is(err, simcloud.Conflict) {
		t.Errorf("before the start: %v, want Conflict", err)
	}
	_, err = embedded.New(embedded.Config{Dir: t.TempDir(), Kube: "/bin/sh", Audit: "/no/such/policy"})
	if !errors.Is(err, simcloud.Invalid) {
		t.Errorf("with a policy that is not there: %v, want Invalid", err)
	}
}
