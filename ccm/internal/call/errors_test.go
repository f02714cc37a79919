package call

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"k8s.io/cloud-provider/api"

	"github.com/simcloud-dev/simcloud/simcloud"
)

func TestRetryLater(t *testing.T) {
	t.Parallel()
	if err := RetryLater(nil); err != nil {
		t.Errorf("retryLater(nil) = %v", err)
	}
	// The service controller wraps what it gets, and looks for the RetryError behind that.
	err := fmt.Errorf("failed to ensure load balancer: %w", RetryLater(fmt.Errorf("x: %w", &simcloud.Error{Code: simcloud.Locked})))
	var retry *api.RetryError
	if !errors.As(err, &retry) || retry.RetryAfter() != time.Second || !errors.Is(err, simcloud.Locked) {
		t.Errorf("got %v, want a RetryError of 1s that is Locked still", err)
	}
}

// After these errors a create may have happened, so it must not be forgotten.
func TestRefused(t *testing.T) {
	t.Parallel()
	open := map[simcloud.Code]bool{simcloud.Unavailable: true, simcloud.Timeout: true, simcloud.Internal: true}
	for _, code := range simcloud.Codes() {
		if got := Refused(&simcloud.Error{Code: code}); got == open[code] {
			t.Errorf("refused(%s) = %v", code, got)
		}
	}
	afterNoAnswer := fmt.Errorf("%w (%w)", simcloud.Errorf(simcloud.QuotaExceeded, "", "x"), simcloud.Errorf(simcloud.Unavailable, "", "connection reset"))
	for _, err := range []error{afterNoAnswer, errors.New("plain"), context.Canceled, context.DeadlineExceeded, simcloud.Errorf("from_the_future", "", "x")} {
		if Refused(err) {
			t.Errorf("refused(%v) is true", err)
		}
	}
}
