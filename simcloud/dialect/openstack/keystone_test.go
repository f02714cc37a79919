package openstack_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/common/extensions"
	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/tokens"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest"
)

var keystoneShapes = map[string]shape{
	"token":    {types: []any{tokens.Token{}}, besides: []string{"methods", "issued_at", "audit_ids", "is_domain", "user", "project", "roles", "catalog"}, optional: []string{"id"}},
	"version":  {besides: []string{"id", "status", "updated", "links", "media-types"}},
	"versions": {besides: []string{"values"}},
}

func TestCredentials(t *testing.T) {
	t.Parallel()
	w := open(t)
	token := must[simcloud.Token](t)(w.native.GetToken(t.Context(), "tok-1")).ID
	secret := w.cloud.Token()
	for name, opts := range map[string]gophercloud.AuthOptions{
		"any application credential":     {ApplicationCredentialID: "simcloud", ApplicationCredentialSecret: secret},
		"application credential by id":   {ApplicationCredentialID: string(token), ApplicationCredentialSecret: secret},
		"password":                       {Username: "simcloud", Password: secret, DomainID: "default"},
		"password, by the domain's name": {Username: "simcloud", Password: secret, DomainName: "Default"},
		"password, scoped to a project":  {Username: "simcloud", Password: secret, DomainID: "default", TenantName: "default"},
	} {
		if _, _, err := w.authenticate(opts); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, opts := range map[string]gophercloud.AuthOptions{
		"wrong secret":         {ApplicationCredentialID: "simcloud", ApplicationCredentialSecret: "wrong"},
		"another's id":         {ApplicationCredentialID: "tok-77", ApplicationCredentialSecret: secret},
		"wrong password":       {Username: "simcloud", Password: "wrong", DomainID: "default"},
		"project of no one":    {Username: "simcloud", Password: secret, DomainID: "default", TenantName: "none"},
		"user of no domain":    {Username: "simcloud", Password: secret, DomainName: "users"},
		"session of yesterday": {TokenID: "gAAAAABwrong"},
	} {
		_, _, err := w.authenticate(opts)
		if !gophercloud.ResponseCodeIs(err, http.StatusUnauthorized) {
			t.Errorf("%s: got %v, want the status 401", name, err)
		}
	}
}

func TestSession(t *testing.T) {
	t.Parallel()
	w := open(t, simtest.ManualClock())
	identity := w.clientOf(openstack.NewIdentityV3)
	result := tokens.Get(t.Context(), identity, w.provider.Token())
	token := must[*tokens.Token](t)(result.ExtractToken())
	clock := must[simcloud.ClockStatus](t)(w.native.GetClock(t.Context()))
	if !token.ExpiresAt.Equal(clock.Now.Truncate(time.Second).Add(time.Hour)) {
		t.Errorf("the session ends at %s, want an hour after %s", token.ExpiresAt, clock.Now)
	}
	if project := must[*tokens.Project](t)(result.ExtractProject()); project.Name != "default" || len(project.ID) != 32 {
		t.Errorf("the project is %+v", project)
	}
	if result := tokens.Get(t.Context(), identity, "gAAAAABwrong"); !gophercloud.ResponseCodeIs(result.Err, http.StatusNotFound) {
		t.Errorf("another session: %v, want the status 404", result.Err)
	}
}

func TestCatalog(t *testing.T) {
	t.Parallel()
	w := open(t)
	for service, want := range map[string]string{
		"identity": "/openstack/identity/v3/", "network": "/openstack/network/",
	} {
		url, err := w.provider.EndpointLocator(gophercloud.EndpointOpts{Type: service, Region: "region-1", Availability: gophercloud.AvailabilityPublic})
		if err != nil || url != w.cloud.URL()+want {
			t.Errorf("%s is at %s (%v), want %s", service, url, err, want)
		}
	}
	if _, err := w.provider.EndpointLocator(gophercloud.EndpointOpts{Type: "network", Region: "nowhere", Availability: gophercloud.AvailabilityPublic}); err == nil {
		t.Error("a region that is not there has an endpoint")
	}
}

// TestSessionEnds: a client notices the end of its session by the status 401, and begins another one.
func TestSessionEnds(t *testing.T) {
	t.Parallel()
	w := open(t, simtest.ManualClock())
	network := w.clientOf(openstack.NewNetworkV2)
	list := func() {
		t.Helper()
		if len(all(w, extensions.List(network), extensions.ExtractExtensions)) == 0 {
			t.Error("there are no extensions")
		}
	}
	check := func(sessions, good, bad int) {
		t.Helper()
		for call, want := range map[string]int{
			"POST /identity/v3/auth/tokens 201": sessions, "GET /network/v2.0/extensions 200": good, "GET /network/v2.0/extensions 401": bad,
		} {
			if n := w.wire.count(call); n != want {
				t.Errorf("%s: %d times, want %d", call, n, want)
			}
		}
	}
	list()
	must[simcloud.ClockAdvance](t)(w.native.AdvanceClock(t.Context(), simcloud.Duration(time.Hour-2*time.Second)))
	list()
	check(1, 2, 0)
	must[simcloud.ClockAdvance](t)(w.native.AdvanceClock(t.Context(), simcloud.Duration(2*time.Second)))
	list()
	check(2, 3, 1)
}

func TestAnonymous(t *testing.T) {
	t.Parallel()
	w := open(t)
	for path, want := range map[string]int{
		"/identity/": http.StatusMultipleChoices, "/identity/v3": http.StatusOK, "/network/": http.StatusOK, "/network": http.StatusOK,
		"/network/v2.0/networks": http.StatusUnauthorized, "/network/v2.0/extensions": http.StatusUnauthorized,
	} {
		got := w.send(http.MethodGet, path, "", "X-Auth-Token", "")
		if got.status != want {
			t.Errorf("%s: the status is %d, want %d", path, got.status, want)
		}
		if want == http.StatusUnauthorized && !strings.HasPrefix(got.header.Get("Www-Authenticate"), "Keystone uri=") {
			t.Errorf("%s: Www-Authenticate is %q", path, got.header.Get("Www-Authenticate"))
		}
	}
}
