package mutant

import (
	"net/http"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	cloudprovider "k8s.io/cloud-provider"
	"k8s.io/klog/v2"

	"github.com/simcloud-dev/simcloud/ccm/config"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

// processMutants are those whose process does not stand what the cloud answers.
var processMutants = []Mutant{
	{
		Name:         "rate-limit-exhausted",
		Row:          "37",
		Title:        "each VM is asked for with a call of its own, and an answer 429 is followed by the same call at once",
		Issues:       []string{"hcloud#661", "hcloud#384", "hcloud#308", "kubernetes#75016", "kubernetes#26119", "kubernetes#21563", "linode#276", "linode#131"},
		Fault:        "the cloud answers every call with 429 and the time to come back, while nodes and Services arrive",
		Expected:     "wait until then; do all that waited when there is room again",
		KilledBy:     "rate-limit-exhausted",
		Reason:       "An answer 429 says when to come back",
		AlsoKilledBy: []string{"node-deleted-on-empty-cache"},          // where 429 is answered, too
		config:       func(c *config.Config) { c.InstanceListAge = 0 }, // no question shares another's answer
		client:       func(c *client.Config) { c.Transport = impatient{carrier(c)} },
	},
	{
		Name:     "token-not-renewed",
		Row:      "40a",
		Title:    "the token is read once, and never again",
		Issues:   []string{"kubernetes#44461", "kubernetes#50446", "openstack#21"},
		Fault:    "the token is replaced and the old one revoked, in the middle of a creation",
		Expected: "read the new one and go on",
		KilledBy: "token-not-renewed",
		Reason:   "A CCM whose token is refused must look for a new one",
		client:   func(c *client.Config) { c.Transport = &firstToken{RoundTripper: carrier(c)} },
	},
	{
		Name:     "panic-on-missing-fields",
		Row:      "46",
		Title:    "the first public address of a VM is read, also where there is none",
		Issues:   []string{"hcloud#42", "hcloud#77", "hcloud#116", "kubernetes#68209", "kubernetes#102660", "exoscale#53", "openstack#1055", "oci#177"},
		Fault:    "a VM has no public address",
		Expected: "initialise its node with the addresses that there are",
		KilledBy: "panic-on-missing-fields",
		Reason:   "A CCM must not panic",
		// It has only met VMs with a public address.
		instances: func(vms *instances) {
			vms.changeMetadata(func(found *cloudprovider.InstanceMetadata) {
				var public []string
				for _, a := range found.NodeAddresses {
					if a.Type == corev1.NodeExternalIP {
						public = append(public, a.Address)
					}
				}
				klog.V(2).InfoS("Found the VM of a node", "vm", found.ProviderID, "address", public[0])
			})
		},
	},
}

// carrier is what carries the calls of a client that a mutant changes.
func carrier(c *client.Config) http.RoundTripper {
	if c.Transport == nil {
		return http.DefaultTransport
	}
	return c.Transport
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
