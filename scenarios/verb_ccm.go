package scenarios

import (
	"context"
	"fmt"

	"go.yaml.in/yaml/v3"
)

var (
	replicaVerbs = []string{"start", "stop", "kill", "pause", "resume"}
	ccmVerbs     = append([]string{"restart", "renewToken", "revokeToken"}, replicaVerbs...)
)

var ccmVerb = verb{
	name: "ccm",
	doc:  "controls the CCM under test: its process, its settings, its token, its standby; or asks its secure port",
	schema: map[string]any{"oneOf": []any{
		enumSchema(ccmVerbs...),
		objectSchema([]string{"start"}, map[string]any{
			"start": objectSchema(nil, settingsSchema()),
			"fails": map[string]any{"type": "string", "minLength": 1, "description": "the CCM must end by itself, not with 0, and its log must contain the text"},
		}),
		objectSchema([]string{"killAt"}, map[string]any{"killAt": killAtSchema}),
		objectSchema([]string{"failover"}, map[string]any{
			"failover": enumSchema(failoverVerbs...),
			"lease":    map[string]any{"type": "string", "description": "the name of the Lease in kube-system; " + defaultLease + " unless given"},
		}),
		objectSchema([]string{"standby"}, map[string]any{"standby": enumSchema(replicaVerbs...)}),
		objectSchema([]string{"get", "capture"}, map[string]any{
			"get":     map[string]any{"type": "string", "pattern": "^/"},
			"capture": map[string]any{"type": "string", "description": "the name for the answer: status and body"},
		}),
	}},
	parse: func(d *decoder) parsed {
		a := &ccmAction{}
		return parsed{action: a, decode: func(n *yaml.Node) { readCCM(d, n, a) }, text: a.text}
	},
}

// ccmAction is what a step does with the CCM: one of several forms.
type ccmAction struct{ form ccmForm }

type ccmForm interface {
	action
	// text says what the form does, in one line.
	text() string
}

// readCCM reads a word, or a mapping whose one key says which form it is.
func readCCM(d *decoder, n *yaml.Node, a *ccmAction) {
	if n = resolve(n); n.Kind != yaml.MappingNode {
		p := &ccmProcess{}
		a.form = p
		d.word("ccm", &p.do, ccmVerbs...)(n)
		return
	}
	start, get := &ccmStart{}, &ccmGet{}
	form := func(name string, f ccmForm, decode func(*yaml.Node)) field {
		return field{name, false, func(n *yaml.Node) {
			if a.form != nil {
				d.errorf(n, "ccm does one thing: %s and %s are two", a.form.text(), name)
			}
			a.form = f
			decode(n)
		}}
	}
	standby, killAt, failover := &ccmProcess{standby: true}, &ccmKillAt{}, &ccmFailover{lease: defaultLease}
	d.object(n, "ccm",
		form("start", start, func(n *yaml.Node) { d.settings(n, "start", &start.settings) }),
		field{"fails", false, d.text("fails", &start.fails)},
		form("killAt", killAt, func(n *yaml.Node) { readKillAt(d, n, killAt) }),
		form("standby", standby, d.word("standby", &standby.do, replicaVerbs...)),
		form("failover", failover, d.word("failover", &failover.how, failoverVerbs...)),
		field{"lease", false, d.text("lease", &failover.lease)},
		form("get", get, d.text("get", &get.path)),
		field{"capture", false, d.captureName(&get.capture)},
	)
	checkCCM(d, n, a, start, get)
}

// checkCCM reports keys that do not go together.
func checkCCM(d *decoder, n *yaml.Node, a *ccmAction, start *ccmStart, get *ccmGet) {
	at := nodeAt
	switch {
	case a.form == nil:
		d.errorf(n, "ccm does not say what to do: one of start, killAt, standby, failover and get is right")
	case at(n, "fails") != n && a.form != start:
		d.errorf(at(n, "fails"), "fails goes with start alone")
	case at(n, "fails") != n && start.fails == "":
		d.errorf(at(n, "fails"), "fails is empty: a text that the log must contain is right")
	case at(n, "capture") != n && a.form != get:
		d.errorf(at(n, "capture"), "capture goes with get alone")
	case at(n, "lease") != n && !isFailover(a.form):
		d.errorf(at(n, "lease"), "lease goes with failover alone")
	case a.form == get:
		checkGet(d, n, get)
	}
}

func (a *ccmAction) text() string {
	if a.form == nil {
		return ""
	}
	return a.form.text()
}

func (a *ccmAction) run(ctx context.Context, st *stage) error {
	defer st.syncCCM()
	return a.form.run(ctx, st)
}

// ccmProcess does something to the process of the CCM or of its standby, or to its token.
type ccmProcess struct {
	do      string
	standby bool
}

func (p *ccmProcess) text() string {
	if p.standby {
		return "standby " + p.do
	}
	return p.do
}

func (p *ccmProcess) run(ctx context.Context, st *stage) error {
	ccm, which := st.CCM, "the CCM"
	if p.standby {
		ccm, which = st.Standby, "the standby of the CCM"
	}
	if err := p.act(ctx, st, ccm); err != nil {
		return fmt.Errorf("%s %s: %w", p.do, which, err)
	}
	return nil
}

func (p *ccmProcess) act(ctx context.Context, st *stage, ccm CCM) error {
	switch p.do {
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
