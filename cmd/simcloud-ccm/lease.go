package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/util/retry"
	"k8s.io/cloud-provider/app/config"
	"k8s.io/controller-manager/pkg/leadermigration"
	"k8s.io/utils/ptr"
)

// lease is what this process leads by: its own, and with leader migration
// another, once it has that. The framework keeps them when it stops, so that the
// next leader would have to wait until they are over.
type lease struct {
	kube      kubernetes.Interface
	namespace string
	names     []string
	holder    string // what the framework calls this process
}

// leading returns the lease of a process that has just become the leader. The
// framework does not tell what it calls the process, only that its host comes first:
// of whoever holds the lease, another host's is another process.
func leading(ctx context.Context, c *config.CompletedConfig) (*lease, error) {
	election := c.ComponentConfig.Generic.LeaderElection
	l := &lease{kube: c.Client, namespace: election.ResourceNamespace}
	if leadermigration.Enabled(&c.ComponentConfig.Generic) {
		l.names = append(l.names, c.ComponentConfig.Generic.LeaderMigration.LeaderName)
	}
	l.names = append(l.names, election.ResourceName)
	held, err := l.get(ctx, election.ResourceName)
	if err != nil {
		return nil, err
	}
	host, err := os.Hostname()
	if err != nil {
		return nil, err
	}
	l.holder = ptr.Deref(held.Spec.HolderIdentity, "")
	if !strings.HasPrefix(l.holder, host+"_") {
		return nil, fmt.Errorf("lease %s is held by %q by now", election.ResourceName, l.holder)
	}
	return l, nil
}

// release gives up what this process still has, as client-go does for those
// that ask it to: without a holder, and over in a second. It gives all up
// together, since the framework would have the first again during the second.
func (l *lease) release(ctx context.Context) error {
	errs := make([]error, len(l.names))
	var releasing sync.WaitGroup
	for i, name := range l.names {
		releasing.Go(func() {
			// The framework renews it still, and may do so just now.
			errs[i] = retry.RetryOnConflict(retry.DefaultRetry, func() error { return l.releaseOne(ctx, name) })
		})
	}
	releasing.Wait()
	return errors.Join(errs...)
}

func (l *lease) releaseOne(ctx context.Context, name string) error {
	held, err := l.get(ctx, name)
	if err != nil {
		return err
	}
	if ptr.Deref(held.Spec.HolderIdentity, "") != l.holder {
		return nil // another process has it, and keeps it
	}
	held.Spec.HolderIdentity, held.Spec.LeaseDurationSeconds = ptr.To(""), ptr.To[int32](1)
	_, err = l.kube.CoordinationV1().Leases(l.namespace).Update(ctx, held, metav1.UpdateOptions{})
	return err
}

func (l *lease) get(ctx context.Context, name string) (*coordinationv1.Lease, error) {
	return l.kube.CoordinationV1().Leases(l.namespace).Get(ctx, name, metav1.GetOptions{})
}
