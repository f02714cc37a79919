package explore

import (
	"fmt"
)

// ccmDo does something to the process of the CCM.
type ccmDo struct {
	plain
	verb string
}

// ccmMoves say from which state a verb leads to which.
var ccmMoves = map[string][2]ccmState{
	"stop":    {ccmRunning, ccmStopped},
	"kill":    {ccmRunning, ccmStopped},
	"restart": {ccmRunning, ccmRunning},
	"start":   {ccmStopped, ccmRunning},
	"pause":   {ccmRunning, ccmPaused},
	"resume":  {ccmPaused, ccmRunning},
}

func (ccmDo) about() string { return "ccm" }

// legal: a CCM may refuse to start when the cloud refuses its token, or when it lacks rights.
func (o ccmDo) legal(m *model) bool {
	if starts := o.verb == "start" || o.verb == "restart"; starts && (m.faults || m.forbidden) {
		return false
	}
	return m.ccm == ccmMoves[o.verb][0]
}

func (o ccmDo) apply(m *model) {
	m.ccm = ccmMoves[o.verb][1]
	if m.ccm == ccmRunning {
		m.collect()
	}
	m.doubt()
}

// steps gives a CCM a second before it is paused: the app of k8s.io/cloud-provider ends when its start takes 10 s of its own clock.
func (o ccmDo) steps(*model) []string {
	if o.verb == "pause" {
		return []string{"sleep: 1s", "ccm: pause"}
	}
	return []string{"ccm: " + o.verb}
}

// killAt lets a call to come kill the CCM.
type killAt struct {
	plain
	operation string
	after     bool
}

func (killAt) about() string { return "ccm" }

func (o killAt) legal(m *model) bool { return m.ccm == ccmRunning }

func (o killAt) apply(m *model) {
	m.ccm = ccmDoomed
	m.doubt()
}

func (o killAt) steps(*model) []string {
	when := "before"
	if o.after {
		when = "after"
	}
	return []string{fmt.Sprintf("ccm: {killAt: {operation: \"%s\", when: %s}}", o.operation, when)}
}

// spare takes back a death that has not come, and lets the CCM run, whether it has died or not.
type spare struct{ plain }

func (spare) about() string { return "ccm" }

func (spare) legal(m *model) bool { return m.ccm == ccmDoomed && !m.forbidden }

func (spare) apply(m *model) {
	m.ccm, m.faults, m.lasting = ccmRunning, false, false
	m.doubt()
}

func (spare) steps(*model) []string {
	return []string{"cloud: {operation: ClearFaults}", "ccm: start"}
}

// newToken gives the CCM another token, and ends the one that it has.
type newToken struct{ plain }

func (newToken) about() string { return "token" }

func (newToken) legal(m *model) bool { return m.ccm == ccmRunning }

func (newToken) apply(m *model) { m.doubt() }

func (newToken) steps(*model) []string { return []string{"ccm: revokeToken", "ccm: renewToken"} }

// forbid takes verbs from the CCM's role.
type forbid struct {
	plain
	verbs, resources string
}

func (forbid) about() string { return "rights" }

func (o forbid) legal(m *model) bool { return !m.forbidden }

func (o forbid) apply(m *model) {
	m.forbidden = true
	m.doubt()
}

func (o forbid) steps(*model) []string {
	return []string{fmt.Sprintf("kube: {forbid: {verbs: [%s], resources: [%s]}}", o.verbs, o.resources)}
}

// allow gives all back.
type allow struct{ plain }

func (allow) about() string { return "rights" }

func (allow) legal(m *model) bool { return m.forbidden }

func (allow) apply(m *model) {
	m.forbidden = false
	m.doubt()
}

func (allow) steps(*model) []string { return []string{"kube: allow"} }
