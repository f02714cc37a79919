package aws_test

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest"
)

// issued is an answer of the endpoint of credentials.
type issued struct {
	AccessKeyID     string `json:"AccessKeyId"`
	SecretAccessKey string
	Token           string
	Expiration      time.Time
	Code            string `json:"code"`
	Message         string `json:"message"`
}

func (s sent) issued() (i issued) {
	s.t.Helper()
	if err := json.Unmarshal([]byte(s.body), &i); err != nil || s.header.Get("Content-Type") != "application/json" {
		s.t.Errorf("%v in %s %s", err, s.header.Get("Content-Type"), s.body)
	}
	return i
}

// token makes a token of a role that lasts for a time.
func (w world) token(role simcloud.Role, lifetime time.Duration) simcloud.Token {
	w.Helper()
	return must[simcloud.Result[simcloud.Token]](w)(w.native.CreateToken(w.Context(), simcloud.TokenSpec{Name: "t", Role: role, Lifetime: simcloud.Duration(lifetime)})).Resource
}

// near fails the test unless a time is one from now, give or take a minute.
func (w world) near(at time.Time, from time.Duration) {
	w.Helper()
	if off := time.Until(at) - from; off < -time.Minute || off > time.Minute {
		w.Errorf("it is in %s, want %s", time.Until(at), from)
	}
}

// TestCredentials: who has a token gets credentials with it, until the token ends, and for a few minutes at most. All of that is
// real time: the cloud's clock is far ahead.
func TestCredentials(t *testing.T) {
	t.Parallel()
	w := open(t, simtest.ManualClock())
	must[simcloud.ClockAdvance](t)(w.native.AdvanceClock(t.Context(), simcloud.Duration(1000*time.Hour)))
	for _, test := range []struct {
		lifetime, want time.Duration
	}{{0, 4 * time.Minute}, {time.Hour, 4 * time.Minute}, {2 * time.Minute, 2 * time.Minute}} {
		token := w.token(simcloud.RoleReader, test.lifetime)
		for _, header := range []string{token.Secret, "Bearer " + token.Secret} {
			got := w.send(http.MethodGet, "/aws/credentials", "", "Authorization", header).issued()
			if got.Token != token.Secret || len(got.AccessKeyID) != 20 || got.SecretAccessKey == "" {
				t.Errorf("got %+v", got)
			}
			w.near(got.Expiration, test.want)
			if res := w.post(form(ec2, "DescribeInstances"), "X-Amz-Security-Token", got.Token, "Authorization", signature(got.AccessKeyID, "ec2")); res.status != http.StatusOK {
				t.Errorf("with the credentials: %s", res.body)
			}
		}
	}
	if calls := w.journal("aws:credentials:GetCredentials"); len(calls) != 6 || calls[0].Write || calls[0].Request != "GET /aws/credentials" || calls[0].Caller.Role != simcloud.RoleReader {
		t.Errorf("the journal has %+v", calls)
	}
}

// TestCredentialsOfAFastCloud: an hour of a cloud whose clock is sixty times as fast is a minute.
func TestCredentialsOfAFastCloud(t *testing.T) {
	t.Parallel()
	w := open(t)
	must[simcloud.ClockStatus](t)(w.native.SetClock(t.Context(), simcloud.ClockSpec{Mode: simcloud.ClockScaled, Factor: 60}))
	token := w.token(simcloud.RoleReader, 150*time.Minute)
	w.near(w.send(http.MethodGet, "/aws/credentials", "", "Authorization", token.Secret).issued().Expiration, 150*time.Second)
}

// TestTokensThatAreRefused: each service tells in its own words whether a token has ended or is unknown.
func TestTokensThatAreRefused(t *testing.T) {
	t.Parallel()
	w := open(t, simtest.ManualClock())
	expired, revoked := w.token(simcloud.RoleWriter, time.Hour), w.token(simcloud.RoleWriter, 0)
	must[simcloud.ClockAdvance](t)(w.native.AdvanceClock(t.Context(), simcloud.Duration(time.Hour)))
	must[simcloud.Result[simcloud.Token]](t)(w.native.RevokeToken(t.Context(), revoked.ID))
	for _, test := range []struct {
		token, version string
		status         int
		code           string
	}{
		{expired.Secret, ec2, 400, "RequestExpired"}, {revoked.Secret, ec2, 401, "AuthFailure"}, {"guess", ec2, 401, "AuthFailure"},
		{expired.Secret, elb, 403, "ExpiredToken"}, {revoked.Secret, elb, 403, "InvalidClientTokenId"},
		{expired.Secret, elbv2, 403, "ExpiredToken"}, {"guess", elbv2, 403, "InvalidClientTokenId"},
	} {
		if res := w.post(form(test.version, "DescribeLoadBalancers"), "X-Amz-Security-Token", test.token); res.status != test.status || res.code() != test.code {
			t.Errorf("%+v: %d %s", test, res.status, res.body)
		}
	}
	for _, test := range []struct {
		method, token string
		status        int
		code          string
	}{
		{"GET", expired.Secret, 403, "ExpiredToken"}, {"GET", revoked.Secret, 401, "InvalidToken"}, {"GET", "guess", 401, "InvalidToken"},
		{"GET", "", 403, "MissingAuthenticationToken"}, {"POST", w.cloud.Token(), 400, "UnsupportedOperation"},
	} {
		res := w.send(test.method, "/aws/credentials", "", "Authorization", test.token)
		if got := res.issued(); res.status != test.status || got.Code != test.code || got.Message == "" || got.Token != "" {
			t.Errorf("%+v: %d %s", test, res.status, res.body)
		}
	}
}

// TestCredentialsWithFaults: the endpoint fails as its clients expect it, and what it answers is not XML to be spoiled.
func TestCredentialsWithFaults(t *testing.T) {
	t.Parallel()
	w := open(t)
	for _, test := range []struct {
		effect string
		status int
		code   string
	}{
		{`{"error":{"code":"rate_limited"}}`, 429, "Throttling"}, {`{"error":{"code":"internal"}}`, 500, "InternalFailure"},
		{`{"error":{"code":"timeout"}}`, 504, ""}, {`{"garble":{"body":"unknown-enum"}}`, 200, ""},
	} {
		w.fault("aws:credentials:GetCredentials", test.effect)
		res := w.send(http.MethodGet, "/aws/credentials", "", "Authorization", w.cloud.Token())
		if res.status != test.status || res.status != 504 && res.issued().Code != test.code {
			t.Errorf("%s: %d %s", test.effect, res.status, res.body)
		}
		w.clearFaults()
	}
}
