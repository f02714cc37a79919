package lb

import (
	"errors"
	"slices"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/simcloud-dev/simcloud/ccm/internal/call"
	"github.com/simcloud-dev/simcloud/ccm/label"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// overdue is an error while a create for an owner that the inventory does
// not show may still take effect.
func (l *Balancers) overdue(owner types.UID, inv inventory) error {
	l.newBalancer.Settle(owner, inv.balancers)
	l.settleFloatingIPs(owner, inv.floatingIPs)
	return errors.Join(l.newBalancer.Overdue(owner), l.overdueFloatingIPs(owner))
}

// pendingCreateError is an error while a load balancer that a Service was to share
// with others may still appear, but for that of one owner, or while the Service may yet join one. What it
// has joined is known, and found has just been left.
func (l *Balancers) pendingCreateError(uid, but types.UID, found []simcloud.LoadBalancer) error {
	founded := l.newBalancer.OwnersOf(func(spec simcloud.LoadBalancerSpec) bool {
		_, is := spec.Labels[userLabel(uid)]
		return is
	})
	var overdue []error
	for _, owner := range founded {
		if owner == but {
			continue
		}
		overdue = append(overdue, l.overdue(owner, inventory{balancers: slices.DeleteFunc(slices.Clone(found), func(lb simcloud.LoadBalancer) bool {
			return !label.OwnedBy(owner, lb.Labels)
		})}))
	}
	if len(found) > 0 {
		l.inFlight.forget(uid)
	}
	return errors.Join(append(overdue, l.inFlight.open(uid, l.deps.Now()))...)
}

// unknown is an error while what an earlier process has asked for may still
// appear. This one does not know what that was; but it knows that there is
// nothing to wait for if the Service is younger, or has been told an address, or
// if this process has been there for twice as long as a call may take: a cloud
// that has lost its caller does not take longer over it than one that has not.
func (l *Balancers) unknown(svc *v1.Service) error {
	began := l.started.Truncate(time.Second) // as the API server writes times
	switch {
	case !svc.CreationTimestamp.Time.Before(began), len(svc.Status.LoadBalancer.Ingress) > 0,
		l.deps.Now().Sub(l.started) >= 2*l.config.Timeout, l.inFlight.isSettled(svc.UID):
		return nil
	}
	return call.NotReady("what was asked for before this process began may still appear")
}

// settleAll notes that all that was asked for a Service has come to its end.
func (l *Balancers) settleAll(uid types.UID) {
	if l.deps.Now().Sub(l.started) < 2*l.config.Timeout { // afterwards no one asks
		l.inFlight.settle(uid)
	}
}

// inFlightChanges are the Services for which a change of a joined load balancer had no
// answer, and those for which nothing has been in flight since this process began.
type inFlightChanges struct {
	mu      sync.Mutex
	since   map[types.UID]time.Time
	settled map[types.UID]bool
}

func (f *inFlightChanges) note(uid types.UID, now time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.since == nil {
		f.since = map[types.UID]time.Time{}
	}
	f.since[uid] = now
}

// open is an error while such a change may still take effect.
func (f *inFlightChanges) open(uid types.UID, now time.Time) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	since, open := f.since[uid]
	switch {
	case !open:
		return nil
	case now.Sub(since) < call.UnsettledFor:
		return call.NotReady("a change of a load balancer had no answer, and may still take effect")
	}
	delete(f.since, uid)
	return nil
}

func (f *inFlightChanges) forget(uid types.UID) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.since, uid)
}

func (f *inFlightChanges) settle(uid types.UID) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.settled == nil {
		f.settled = map[types.UID]bool{}
	}
	f.settled[uid] = true
}

func (f *inFlightChanges) isSettled(uid types.UID) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.settled[uid]
}
