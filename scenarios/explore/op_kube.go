package explore

import "fmt"

// forbid takes verbs from the CCM's role.
type forbid struct {
	plain
	verbs, resources string
}

func (forbid) about() string { return "rights" }

func (o forbid) legal(m *model) bool { return !m.forbidden }

func (o forbid) apply(m *model) { m.forbidden = true }

func (o forbid) steps(*model) []string {
	return []string{fmt.Sprintf("kube: {forbid: {verbs: [%s], resources: [%s]}}", o.verbs, o.resources)}
}

// allow gives all back.
type allow struct{ plain }

func (allow) about() string { return "rights" }

func (allow) legal(m *model) bool { return m.forbidden }

func (allow) apply(m *model) { m.forbidden = false }

func (allow) steps(*model) []string { return []string{"kube: allow"} }

// restartAPI kills the API server and starts it again.
type restartAPI struct{ plain }

func (restartAPI) about() string { return "api server" }

func (restartAPI) legal(*model) bool { return true }

func (restartAPI) apply(*model) {}

func (restartAPI) steps(*model) []string { return []string{"kube: restart"} }
