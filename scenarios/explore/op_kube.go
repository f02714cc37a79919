package explore

import "fmt"

// What goes wrong between the CCM and the cluster.

// restartAPI kills the API server and starts it again.
type restartAPI struct{ plain }

func (restartAPI) about() string { return "api server" }

func (restartAPI) legal(*model) bool { return true }

func (restartAPI) apply(m *model) { m.doubt() }

func (restartAPI) steps(*model) []string { return []string{"kube: restart"} }

// delayAPI holds requests of the CCM back, so that it sees late what happens, or writes late.
type delayAPI struct {
	plain
	verb, resource string
}

func (delayAPI) about() string { return "delay" }

func (delayAPI) legal(m *model) bool { return m.delayed == "" }

func (o delayAPI) apply(m *model) {
	m.delayed = o.resource
	m.doubt()
}

func (o delayAPI) steps(*model) []string {
	return []string{fmt.Sprintf("kube: {delay: {verbs: [%s], resources: [%s], by: 2s}}", o.verb, o.resource)}
}

// undelayAPI lets all through.
type undelayAPI struct{ plain }

func (undelayAPI) about() string { return "delay" }

func (undelayAPI) legal(m *model) bool { return m.delayed != "" }

func (undelayAPI) apply(m *model) {
	m.delayed = ""
	m.doubt()
}

func (undelayAPI) steps(*model) []string { return []string{"kube: undelay"} }
