package openstack_test

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest"
)

// opened is the answer to a request for a session.
type opened struct {
	sent
	token            string
	expires          time.Time
	project, catalog bool
}

// opens asks for a session.
func (w world) opens(identity, scope string) opened {
	w.Helper()
	body := `{"auth": {"identity": ` + identity
	if scope != "" {
		body += `, "scope": ` + scope
	}
	got := opened{sent: w.send(http.MethodPost, "/identity/v3/auth/tokens", body+`}}`)}
	got.token = got.header.Get("X-Subject-Token")
	var shown struct {
		Token struct {
			Expires time.Time       `json:"expires_at"`
			Project json.RawMessage `json:"project"`
			Catalog json.RawMessage `json:"catalog"`
		} `json:"token"`
	}
	if got.status == http.StatusCreated {
		if err := json.Unmarshal([]byte(got.body), &shown); err != nil {
			w.Fatal(err)
		}
	}
	got.expires, got.project, got.catalog = shown.Token.Expires, shown.Token.Project != nil, shown.Token.Catalog != nil
	return got
}

func byPassword(secret string) string {
	return `{"methods": ["password"], "password": {"user": {"name": "simcloud", "domain": {"id": "default"}, "password": "` + secret + `"}}}`
}

func bySession(token string) string {
	return `{"methods": ["token"], "token": {"id": "` + token + `"}}`
}

// TestSessionKeepsItsEnd: a session that is renewed from another one ends with that, and none ends after its token.
func TestSessionKeepsItsEnd(t *testing.T) {
	t.Parallel()
	w := open(t, simtest.ManualClock())
	first := w.opens(byPassword(w.cloud.Token()), "")
	must[simcloud.ClockAdvance](t)(w.native.AdvanceClock(t.Context(), simcloud.Duration(time.Minute)))
	if again := w.opens(bySession(first.token), ""); again.status != http.StatusCreated || !again.expires.Equal(first.expires) {
		t.Errorf("renewed it ends at %s (%d), want %s", again.expires, again.status, first.expires)
	}
	if fresh := w.opens(byPassword(w.cloud.Token()), ""); !fresh.expires.Equal(first.expires.Add(time.Minute)) {
		t.Errorf("one by the password ends at %s", fresh.expires)
	}
	short := must[simcloud.Result[simcloud.Token]](t)(w.native.CreateToken(t.Context(), simcloud.TokenSpec{Name: "short", Role: simcloud.RoleWriter, Lifetime: simcloud.Duration(2 * time.Second)})).Resource
	if got := w.opens(byPassword(short.Secret), ""); !got.expires.Equal(short.Expires.Truncate(time.Second)) {
		t.Errorf("the session of a token that ends at %s ends at %s", short.Expires, got.expires)
	}
}

// TestScopes: a session without a project opens others, and nothing else; an empty scope counts as left out.
func TestScopes(t *testing.T) {
	t.Parallel()
	w := open(t)
	secret := w.cloud.Token()
	for scope, unscoped := range map[string]bool{``: false, `{}`: false, `null`: false, `"unscoped"`: true, `{"unscoped": {}}`: true} {
		got := w.opens(byPassword(secret), scope)
		want := http.StatusOK
		if unscoped {
			want = http.StatusUnauthorized
		}
		if got.status != http.StatusCreated || got.project == unscoped || got.catalog == unscoped {
			t.Errorf("%s: %d %s", scope, got.status, got.body)
		}
		if used := w.send(http.MethodGet, "/network/v2.0/networks", "", "X-Auth-Token", got.token); used.status != want {
			t.Errorf("%s: with the session Neutron answers %d, want %d", scope, used.status, want)
		}
		if again := w.opens(bySession(got.token), `{"project": {"name": "default", "domain": {"id": "default"}}}`); again.status != http.StatusCreated || !again.project {
			t.Errorf("%s: another session from it: %d %s", scope, again.status, again.body)
		}
	}
	if got := w.opens(byPassword(secret), `{"domain": {"id": "default"}}`); got.status != http.StatusUnauthorized {
		t.Errorf("a domain: %d", got.status)
	}
}

// TestMethods: the credential is that of the methods that a request names.
func TestMethods(t *testing.T) {
	t.Parallel()
	w := open(t)
	password := `"password": {"user": {"name": "simcloud", "domain": {"id": "default"}, "password": "` + w.cloud.Token() + `"}}`
	session := w.opens(byPassword(w.cloud.Token()), "").token
	for identity, want := range map[string]int{
		`{` + password + `}`:                       http.StatusBadRequest,
		`{"methods": [], ` + password + `}`:        http.StatusUnauthorized,
		`{"methods": ["token"], ` + password + `}`: http.StatusBadRequest,
		`{"methods": ["saml2"], ` + password + `}`: http.StatusUnauthorized,
		`{"methods": ["password", "token"], ` + password + `, "token": {"id": "` + session + `"}}`: http.StatusCreated,
		`{"methods": ["password", "token"], ` + password + `, "token": {"id": "x"}}`:               http.StatusUnauthorized,
	} {
		if got := w.opens(identity, ""); got.status != want {
			t.Errorf("%s: %d %s, want %d", identity, got.status, got.body, want)
		}
	}
}
