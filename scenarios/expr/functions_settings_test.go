package expr_test

import (
	"testing"
	"testing/synctest"

	"github.com/simcloud-dev/simcloud/scenarios/run/runtest"
	"github.com/simcloud-dev/simcloud/scenarios/step/steptest"
)

// TestSettings: two looks at a load balancer are the same when only its
// targets' health was found, and not when a target or a weight is another.
func TestSettings(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := steptest.NewCluster(t)
		runtest.Passes(t, runtest.Perform(t, c, `
  - capture:
      a: '{"id": "lb-1", "version": 1, "updated": "x", "targets": [{"instance": "i-1", "weight": 1, "health": "healthy"}]}'
      b: '{"id": "lb-1", "version": 2, "updated": "y", "targets": [{"instance": "i-1", "weight": 1, "health": "unhealthy", "reported": "unhealthy"}]}'
      c: '{"id": "lb-1", "version": 1, "updated": "x", "targets": [{"instance": "i-1", "weight": 2, "health": "healthy"}]}'
  - expect:
    - a != b && settings(a) == settings(b) && settings(a) in settings([c, b])
    - settings(a) != settings(c) && !(settings(a) in settings([c]))
    - 'settings(a) == {"id":"lb-1", "targets":[{"instance":"i-1", "weight":1}]} && settings("x") == "x"'
`))
	})
}

// TestLeadsTo: a route leads to an instance by its id, or by one of its addresses, and to no other.
func TestLeadsTo(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := steptest.NewCluster(t)
		runtest.Passes(t, runtest.Perform(t, c, `
  - capture:
      vm: '{"id": "i-1", "addresses": [{"address": "10.0.0.4"}, {"address": "fd00::4"}]}'
  - expect:
    - 'leadsTo({"nextHop": {"instance": "i-1"}}, vm) && leadsTo({"nextHop": {"address": "fd00::4"}}, vm)'
    - '!leadsTo({"nextHop": {"instance": "i-2"}}, vm) && !leadsTo({"nextHop": {"address": "10.0.0.5"}}, vm)'
    - '!leadsTo({"nextHop": {"instance": "i-2", "address": "10.0.0.4"}}, vm) && !leadsTo({}, vm) && !leadsTo({"nextHop": {"address": "10.0.0.4"}}, {"id": "i-1"})'
`))
	})
}
