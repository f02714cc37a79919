package service_test

import (
	"encoding/base64"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"
)

// TestSessions: a session has its secret until it ends, and its holder cannot change the end.
func TestSessions(t *testing.T) {
	t.Parallel()
	key, end := service.SessionKey("a secret"), time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	made := service.Session{Secret: "s3.cr.et", End: end, Unscoped: true}
	token := made.Token(key)
	got, err := service.ReadSession(key, token, end.Add(-time.Second))
	if got.Secret != made.Secret || !got.End.Equal(end) || !got.Unscoped || err != nil || strings.Contains(token, "s3") {
		t.Errorf("%s has %+v, %v", token, got, err)
	}
	if _, err := service.ReadSession(key, token, end); simcloud.CodeOf(err) != simcloud.Unauthenticated || !errors.Is(err, simcloud.ErrTokenExpired) {
		t.Errorf("at its end: %v", err)
	}
	const prefix = "gAAAAAB"
	raw, err := base64.RawURLEncoding.DecodeString(strings.TrimPrefix(token, prefix))
	if err != nil {
		t.Fatal(err)
	}
	later := append([]byte{}, raw...)
	later[32]++ // the first digit of the end
	forged := prefix + base64.RawURLEncoding.EncodeToString([]byte("73069258126.s3.cr.et"))
	for _, wrong := range []string{
		"", "x", token[1:], token + "=", prefix, "gAAAAABeA", strings.ToLower(token), forged, prefix + base64.RawURLEncoding.EncodeToString(later),
		made.Token(service.SessionKey("another")),
	} {
		if got, err := service.ReadSession(key, wrong, end.Add(-time.Hour)); simcloud.CodeOf(err) != simcloud.Unauthenticated || errors.Is(err, simcloud.ErrTokenExpired) {
			t.Errorf("%q has %+v, %v", wrong, got, err)
		}
	}
}
