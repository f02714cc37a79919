package hcloud_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"

	"github.com/simcloud-dev/simcloud/simcloud/fault"
)

func asActionError(err error, into *hcloud.ActionError) bool { return errors.As(err, into) }

// fault adds a rule for one operation of the cloud, with an effect as JSON.
func (w world) fault(operation, effect string) {
	w.Helper()
	var e fault.Effect
	if err := json.Unmarshal([]byte(effect), &e); err != nil {
		w.Fatal(err)
	}
	must[fault.Rule](w)(w.native.AddFault(w.Context(), fault.Rule{Match: fault.Match{Operation: operation}, Effect: e}))
}

// TestErrorsAreRendered: an error of a fault rule is the one that Hetzner has for it.
func TestErrorsAreRendered(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		operation, code string
		status          int
		want            hcloud.ErrorCode
	}{
		{"GetInstance", "invalid", 422, hcloud.ErrorCodeInvalidInput},
		{"GetInstance", "unauthenticated", 401, hcloud.ErrorCodeUnauthorized},
		{"GetInstance", "forbidden", 403, hcloud.ErrorCodeForbidden},
		{"CreateTarget", "forbidden", 403, hcloud.ErrorCodeForbidden},
		{"GetInstance", "conflict", 409, hcloud.ErrorCodeConflict},
		{"GetInstance", "rate_limited", 429, hcloud.ErrorCodeRateLimitExceeded},
		{"GetInstance", "unavailable", 503, "unavailable"},
		{"GetInstance", "timeout", 504, hcloud.ErrorCodeTimeout},
		{"GetInstance", "unimplemented", 422, hcloud.ErrorUnsupportedError},
		{"GetInstance", "internal", 500, hcloud.ErrorCodeServerError},
		{"CreateTarget", "locked", 423, hcloud.ErrorCodeLocked},
		{"CreateTarget", "protected", 423, hcloud.ErrorCodeProtected},
		{"CreateTarget", "in_use", 422, hcloud.ErrorCodeResourceInUse},
		{"CreateTarget", "quota_exceeded", 403, hcloud.ErrorCodeResourceLimitExceeded},
		{"CreateTarget", "capacity", 403, hcloud.ErrorCodeResourceLimitExceeded},
		{"CreateTarget", "already_exists", 422, hcloud.ErrorCodeTargetAlreadyDefined},
	} {
		t.Run(test.operation+"/"+test.code, func(t *testing.T) {
			t.Parallel()
			w := open(t)
			w.fault(test.operation, `{"error": {"code": "`+test.code+`", "message": "because", "retryAfter": "2s"}}`)
			_, res, err := w.hetz.Server.GetByID(t.Context(), 1)
			if test.operation == "CreateTarget" {
				_, res, err = w.hetz.LoadBalancer.AddServerTarget(t.Context(), &hcloud.LoadBalancer{ID: 1}, serverTarget(1, false))
			}
			refused(t, err, test.want)
			if res.StatusCode != test.status || res.Header.Get("Retry-After") != "2" || !strings.Contains(err.Error(), "because") {
				t.Errorf("status %d, Retry-After %q: %v", res.StatusCode, res.Header.Get("Retry-After"), err)
			}
		})
	}
}

// TestNotFoundByFault: an injected not_found is as good as a true one.
func TestNotFoundByFault(t *testing.T) {
	t.Parallel()
	w := open(t)
	lb := w.balancer("a")
	w.fault("GetLoadBalancer", `{"error": {"code": "not_found"}}`)
	if got := got[*hcloud.LoadBalancer](t)(w.hetz.LoadBalancer.GetByID(t.Context(), lb.ID)); got != nil {
		t.Errorf("got %+v", got)
	}
}
