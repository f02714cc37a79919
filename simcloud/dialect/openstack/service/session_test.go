package service_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"
)

// TestSessions: a session has its secret until it ends.
func TestSessions(t *testing.T) {
	t.Parallel()
	end := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	token := service.SessionToken("s3.cr.et", end)
	if secret, err := service.SecretOfSession(token, end.Add(-time.Second)); secret != "s3.cr.et" || err != nil || strings.Contains(token, "s3") {
		t.Errorf("%s has %q, %v", token, secret, err)
	}
	if _, err := service.SecretOfSession(token, end); simcloud.CodeOf(err) != simcloud.Unauthenticated || !errors.Is(err, simcloud.ErrTokenExpired) {
		t.Errorf("at its end: %v", err)
	}
	for _, wrong := range []string{"", "x", token[1:], token + "=", "gAAAAAB", "gAAAAABeA", strings.ToLower(token)} {
		if secret, err := service.SecretOfSession(wrong, end.Add(-time.Hour)); simcloud.CodeOf(err) != simcloud.Unauthenticated || errors.Is(err, simcloud.ErrTokenExpired) {
			t.Errorf("%q has %q, %v", wrong, secret, err)
		}
	}
}
