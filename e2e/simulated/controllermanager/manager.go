// Package controllermanager does what kube-controller-manager does for the kinds that cloud controller managers
// meet: it gives Nodes their pod CIDRs, finds those that are silent, fills new namespaces and empties those that go,
// collects what has lost its owner, lets volumes become available and go, runs the pods of Deployments, and binds them to Nodes.
//
// It reads the store of an API server directly, and writes through its API. DaemonSets, StatefulSets and endpoints have no controller here.
package controllermanager

import (
	"context"
	"errors"
	"log/slog"
	"net/netip"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/kubernetes"

	"github.com/simcloud-dev/simcloud/e2e/simulated/kubeapi/store"
	"github.com/simcloud-dev/simcloud/simcloud/wait"
)

// Config describes the controllers.
type Config struct {
	// Kube is an admin's client of the API server whose objects are in Objects.
	Kube    kubernetes.Interface
	Objects *store.DB
	// PodRange is what Nodes have their pod CIDRs from, each one of NodeMask bits.
	PodRange netip.Prefix
	NodeMask int
	// Grace is how long a Node may be silent until it is not ready, Monitor how often that is looked at.
	Grace, Monitor time.Duration
	// Log gets what could not be done.
	Log *slog.Logger
}

// Manager is the controllers.
type Manager struct {
	Config
	health map[string]*health // of Nodes, by name
	cidrs  cidrs
	pods   int // that were made so far
}

// New returns controllers that do not run.
func New(cfg Config) *Manager {
	return &Manager{Config: cfg, health: map[string]*health{}, cidrs: cidrs{within: cfg.PodRange, bits: cfg.NodeMask}}
}

// Run works until ctx is done.
func (m *Manager) Run(ctx context.Context) {
	tick := time.NewTicker(m.Monitor)
	defer tick.Stop()
	for {
		changed := m.Objects.Changed() // before the look, so that no change is missed
		m.reconcile(ctx)
		select {
		case <-changed:
			_ = wait.Pause(ctx, settle)
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// settle is how long the controllers let changes come together before they look: in simulated time, all that happens at once.
const settle = time.Millisecond

// reconcile does what there is to do. What fails is done at the next look.
func (m *Manager) reconcile(ctx context.Context) {
	for _, controller := range []struct {
		name string
		do   func(context.Context) error
	}{
		{"node ipam", m.allocateCIDRs},
		{"node lifecycle", m.monitorNodes},
		{"service accounts", m.fillNamespaces},
		{"namespaces", m.emptyNamespaces},
		{"garbage collector", m.collect},
		{"volumes", m.lookAfterVolumes},
		{"deployments", m.runDeployments},
		{"replica sets", m.runReplicaSets},
		{"scheduler", m.schedule},
	} {
		if err := controller.do(ctx); err != nil && ctx.Err() == nil {
			m.Log.Warn("a controller could not do its work", "controller", controller.name, "error", err)
		}
	}
}

// unless returns an error but those that say that another client was faster.
func unless(err error) error {
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) || apierrors.IsForbidden(err) {
		return nil
	}
	return err
}

// each does something for all objects of a kind, and returns all errors.
func each[T any](m *Manager, table string, do func(T) error) error {
	entries, _ := m.Objects.List(table, "/"+table+"/")
	var errs []error
	for _, entry := range entries {
		errs = append(errs, do(entry.Object.(T)))
	}
	return errors.Join(errs...)
}
