package simcloud_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

func TestErrorIsItsCode(t *testing.T) {
	err := fmt.Errorf("attach: %w", simcloud.Errorf(simcloud.Locked, "load_balancer/lb-1", "op-7 is running"))
	for _, code := range simcloud.Codes() {
		if got, want := errors.Is(err, code), code == simcloud.Locked; got != want {
			t.Errorf("errors.Is(err, %s) = %v, want %v", code, got, want)
		}
	}
}

func TestErrorfKeepsTheCauseOutOfTheMessage(t *testing.T) {
	cause := errors.New("disk on fire")
	err := simcloud.Errorf(simcloud.Unavailable, "instance/i-1", "store the instance: %w", cause)
	var e *simcloud.Error
	if !errors.As(err, &e) {
		t.Fatalf("%T is not an *Error", err)
	}
	if e.Message != "store the instance" {
		t.Errorf("Message = %q, want it without the cause", e.Message)
	}
	if !errors.Is(err, cause) {
		t.Error("the cause is lost")
	}
	if !strings.Contains(err.Error(), "disk on fire") {
		t.Errorf("Error() = %q, want the cause in it: it is what gets logged", err)
	}
}

func TestCodeOf(t *testing.T) {
	for _, c := range []struct {
		err  error
		want simcloud.Code
	}{
		{nil, ""},
		{errors.New("anything"), simcloud.Internal},
		{fmt.Errorf("read: %w", context.DeadlineExceeded), simcloud.Timeout},
		{fmt.Errorf("get: %w", simcloud.Errorf(simcloud.NotFound, "instance/i-1", "gone")), simcloud.NotFound},
	} {
		if got := simcloud.CodeOf(c.err); got != c.want {
			t.Errorf("CodeOf(%v) = %q, want %q", c.err, got, c.want)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	err := fmt.Errorf("create: %w", &simcloud.Error{Code: simcloud.RateLimited, RetryAfter: 2 * time.Second})
	if got := simcloud.RetryAfter(err); got != 2*time.Second {
		t.Errorf("RetryAfter = %v, want 2s", got)
	}
	if got := simcloud.RetryAfter(errors.New("other")); got != 0 {
		t.Errorf("RetryAfter of another error = %v, want 0", got)
	}
}

func TestInvalidFieldsWithoutFieldsIsNil(t *testing.T) {
	if err := simcloud.InvalidFields("instance", nil); err != nil {
		t.Errorf("got %v, want nil", err)
	}
}
