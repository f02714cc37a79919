package mutant

import (
	"time"

	cloudprovider "k8s.io/cloud-provider"

	"github.com/simcloud-dev/simcloud/simcloud/client"
)

func answerNeverComes() Mutant {
	return Mutant{
		Name:     "answer-never-comes",
		Row:      "44",
		Title:    "the HTTP client has no time-out",
		Issues:   []string{"digitalocean-cloud-controller-manager (do/cloud.go)"},
		Fault:    "one question about VMs is never answered",
		Expected: "give up after a time, and ask again",
		Scenario: "answer-never-comes",
		Caught:   "A CCM must not wait for an answer for ever",
		open: func(p Provider) cloudprovider.Interface {
			const never = 1000 * time.Hour
			return p.right(p.redial(func(c *client.Config) { c.Timeout = never }))
		},
	}
}
