package step

import (
	"context"
	"fmt"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/simcloud-dev/simcloud/e2e/control"
	"github.com/simcloud-dev/simcloud/scenarios/expr"
	"github.com/simcloud-dev/simcloud/scenarios/syntax"
)

// lagged is what the API server shows the CCM late.
type lagged struct {
	Resources []string      `yaml:"resources,required" item:"a resource" enum:"*,nodes,services,endpointslices,pods,namespaces,persistentvolumes,configmaps,secrets" empty:"want at least one" doc:"such as nodes; * is all"`
	For       time.Duration `yaml:"for" doc:"for how long; without it until catchUp"`
}

// traveled is what the API server shows the CCM as it was.
type traveled struct {
	lagged
	To moment `yaml:"to,required" doc:"the moment to go back to, as the time since the scenario began, such as ${before} after capture: {before: elapsed}"`
}

// moment is a time since the scenario began.
type moment struct{ expr.Template }

func (*moment) Schema() map[string]any { return syntax.StringSchema }

// Read checks a moment in which nothing is put in.
func (m *moment) Read(d *syntax.Decoder, n *yaml.Node, what string) {
	if !d.Right(func() { d.TemplateText(n, what, &m.Template) }) || !m.Constant() {
		return
	}
	if _, err := parseMoment(m.Source()); err != nil {
		d.Errorf(n, "%s: %v", what, err)
	}
}

func parseMoment(text string) (time.Duration, error) {
	since, err := time.ParseDuration(text)
	if err != nil || since < 0 {
		return 0, fmt.Errorf(`invalid moment %q: must be the time since the scenario began, such as 20s or ${elapsed - duration("5s")}`, text)
	}
	return since, nil
}

// in is the moment in the time of a scenario.
func (m *moment) in(st *Stage) (time.Time, error) {
	value, err := expr.Tree{Template: &m.Template}.Expand(st.Store.Snapshot()) // a duration, and not as text has it
	if err != nil {
		return time.Time{}, err
	}
	since, err := parseMoment(fmt.Sprint(value))
	if err != nil {
		return time.Time{}, err
	}
	if ran := time.Since(st.Store.Start); since > ran {
		return time.Time{}, fmt.Errorf("invalid moment %s: must not be in the future (the scenario began %s ago)", since, ran.Round(time.Millisecond))
	}
	return st.Store.Start.Add(since), nil
}

// lag is what a step lets the API server show late; false when it is about something else.
func (a *kubeAction) lag(st *Stage) (lag control.Lag, is bool, err error) {
	switch {
	case a.Stale != nil:
		lag = a.Stale.as(control.Stale)
	case a.Unobserved != nil:
		lag = a.Unobserved.as(control.Unobserved)
	case a.TimeTravel != nil:
		lag = a.TimeTravel.as(control.TimeTravel)
		lag.To, err = a.TimeTravel.To.in(st)
	default:
		return lag, false, nil
	}
	return lag, true, err
}

func (l *lagged) as(kind control.LagKind) control.Lag {
	return control.Lag{Kind: kind, Resources: l.Resources, For: l.For}
}

// text says in one line what is shown late.
func (l *lagged) text(kind string) string {
	text := kind + " " + strings.Join(l.Resources, ", ")
	if l.For > 0 {
		text += " for " + l.For.String()
	}
	return text
}

// catchUp lets the API server show the CCM the present.
func (st *Stage) catchUp(ctx context.Context) error {
	err := st.ControlPlane.CatchUp(ctx)
	st.lagging = st.lagging && err != nil
	return err
}
