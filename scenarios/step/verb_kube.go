package step

import (
	"context"
	"fmt"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/simcloud-dev/simcloud/scenarios/syntax"
)

var kubeVerb = syntax.Verb{
	Name:   "kube",
	Doc:    "restarts the API server, forbids the CCM verbs on resources, delays them, shows it what is old, or lets all be as it was",
	Effect: syntax.Acts,
	Examples: []string{
		"restart", "{forbid: {verbs: [delete], resources: [nodes, nodes/status]}}", "allow",
		"{delay: {verbs: [watch, update], resources: [nodes], by: 2s}}", "undelay",
		"{stale: {resources: [services, nodes], for: 10s}}", "{unobserved: {resources: [services]}}",
		"{timeTravel: {resources: [services], to: 20s, for: 10s}}", "catchUp",
	},
	New: func() syntax.Action { return &kubeAction{} },
}

type kubeAction struct {
	Do         string     `yaml:",value" enum:"restart,allow,undelay,catchUp" doc:"kill the API server and start it with its data; give the CCM its rights back; let all its requests through; end stale, unobserved and timeTravel"`
	Forbid     *forbidden `yaml:"forbid" form:"forbid" doc:"verbs to take from the CCM's role"`
	Delay      *held      `yaml:"delay" form:"delay" doc:"requests of the CCM to hold back"`
	Stale      *lagged    `yaml:"stale" form:"stale" doc:"what the CCM sees as it is now; later it sees what happened meanwhile, in order"`
	Unobserved *lagged    `yaml:"unobserved" form:"unobserved" doc:"what the CCM sees as it is now; later it sees what came of it, and no steps in between"`
	TimeTravel *traveled  `yaml:"timeTravel" form:"timeTravel" doc:"what a CCM that starts now sees as it was; later it sees what has happened since, in order"`
}

// forbidden is which requests of the CCM are refused.
type forbidden struct {
	Verbs     []string `yaml:"verbs,required" item:"a verb" enum:"get,list,watch,create,update,patch,delete,deletecollection" empty:"want at least one" doc:"verbs of the cluster's API"`
	Resources []string `yaml:"resources,required" item:"a resource" empty:"want at least one" doc:"such as nodes or nodes/status"`
}

// held is which requests of the CCM are held back. What a delayed watch tells comes late.
type held struct {
	Verbs     []string      `yaml:"verbs,required" item:"a verb" enum:"*,get,list,watch,create,update,patch,delete,deletecollection" empty:"want at least one" doc:"verbs of the cluster's API; * is all"`
	Resources []string      `yaml:"resources,required" item:"a resource" empty:"want at least one" doc:"such as nodes or nodes/status; * is all"`
	By        time.Duration `yaml:"by,required" doc:"for how long"`
}

// Check reports keys that do not go together.
func (a *kubeAction) Check(d *syntax.Decoder, n *yaml.Node) {
	if n.Kind == yaml.MappingNode && len(n.Content) != 2 {
		d.Errorf(n, "kube does one thing: forbid, delay, stale, unobserved or timeTravel")
	}
	d.DelaysCCM = d.DelaysCCM || a.Delay != nil
	d.LagsAPI = d.LagsAPI || a.Stale != nil || a.Unobserved != nil || a.TimeTravel != nil
}

func (a *kubeAction) Text() string {
	switch {
	case a.Forbid != nil:
		return fmt.Sprintf("forbid %s of %s", strings.Join(a.Forbid.Verbs, ", "), strings.Join(a.Forbid.Resources, ", "))
	case a.Delay != nil:
		return fmt.Sprintf("delay %s of %s by %s", strings.Join(a.Delay.Verbs, ", "), strings.Join(a.Delay.Resources, ", "), a.Delay.By)
	case a.Stale != nil:
		return a.Stale.text("stale")
	case a.Unobserved != nil:
		return a.Unobserved.text("unobserved")
	case a.TimeTravel != nil:
		return a.TimeTravel.text("timeTravel") + " to " + a.TimeTravel.To.Source()
	default:
		return a.Do
	}
}

func (a *kubeAction) run(ctx context.Context, st *Stage) error {
	if err := a.act(ctx, st); err != nil {
		return fmt.Errorf("kube %s: %w", a.Text(), err)
	}
	return nil
}

func (a *kubeAction) act(ctx context.Context, st *Stage) error {
	if lag, is, err := a.lag(st); err != nil {
		return err
	} else if is {
		st.lagging = true
		return st.ControlPlane.Lag(ctx, lag)
	}
	switch {
	case a.Forbid != nil:
		st.Forbidden = true
		return st.ControlPlane.Forbid(ctx, a.Forbid.Verbs, a.Forbid.Resources)
	case a.Delay != nil:
		st.delayed = true
		return st.ControlPlane.Delay(ctx, a.Delay.Verbs, a.Delay.Resources, a.Delay.By)
	case a.Do == "allow":
		return st.allow(ctx)
	case a.Do == "undelay":
		return st.undelay(ctx)
	case a.Do == "catchUp":
		return st.catchUp(ctx)
	default: // restart
		return st.ControlPlane.RestartAPIServer(ctx)
	}
}

// allow gives the CCM all rights of its role back.
func (st *Stage) allow(ctx context.Context) error {
	err := st.ControlPlane.Allow(ctx)
	st.Forbidden = st.Forbidden && err != nil
	return err
}

// undelay lets all requests of the CCM through.
func (st *Stage) undelay(ctx context.Context) error {
	err := st.ControlPlane.Undelay(ctx)
	st.delayed = st.delayed && err != nil
	return err
}
