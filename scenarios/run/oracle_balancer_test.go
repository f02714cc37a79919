package run

import (
	"strings"
	"testing"
	"time"
)

// The addresses of load balancers in trials.
const lbAddress, otherAddress = "10.0.9.1", "10.0.9.2"

func TestBalancerOracle(t *testing.T) {
	t.Parallel()
	web := uidIn("web")
	two := func(r *trial) {
		r.service("web", nil)
		r.ccm.createBalancer(web, lbAddress)    // lb-1
		r.ccm.createBalancer(web, otherAddress) // lb-2
	}
	trials(t, named("one-load-balancer"), []trialCase{
		{"one", func(r *trial) { r.service("web", nil); r.ccm.createBalancer(web, lbAddress) }, ""},
		{"two for one Service", two, "there were 2 load balancers for the Service web"},
		{"two under a name that upstream makes", func(r *trial) {
			r.service("web", nil)
			name := ("a" + strings.ReplaceAll(web, "-", ""))[:32]
			r.ccm.createBalancer(name, lbAddress)
			r.ccm.createBalancer(name, otherAddress)
		}, "2 load balancers for the Service web"},
		{"they go with the Service", func(r *trial) {
			two(r)
			r.service("web", map[string]any{"metadata": map[string]any{"deletionTimestamp": "now"}})
			r.ccm.deleteBalancer("lb-1")
			r.ccm.deleteBalancer("lb-2")
			r.gone("services", "web")
		}, "2 load balancers for the Service web"},
		{"the new one is deleted", func(r *trial) { two(r); r.ccm.deleteBalancer("lb-2") }, "2 load balancers for the Service web"},
		{"one replaces the other", func(r *trial) {
			two(r)
			r.wait(time.Second)
			r.ccm.deleteBalancer("lb-1")
		}, ""},
		{"one replaces the other, late", func(r *trial) {
			two(r)
			r.wait(time.Minute)
			r.ccm.deleteBalancer("lb-1")
		}, "2 load balancers for the Service web"},
		{"one replaces a broken one", func(r *trial) {
			r.service("web", nil)
			r.harness.breakBalancer(r.ccm.createBalancer(web, lbAddress))
			r.ccm.createBalancer(web, otherAddress)
		}, ""},
		{"a step makes the second", func(r *trial) {
			r.service("web", nil)
			r.ccm.createBalancer(web, lbAddress)
			r.harness.createBalancer(web, otherAddress)
		}, ""},
		{"two Services, and two that tell nothing", func(r *trial) {
			r.service("web", nil)
			r.service("dns", nil)
			r.ccm.createBalancer("", lbAddress)
			r.ccm.createBalancer("", otherAddress)
			r.wait(time.Minute)
			r.service("web", tells(lbAddress))
		}, ""},
		{"one Service, and two that tell nothing", func(r *trial) {
			r.service("web", nil)
			r.ccm.createBalancer("", lbAddress)
			r.ccm.createBalancer("", otherAddress)
			r.service("web", tells(otherAddress))
			r.wait(time.Minute)
			r.ccm.deleteBalancer("lb-1")
		}, "there were more load balancers than Services"},
		{"a Service of another namespace has one too", func(r *trial) {
			r.service("web", nil)
			r.elsewhere("dns")
			r.ccm.createBalancer(web, lbAddress)
			r.ccm.createBalancer("", otherAddress)
			r.wait(time.Minute)
		}, ""},
		{"a Service of another namespace has two", func(r *trial) {
			r.elsewhere("dns")
			r.ccm.createBalancer(uidIn("dns"), lbAddress)
			r.ccm.createBalancer(uidIn("dns"), otherAddress)
		}, "2 load balancers for the Service dns"},
		{"it is seen before its Service", func(r *trial) {
			r.ccm.createBalancer("", lbAddress)
			r.wait(time.Second)
			r.service("web", nil)
		}, ""},
		{"two Services with one each", func(r *trial) {
			r.service("web", nil)
			r.service("dns", nil)
			r.ccm.createBalancer(web, lbAddress)
			r.ccm.createBalancer(uidIn("dns"), otherAddress)
		}, ""},
	})
}
