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
	"github.com/simcloud-dev/simcloud/simcloud/sim"
)

// patience bounds the wait for something that must happen, askTimeout each
// question whether it has: one that hangs is asked again.
const (
	patience   = 60 * time.Second
	askTimeout = 10 * time.Second
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
	if testing.Short() {
		t.Skip("needs a control plane: left out by -short")
	}
	if os.Getenv(e2e.EnvCCM) == "" {
		t.Skipf("needs simcloud-ccm: set %s", e2e.EnvCCM)
	}
	subject, err := e2e.ParseSubject("")
	if err != nil {
		t.Fatal(err)
	}
	kube, err := embedded.Find(t.Context(), embedded.FindOptions{Progress: func(line string) { t.Log(line) }})
	if err != nil {
		t.Fatal(err)
	}
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

// within waits until what is asked for is so.
func within(t *testing.T, what string, ask func(context.Context) (bool, error)) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		ok, err := bounded(ctx, ask)
		if ok && err == nil {
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("not so within %s: %s (%v)", patience, what, err)
		}
	}
}

func bounded(ctx context.Context, ask func(context.Context) (bool, error)) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	return ask(ctx)
}
