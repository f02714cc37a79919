package oracle

import (
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/e2e/control"
	"github.com/simcloud-dev/simcloud/scenarios"
)

// replicas is a run of which no more is seen than its replicas.
type replicas struct {
	Run
	ccm, standby *ended
}

func (r replicas) CCM() Replica { return r.ccm }

func (r replicas) Standby() Replica { return r.standby }

// ended is a replica that has ended.
type ended struct {
	Replica
	exits []control.Exit
}

func (e *ended) Exits() []control.Exit { return e.exits }

// wants fails the test when a failure does not tell this.
func wants(t *testing.T, f scenarios.Failure, text string) {
	t.Helper()
	if !strings.Contains(f.String(), text) {
		t.Errorf("it is %s, want %q", f, text)
	}
}

func TestCCMOracle(t *testing.T) {
	t.Parallel()
	ccm, standby := &ended{}, &ended{}
	r := replicas{ccm: ccm, standby: standby}
	if got := (ccmOracle{}).verdict(r, nil); got != nil {
		t.Errorf("a CCM that runs: %v", got)
	}
	standby.exits = []control.Exit{{Reason: "lost its lease"}}
	for _, f := range (ccmOracle{}).verdict(r, nil) {
		wants(t, f, "the standby of the CCM did not stay alive: lost its lease")
	}
	ccm.exits = []control.Exit{{Reason: "exit status 2", Log: []string{"panic: nil map"}}}
	for _, f := range (ccmOracle{}).verdict(r, nil) {
		wants(t, f, "exit status 2")
		wants(t, f, "panic: nil map")
		return
	}
	t.Error("nothing was said of a CCM that died")
}

func TestEveryOracleIsMade(t *testing.T) {
	t.Parallel()
	if all := All(Given{}, nil); len(all) != len(makers) || len(scenarios.Oracles()) != len(makers) {
		t.Errorf("%d oracles have names and %d can be made", len(scenarios.Oracles()), len(makers))
	}
}
