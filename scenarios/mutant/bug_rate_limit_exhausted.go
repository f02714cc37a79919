package mutant

import (
	"net/http"
	"time"

	cloudprovider "k8s.io/cloud-provider"

	"github.com/simcloud-dev/simcloud/simcloud/client"
)

func rateLimitExhausted() Mutant {
	return Mutant{
		Name:     "rate-limit-exhausted",
		Row:      "37",
		Title:    "each VM is asked for with a call of its own, and an answer 429 is followed by the same call at once",
		Issues:   []string{"hcloud#661", "hcloud#384", "hcloud#308", "kubernetes#75016", "kubernetes#26119", "kubernetes#21563", "linode#276", "linode#131"},
		Fault:    "the cloud answers every call with 429 and the time to come back, while nodes and Services arrive",
		Expected: "wait until then; do all that waited when there is room again",
		Scenario: "rate-limit-exhausted",
		Caught:   "An answer 429 says when to come back",
		Also:     []string{"node-deleted-on-empty-cache"}, // where 429 is answered, too
		open: func(p Provider) cloudprovider.Interface {
			p.Config.InstanceListAge = 0 // no question shares another's answer
			return p.right(p.redial(func(c *client.Config) { c.Transport = impatient{http.DefaultTransport} }))
		},
	}
}

// impatient repeats what was one call too many, and reads in no answer when it may.
type impatient struct{ http.RoundTripper }

// Attempts are as many as linodego had, and so close that a limit has no time to recover.
const (
	impatientAttempts = 1000
	impatientPause    = 50 * time.Millisecond
)

func (i impatient) RoundTrip(r *http.Request) (*http.Response, error) {
	for attempt := 1; ; attempt++ {
		res, err := i.RoundTripper.RoundTrip(r)
		if err != nil || res.StatusCode != http.StatusTooManyRequests || attempt == impatientAttempts || !rewound(r) {
			return res, err
		}
		_ = res.Body.Close()
		select {
		case <-time.After(impatientPause):
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
	}
}

// rewound reports whether the request can be sent again.
func rewound(r *http.Request) bool {
	if r.GetBody == nil {
		return r.Body == nil || r.Body == http.NoBody
	}
	body, err := r.GetBody()
	r.Body = body
	return err == nil
}
