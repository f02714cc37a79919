package service

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// sessionPrefix begins the token of a session, which is base64 behind it.
const sessionPrefix = "gAAAAAB"

// Session is a session of a caller. Its token has all of it, signed by the cloud: only who has the secret has the token, and
// the holder cannot give it another end.
type Session struct {
	// Secret is what the session began with: the caller is that of the secret, and the session ends with it.
	Secret string
	End    time.Time
	// Unscoped is whether the session is of no project: it opens other sessions and nothing else.
	Unscoped bool
}

// SessionKey returns the key to sign sessions with that belongs to a secret of the cloud, so that sessions outlive a
// restart of a cloud that knows its secret; a new key without one. Another key ends all sessions that it has not signed.
func SessionKey(secret string) []byte {
	if secret == "" {
		secret = rand.Text()
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte("sessions of OpenStack's dialect"))
	return mac.Sum(nil)
}

const (
	scoped   = "s"
	unscoped = "u"
)

// Token is the token of the session, signed with a key.
func (s Session) Token(key []byte) string {
	scope := scoped
	if s.Unscoped {
		scope = unscoped
	}
	text := []byte(strconv.FormatInt(s.End.Unix(), 10) + "." + scope + "." + s.Secret)
	return sessionPrefix + base64.RawURLEncoding.EncodeToString(append(signature(key, text), text...))
}

func signature(key, text []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write(text)
	return mac.Sum(nil)
}

// ReadSession reads the token of a session that was signed with a key. Unauthenticated: it has ended at now, or is no session.
func ReadSession(key []byte, token string, now time.Time) (Session, error) {
	encoded, ok := strings.CutPrefix(token, sessionPrefix)
	raw, err := base64.RawURLEncoding.Strict().DecodeString(encoded)
	if !ok || err != nil || len(raw) < sha256.Size || !hmac.Equal(raw[:sha256.Size], signature(key, raw[sha256.Size:])) {
		return Session{}, unauthenticated()
	}
	const parts = 3
	fields := strings.SplitN(string(raw[sha256.Size:]), ".", parts)
	seconds, err := strconv.ParseInt(fields[0], 10, 64)
	if len(fields) != parts || err != nil {
		return Session{}, unauthenticated()
	}
	s := Session{Secret: fields[2], End: time.Unix(seconds, 0), Unscoped: fields[1] == unscoped}
	if !now.Before(s.End) {
		expired := unauthenticated()
		expired.Err = simcloud.ErrTokenExpired
		return Session{}, expired
	}
	return s, nil
}

// unauthenticated is the error for a request without a session that is good.
func unauthenticated() *simcloud.Error {
	return &simcloud.Error{Code: simcloud.Unauthenticated, Message: "The request you have made requires authentication."}
}

type credentialKey struct{}

// WithCredential returns a request whose credential is not in a header, but a secret or a session that its body has. A session
// has an end.
func WithCredential(r *http.Request, from Session) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), credentialKey{}, from))
}

// SessionOf returns the credential of a request: what [WithCredential] has put into it, or the session whose token it has.
func (b Backend) SessionOf(r *http.Request) (Session, error) {
	if from, ok := r.Context().Value(credentialKey{}).(Session); ok {
		return from, nil
	}
	return ReadSession(b.SessionKey, r.Header.Get("X-Auth-Token"), b.Time())
}

// NewSession is a session of the caller that begins now, and its token. It ends after the time that the cloud gives sessions, but
// never after the caller's token, nor after the session that it renews.
func (c Call) NewSession(unscoped bool) (Session, string, error) {
	from, err := c.SessionOf(c.request)
	if err != nil {
		return from, "", err
	}
	text, err := c.Variant(simcloud.VariantOpenStackSession)
	if err != nil {
		return from, "", err
	}
	life, err := time.ParseDuration(text)
	if err != nil {
		return from, "", err
	}
	s := Session{Secret: from.Secret, End: earlier(c.Time().Add(life).Truncate(time.Second), from.End), Unscoped: unscoped}
	if c.TokenEnd != nil {
		end, err := c.TokenEnd(c.Ctx(), simcloud.CallerFrom(c.Ctx()).Token)
		if err != nil {
			return s, "", err
		}
		s.End = earlier(s.End, end.Truncate(time.Second))
	}
	return s, s.Token(c.SessionKey), nil
}

// earlier is the earlier of two ends, of which a zero one never comes.
func earlier(a, b time.Time) time.Time {
	if b.IsZero() || a.Before(b) {
		return a
	}
	return b
}

// Subject is the session that a request asks about, which is one of its own.
func (c Call) Subject() (Session, error) {
	asked, err := ReadSession(c.SessionKey, c.request.Header.Get("X-Subject-Token"), c.Time())
	own, errOwn := c.SessionOf(c.request)
	if err != nil || errOwn != nil || asked.Secret != own.Secret {
		return asked, Refuse(simcloud.NotFound, Code{Status: http.StatusNotFound}, "Could not find token.")
	}
	return asked, nil
}
