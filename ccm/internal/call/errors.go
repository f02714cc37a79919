// Package call is what the provider puts around its calls of the cloud,
// whatever they are about: what an error means to a controller, creates that
// make one resource each, turns, the gate at the end of the process, metrics,
// and whether the cloud answers at all.
package call

import (
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	cloudprovider "k8s.io/cloud-provider"
	"k8s.io/cloud-provider/api"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// This file alone names cloudprovider's sentinels and RetryError: what a code
// of the cloud means to a controller is decided here and nowhere else.

// InstanceGone is what Metadata and Shutdown answer when the cloud knows that
// there is no such instance. It is bare because controllers compare with ==.
func InstanceGone() error { return cloudprovider.InstanceNotFound }

// DiskGone is what PVLabeler answers when the cloud knows that there is no such volume.
func DiskGone() error { return cloudprovider.DiskNotFound }

// RetryRoute makes the route controller try again at once, a few times, when
// something else is being done to the route table: it knows only conflicts of
// Kubernetes for a reason to, and with the watch-based gate there is no next period.
func RetryRoute(err error) error {
	if !errors.Is(err, simcloud.Locked) && !errors.Is(err, simcloud.Conflict) {
		return err
	}
	return fmt.Errorf("%w (%w)", err, apierrors.NewConflict(schema.GroupResource{Resource: "routes"}, "", err))
}

// IsGone reports whether the cloud said, in its own words, that there is no
// such resource. A code that is guessed from a status never becomes NotFound.
func IsGone(err error) bool { return errors.Is(err, simcloud.NotFound) }

// NotAboutOne keeps a list's NotFound from being taken for that of a resource:
// whatever it means, it does not say that an instance is gone.
func NotAboutOne(err error) error {
	if IsGone(err) {
		return errors.New(err.Error())
	}
	return err
}

// IgnoreGone is err, unless it says that what was to be removed is gone.
func IgnoreGone(err error) error {
	if IsGone(err) {
		return nil
	}
	return err
}

// Refused reports whether err proves that the cloud did not do what was asked.
// After any other error it may have, and so it may when an earlier attempt of
// the same call had no answer.
func Refused(err error) bool {
	if errors.Is(err, simcloud.Timeout) || errors.Is(err, simcloud.Unavailable) {
		return false
	}
	switch simcloud.CodeOf(err) {
	case simcloud.Invalid, simcloud.Unauthenticated, simcloud.Forbidden, simcloud.NotFound,
		simcloud.AlreadyExists, simcloud.InUse, simcloud.Protected, simcloud.Conflict, simcloud.Locked,
		simcloud.QuotaExceeded, simcloud.Capacity, simcloud.RateLimited, simcloud.Unimplemented:
		return true
	default:
		return false
	}
}

// Unfit reports whether the cloud refuses one part of a load balancer for what
// it is, so that the others can be gone on with.
func Unfit(err error) bool {
	switch simcloud.CodeOf(err) {
	case simcloud.Invalid, simcloud.InUse, simcloud.QuotaExceeded, simcloud.Capacity, simcloud.Unimplemented, simcloud.Internal:
		return true
	default:
		return false
	}
}

// ChangedMeanwhile reports whether err says that a plan was made from a state that is no more.
func ChangedMeanwhile(err error) bool {
	switch simcloud.CodeOf(err) {
	case simcloud.Conflict, simcloud.AlreadyExists, simcloud.NotFound:
		return true
	default:
		return false
	}
}

// Unreachable reports whether err is no answer to work with: none came, it was
// not in the cloud's own words, or the cloud does not know who asks.
func Unreachable(err error) bool {
	switch simcloud.CodeOf(err) {
	case simcloud.Unavailable, simcloud.Timeout, simcloud.Unauthenticated:
		return true
	default:
		return false
	}
}

// defaultRetry is when to come back to a cloud that is busy and does not say for how long.
const defaultRetry = time.Second

// RetryLater makes the service controller come back after a fixed time, rather
// than back off, when the cloud is busy. It is not for deletions: there the
// controller flattens the error, and backs off in any case.
func RetryLater(err error) error {
	if !errors.Is(err, simcloud.Locked) && !errors.Is(err, simcloud.RateLimited) {
		return err
	}
	after := simcloud.RetryAfter(err)
	if after <= 0 {
		after = defaultRetry
	}
	return &busyError{err: err, retry: api.NewRetryError(err.Error(), after)}
}

// busyError keeps the cloud's error beside the controller's RetryError.
type busyError struct {
	err   error
	retry *api.RetryError
}

func (e *busyError) Error() string   { return e.err.Error() }
func (e *busyError) Unwrap() []error { return []error{e.err, e.retry} }

// NotReady says that the cloud is still at work on something, as a Locked error of the cloud would.
func NotReady(format string, args ...any) error {
	return &simcloud.Error{Code: simcloud.Locked, Message: fmt.Sprintf(format, args...)}
}
