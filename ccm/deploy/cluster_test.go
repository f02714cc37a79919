package deploy_test

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/e2e"
	"github.com/simcloud-dev/simcloud/e2e/embedded"
	"github.com/simcloud-dev/simcloud/e2e/planetest"
	"github.com/simcloud-dev/simcloud/simcloud/sim"
)

// timings have more patience than the defaults. No test here is about how long something takes.
var timings = e2e.Timings{CCMStart: 90 * time.Second, CCMStop: 25 * time.Second, Reset: 2 * time.Minute, Stop: 2 * time.Minute}

// auditPolicy has the API server record all that the provider's ServiceAccount asks of it.
const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: Metadata
  users: ["system:serviceaccount:kube-system:cloud-controller-manager"]
- level: None
`

// start starts a real control plane, whose API server writes an audit log, and a cloud in memory.
func start(t *testing.T) (c *e2e.Cluster, auditLog string) {
	t.Helper()
	subject, kube := planetest.CCM(t), planetest.Kube(t)
	planetest.Slot(t)
	dir := t.TempDir()
	policy := filepath.Join(dir, "audit.yaml")
	if err := os.WriteFile(policy, []byte(auditPolicy), 0o600); err != nil {
		t.Fatal(err)
	}
	backend, err := embedded.New(embedded.Config{Dir: filepath.Join(dir, "kube"), Kube: kube, Audit: policy})
	if err != nil {
		t.Fatal(err)
	}
	c, err = e2e.Start(t.Context(), e2e.Config{
		Dir: dir, Backend: backend, Cloud: sim.Config{Ephemeral: true, Seed: 1}, Subject: subject,
		Timings: timings, Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Stop(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	return c, backend.AuditLog()
}
