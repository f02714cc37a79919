package scenarios

import (
	"strings"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

func TestBalancerOracle(t *testing.T) {
	const lbs = simcloud.KindLoadBalancer
	make := func(r *trial, id simcloud.ID, mark, vip string) {
		r.does(ccmAgent, "CreateLoadBalancer", lbs, id, lb(mark, vip))
	}
	remove := func(r *trial, id simcloud.ID) { r.does(ccmAgent, "DeleteLoadBalancer", lbs, id, nil) }
	web := uidIn("web")
	trials(t, func(World) oracle { return newBalancerOracle() }, []trialCase{
		{"one", func(r *trial) { r.service("web", nil); make(r, "lb-1", web, "1.1.1.1") }, ""},
		{"two for one Service", func(r *trial) {
			r.service("web", nil)
			make(r, "lb-1", web, "1.1.1.1")
			make(r, "lb-2", web, "1.1.1.2")
		}, "there were 2 load balancers for the Service web"},
		{"two under a name that upstream makes", func(r *trial) {
			r.service("web", nil)
			name := ("a" + strings.ReplaceAll(web, "-", ""))[:32]
			make(r, "lb-1", name, "1.1.1.1")
			make(r, "lb-2", name, "1.1.1.2")
		}, "2 load balancers for the Service web"},
		{"they go with the Service", func(r *trial) {
			r.service("web", nil)
			make(r, "lb-1", web, "1.1.1.1")
			make(r, "lb-2", web, "1.1.1.2")
			r.service("web", map[string]any{"metadata": map[string]any{"deletionTimestamp": "now"}})
			remove(r, "lb-1")
			remove(r, "lb-2")
			r.gone("services", "web")
		}, "2 load balancers for the Service web"},
		{"the new one is deleted", func(r *trial) {
			r.service("web", nil)
			make(r, "lb-1", web, "1.1.1.1")
			make(r, "lb-2", web, "1.1.1.2")
			remove(r, "lb-2")
		}, "2 load balancers for the Service web"},
		{"one replaces the other", func(r *trial) {
			r.service("web", nil)
			make(r, "lb-1", web, "1.1.1.1")
			make(r, "lb-2", web, "1.1.1.2")
			r.wait(time.Second)
			remove(r, "lb-1")
		}, ""},
		{"one replaces the other, late", func(r *trial) {
			r.service("web", nil)
			make(r, "lb-1", web, "1.1.1.1")
			make(r, "lb-2", web, "1.1.1.2")
			r.wait(time.Minute)
			remove(r, "lb-1")
		}, "2 load balancers for the Service web"},
		{"one replaces a broken one", func(r *trial) {
			r.service("web", nil)
			make(r, "lb-1", web, "1.1.1.1")
			broken := lb(web, "1.1.1.1")
			broken["state"] = "error"
			r.does(harnessAgent, "FailoverLoadBalancer", lbs, "lb-1", broken)
			make(r, "lb-2", web, "1.1.1.2")
		}, ""},
		{"a step makes the second", func(r *trial) {
			r.service("web", nil)
			make(r, "lb-1", web, "1.1.1.1")
			r.does(harnessAgent, "CreateLoadBalancer", lbs, "lb-2", lb(web, "1.1.1.2"))
		}, ""},
		{"two Services, and two that tell nothing", func(r *trial) {
			r.service("web", nil)
			r.service("dns", nil)
			make(r, "lb-1", "", "1.1.1.1")
			make(r, "lb-2", "", "1.1.1.2")
			r.wait(time.Minute)
			r.service("web", tells("1.1.1.1"))
		}, ""},
		{"one Service, and two that tell nothing", func(r *trial) {
			r.service("web", nil)
			make(r, "lb-1", "", "1.1.1.1")
			make(r, "lb-2", "", "1.1.1.2")
			r.service("web", tells("1.1.1.2"))
			r.wait(time.Minute)
			remove(r, "lb-1")
		}, "there were more load balancers than Services"},
		{"it is seen before its Service", func(r *trial) {
			make(r, "lb-1", "", "1.1.1.1")
			r.wait(time.Second)
			r.service("web", nil)
		}, ""},
		{"two Services with one each", func(r *trial) {
			r.service("web", nil)
			r.service("dns", nil)
			make(r, "lb-1", web, "1.1.1.1")
			make(r, "lb-2", uidIn("dns"), "1.1.1.2")
		}, ""},
	})
}
