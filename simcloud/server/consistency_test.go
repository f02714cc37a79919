package server_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
	"github.com/simcloud-dev/simcloud/simcloud/simtest"
)

// TestConsistency: a strong read is for admins; of others the header changes nothing, and another value is refused.
func TestConsistency(t *testing.T) {
	t.Parallel()
	s := serve(t)
	var strong bool
	s.cloud.get = func(ctx context.Context, id simcloud.ID) (simcloud.Instance, error) {
		strong = simcloud.StrongReads(ctx)
		return machine(id), nil
	}
	for _, test := range []struct {
		role, value string
		want        bool
	}{
		{"admin", "", false},
		{"admin", "strong", true},
		{"reader", "strong", false},
	} {
		res, body := s.send(t, "GET", "/v1/instances/i-1", "", "Authorization", "Bearer "+test.role, "Simcloud-Consistency", test.value)
		if res.StatusCode != http.StatusOK || strong != test.want {
			t.Errorf("%s with %q: status %d, strong %v, want %v: %s", test.role, test.value, res.StatusCode, strong, test.want, body)
		}
	}
	p := s.refused(t, "GET", "/v1/instances/i-1", "", http.StatusUnprocessableEntity, simcloud.Invalid, "Simcloud-Consistency", "eventual")
	if len(p.Errors) != 1 || p.Errors[0].Field != "Simcloud-Consistency" {
		t.Errorf("the errors are %+v", p.Errors)
	}
	for _, asks := range []bool{true, false} {
		c := simtest.Dial(t, client.Config{Endpoint: s.URL, Token: "admin", StrongReads: asks})
		if _, err := c.GetInstance(t.Context(), "i-1"); err != nil || strong != asks {
			t.Errorf("a client with StrongReads %v reads strongly: %v, %v", asks, strong, err)
		}
	}
}
