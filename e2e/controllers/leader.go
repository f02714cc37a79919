package controllers

import (
	"context"
	"errors"
	"os"
	"sync"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/client-go/kubernetes/scheme"
	v1core "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/client-go/tools/record"
	"k8s.io/klog/v2"

	"github.com/simcloud-dev/simcloud/e2e/virtual"
)

// errLost is the end of a process that led and may not any more.
var errLost = errors.New("leader election lost")

// lead works while it holds the lease. The lease is kept until the work has ended, since the next leader may begin then.
func (m *manager) lead(ctx context.Context, work func(context.Context) error) error {
	electing, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	lock, err := m.newLock(electing)
	if err != nil {
		return err
	}
	t := &term{ended: ctx, stop: stop, work: work}
	defer context.AfterFunc(ctx, t.stopUnlessLeading)()
	election := m.settings.Generic.LeaderElection
	leaderelection.RunOrDie(electing, leaderelection.LeaderElectionConfig{
		Lock: lock, Name: election.ResourceName, ReleaseOnCancel: m.ReleaseLease,
		LeaseDuration: election.LeaseDuration.Duration, RenewDeadline: election.RenewDeadline.Duration, RetryPeriod: election.RetryPeriod.Duration,
		Callbacks: leaderelection.LeaderCallbacks{OnStartedLeading: t.lead, OnStoppedLeading: func() {}},
	})
	if err := t.wait(); err != nil || ctx.Err() != nil {
		return err
	}
	klog.ErrorS(nil, "leaderelection lost")
	return errLost
}

// newLock returns the lock that the flags name. Its Events are sent until ctx is done.
func (m *manager) newLock(ctx context.Context) (resourcelock.Interface, error) {
	kube, err := m.clients.Client(command)
	if err != nil {
		return nil, err
	}
	identity := m.Identity
	if identity == "" {
		host, err := os.Hostname()
		if err != nil {
			return nil, err
		}
		identity = host + "_" + string(uuid.NewUUID())
	}
	events := record.NewBroadcaster(record.WithContext(ctx))
	events.StartStructuredLogging(0)
	events.StartRecordingToSink(&v1core.EventSinkImpl{Interface: kube.CoreV1().Events("")})
	election := m.settings.Generic.LeaderElection
	return resourcelock.NewFromKubeconfig(election.ResourceLock, election.ResourceNamespace, election.ResourceName, resourcelock.ResourceLockConfig{
		Identity: identity, EventRecorder: events.NewRecorder(scheme.Scheme, v1.EventSource{Component: command}),
	}, m.access, election.RenewDeadline.Duration)
}

// term is the time for which a CCM leads: at most one.
type term struct {
	ended context.Context // the CCM's
	stop  func()          // standing for election
	work  func(context.Context) error

	mu      sync.Mutex
	begun   bool
	working sync.WaitGroup
	err     error // of the work
}

// begin reports whether the term may begin: it has not been lost already, and the CCM has not ended.
func (t *term) begin(ctx context.Context) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if ctx.Err() != nil || t.ended.Err() != nil {
		return false
	}
	t.begun = true
	t.working.Add(1)
	return true
}

// lead is called when the lease is held, with a context until it is lost.
func (t *term) lead(ctx context.Context) {
	defer virtual.Current().Recover()
	defer t.stop()
	if !t.begin(ctx) {
		return
	}
	defer t.working.Done()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(t.ended, cancel)()
	t.err = t.work(ctx)
}

// stopUnlessLeading stops the election; the work does it when it has ended.
func (t *term) stopUnlessLeading() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.begun {
		t.stop()
	}
}

// wait waits for the end of the work, if it has begun, and returns its error.
func (t *term) wait() error {
	t.working.Wait()
	return t.err
}
