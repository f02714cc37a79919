package mutant

import (
	"net/http"
	"sync"

	cloudprovider "k8s.io/cloud-provider"

	"github.com/simcloud-dev/simcloud/simcloud/client"
)

func tokenNotRenewed() Mutant {
	return Mutant{
		Name:     "token-not-renewed",
		Row:      "40a",
		Title:    "the token is read once, and never again",
		Issues:   []string{"kubernetes#44461", "kubernetes#50446", "openstack#21"},
		Fault:    "the token is replaced and the old one revoked, in the middle of a creation",
		Expected: "read the new one and go on",
		Scenario: "token-not-renewed",
		Caught:   "A CCM whose token is refused must look for a new one",
		open: func(p Provider) cloudprovider.Interface {
			first := &firstToken{RoundTripper: http.DefaultTransport}
			return p.right(p.redial(func(c *client.Config) { c.Transport = first }))
		},
	}
}

// firstToken has the token of the first call for all of them.
type firstToken struct {
	http.RoundTripper
	once  sync.Once
	token string
}

func (f *firstToken) RoundTrip(r *http.Request) (*http.Response, error) {
	f.once.Do(func() { f.token = r.Header.Get("Authorization") })
	again := r.Clone(r.Context())
	again.Header.Set("Authorization", f.token)
	return f.RoundTripper.RoundTrip(again)
}
