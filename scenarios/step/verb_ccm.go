package step

import (
	"context"
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/simcloud-dev/simcloud/scenarios/syntax"
)

var (
	replicaVerbs = []string{"start", "stop", "kill", "pause", "resume"}
	ccmVerbs     = append([]string{"restart", "renewToken", "revokeToken"}, replicaVerbs...)
)

var ccmVerb = syntax.Verb{
	Name: "ccm",
	Doc:  "controls the CCM under test: its process, its settings, its token, its standby; or asks its secure port",
	Schema: map[string]any{"oneOf": []any{
		syntax.EnumSchema(ccmVerbs...),
		syntax.ObjectSchema([]string{"start"}, map[string]any{
			"start": syntax.ObjectSchema(nil, syntax.SettingsSchema()),
			"fails": map[string]any{"type": "string", "minLength": 1, "description": "the CCM must end by itself, not with 0, and its log must contain the text"},
		}),
		syntax.ObjectSchema([]string{"killAt"}, map[string]any{"killAt": killAtSchema}),
		syntax.ObjectSchema([]string{"failover"}, map[string]any{
			"failover": syntax.EnumSchema(failoverVerbs...),
			"lease":    map[string]any{"type": "string", "description": "the name of the Lease in kube-system; " + defaultLease + " unless given"},
		}),
		syntax.ObjectSchema([]string{"standby"}, map[string]any{"standby": syntax.EnumSchema(replicaVerbs...)}),
		syntax.ObjectSchema([]string{"get", "capture"}, map[string]any{
			"get":     map[string]any{"type": "string", "pattern": "^/"},
			"capture": map[string]any{"type": "string", "description": "the name for the answer: status and body"},
		}),
	}},
	Parse: func(d *syntax.Decoder) syntax.Parsed {
		a := &CCMAction{}
		return syntax.Parsed{Action: a, Decode: func(n *yaml.Node) { readCCM(d, n, a) }, Text: a.Text}
	},
}

// CCMAction is what a step does with the CCM: one of several forms.
type CCMAction struct{ Form ccmForm }

type ccmForm interface {
	action
	// Text says what the form does, in one line.
	Text() string
}

// readCCM reads a word, or a mapping whose one key says which form it is.
func readCCM(d *syntax.Decoder, n *yaml.Node, a *CCMAction) {
	if n = syntax.Resolve(n); n.Kind != yaml.MappingNode {
		p := &CCMProcess{}
		a.Form = p
		d.Word("ccm", &p.Do, ccmVerbs...)(n)
		return
	}
	start, get := &CCMStart{}, &CCMGet{}
	form := func(name string, f ccmForm, decode func(*yaml.Node)) syntax.Field {
		return syntax.Field{Name: name, Required: false, Decode: func(n *yaml.Node) {
			if a.Form != nil {
				d.Errorf(n, "ccm does one thing: %s and %s are two", a.Form.Text(), name)
			}
			a.Form = f
			decode(n)
		}}
	}
	standby, killAt, failover := &CCMProcess{Standby: true}, &ccmKillAt{}, &CCMFailover{lease: defaultLease}
	d.Object(n, "ccm",
		form("start", start, func(n *yaml.Node) { d.Settings(n, "start", &start.Settings) }),
		syntax.Field{Name: "fails", Required: false, Decode: d.Text("fails", &start.Fails)},
		form("killAt", killAt, func(n *yaml.Node) { readKillAt(d, n, killAt) }),
		form("standby", standby, d.Word("standby", &standby.Do, replicaVerbs...)),
		form("failover", failover, d.Word("failover", &failover.how, failoverVerbs...)),
		syntax.Field{Name: "lease", Required: false, Decode: d.Text("lease", &failover.lease)},
		form("get", get, d.Text("get", &get.path)),
		syntax.Field{Name: "capture", Required: false, Decode: d.CaptureName(&get.capture)},
	)
	checkCCM(d, n, a, start, get)
}

// checkCCM reports keys that do not go together.
func checkCCM(d *syntax.Decoder, n *yaml.Node, a *CCMAction, start *CCMStart, get *CCMGet) {
	at := syntax.NodeAt
	switch {
	case a.Form == nil:
		d.Errorf(n, "ccm does not say what to do: one of start, killAt, standby, failover and get is right")
	case at(n, "fails") != n && a.Form != start:
		d.Errorf(at(n, "fails"), "fails goes with start alone")
	case at(n, "fails") != n && start.Fails == "":
		d.Errorf(at(n, "fails"), "fails is empty: a text that the log must contain is right")
	case at(n, "capture") != n && a.Form != get:
		d.Errorf(at(n, "capture"), "capture goes with get alone")
	case at(n, "lease") != n && !isFailover(a.Form):
		d.Errorf(at(n, "lease"), "lease goes with failover alone")
	case a.Form == get:
		checkGet(d, n, get)
	}
}

// Text says in one line what the step does.
func (a *CCMAction) Text() string {
	if a.Form == nil {
		return ""
	}
	return a.Form.Text()
}

func (a *CCMAction) run(ctx context.Context, st *Stage) error {
	defer st.SyncCCM()
	return a.Form.run(ctx, st)
}

// CCMProcess does something to the process of the CCM or of its standby, or to its token.
type CCMProcess struct {
	Do      string
	Standby bool
}

// Text says in one line what the step does.
func (p *CCMProcess) Text() string {
	if p.Standby {
		return "standby " + p.Do
	}
	return p.Do
}

func (p *CCMProcess) run(ctx context.Context, st *Stage) error {
	ccm, which := st.CCM, "the CCM"
	if p.Standby {
		ccm, which = st.Standby, "the standby of the CCM"
	}
	if err := p.act(ctx, st, ccm); err != nil {
		return fmt.Errorf("%s %s: %w", p.Do, which, err)
	}
	return nil
}

func (p *CCMProcess) act(ctx context.Context, st *Stage, ccm CCM) error {
	switch p.Do {
	case "start":
		return ccm.Start(ctx)
	case "stop":
		return ccm.Stop(ctx)
	case "kill":
		return ccm.Kill(ctx)
	case "pause":
		return ccm.Pause()
	case "resume":
		return ccm.Resume()
	case "renewToken":
		return ccm.RenewToken(ctx)
	case "revokeToken":
		return ccm.RevokeToken(ctx)
	default: // restart
		st.restarts++
		return ccm.Restart(ctx)
	}
}
