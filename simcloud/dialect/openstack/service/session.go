package service

import (
	"context"
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// sessionPrefix begins the token of a session, which is base64 behind it.
const sessionPrefix = "gAAAAAB"

// SessionToken is the token of a session that began with a secret and ends at a time. It has the secret in it, so that the
// caller is that of the secret, and ends with it: only its holder has it.
func SessionToken(secret string, end time.Time) string {
	return sessionPrefix + base64.RawURLEncoding.EncodeToString([]byte(strconv.FormatInt(end.Unix(), 10)+"."+secret))
}

// SecretOfSession returns the secret that a session began with. Unauthenticated: it has ended at now, or is no session.
func SecretOfSession(token string, now time.Time) (string, error) {
	secret, end, err := readSession(token)
	if err == nil && !now.Before(end) {
		expired := unauthenticated()
		expired.Err = simcloud.ErrTokenExpired
		return "", expired
	}
	return secret, err
}

func readSession(token string) (secret string, end time.Time, err error) {
	encoded, ok := strings.CutPrefix(token, sessionPrefix)
	raw, err := base64.RawURLEncoding.DecodeString(encoded)
	digits, secret, found := strings.Cut(string(raw), ".")
	seconds, errEnd := strconv.ParseInt(digits, 10, 64)
	if !ok || err != nil || !found || errEnd != nil {
		return "", end, unauthenticated()
	}
	return secret, time.Unix(seconds, 0), nil
}

// unauthenticated is the error for a request without a session that is good.
func unauthenticated() *simcloud.Error {
	return &simcloud.Error{Code: simcloud.Unauthenticated, Message: "The request you have made requires authentication."}
}

type secretKey struct{}

// WithSecret returns a request whose credential is a secret, wherever it was in it.
func WithSecret(r *http.Request, secret string) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), secretKey{}, secret))
}

// SecretOf returns the credential of a request: what [WithSecret] has put into it, or the secret that the session of the
// request began with.
func SecretOf(r *http.Request, now time.Time) (string, error) {
	if secret, ok := r.Context().Value(secretKey{}).(string); ok {
		return secret, nil
	}
	return SecretOfSession(r.Header.Get("X-Auth-Token"), now)
}

// SessionEnd is when a session of the caller ends that begins now. A token that ends earlier ends it earlier.
func (c Call) SessionEnd() (time.Time, error) {
	text, err := c.Variant(simcloud.VariantOpenStackSession)
	if err != nil {
		return time.Time{}, err
	}
	life, err := time.ParseDuration(text)
	return c.Time().Add(life), err
}

// NewSession is the token of a session of the caller.
func (c Call) NewSession(end time.Time) string {
	secret, _ := SecretOf(c.request, c.Time()) // the edge has read it
	return SessionToken(secret, end)
}

// SubjectEnd is when the session ends that a request asks about, which is one of its own.
func (c Call) SubjectEnd() (time.Time, error) {
	token, missing := c.request.Header.Get("X-Subject-Token"), Refuse(simcloud.NotFound, Code{Status: http.StatusNotFound}, "Could not find token.")
	secret, end, err := readSession(token)
	own, errOwn := SecretOf(c.request, c.Time())
	if err != nil || errOwn != nil || secret != own || !c.Time().Before(end) {
		return end, missing
	}
	return end, nil
}
