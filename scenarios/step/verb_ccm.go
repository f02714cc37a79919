package step

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/simcloud-dev/simcloud/e2e/control"
	"github.com/simcloud-dev/simcloud/scenarios/expr"
	"github.com/simcloud-dev/simcloud/scenarios/syntax"
	"github.com/simcloud-dev/simcloud/scenarios/words"
	"github.com/simcloud-dev/simcloud/simcloud"
)

var ccmVerb = syntax.Verb{
	Name:   "ccm",
	Doc:    "controls the CCM under test: its process, its settings, its token, its standby; or asks its secure port",
	Effect: syntax.Acts,
	Examples: []string{
		"restart", "{start: {config: {nodeGracePeriod: 5s}, flags: [--v=5]}}", "{killAt: {operation: CreateLoadBalancer, when: after}}",
		"{standby: start}", "{failover: kill}", "{get: /metrics, capture: m}",
	},
	New: func() syntax.Action { return &CCMAction{Lease: defaultLease} },
}

// CCMAction is what a step does with the CCM: one of several forms.
type CCMAction struct {
	Do       string           `yaml:",value" enum:"restart,renewToken,revokeToken,start,stop,kill,pause,resume" doc:"what to do with its process or its token"`
	Start    *syntax.Settings `yaml:"start" form:"start" doc:"start with other settings, which stay" alone:"ccm does one thing: {first} and {second} are two"`
	Fails    string           `yaml:"fails" form:"start" min:"1" doc:"the CCM must end by itself, not with 0, and its log must contain the text"`
	KillAt   *ccmKillAt       `yaml:"killAt" form:"killAt" doc:"kill the CCM at a call to come" alone:"ccm does one thing: {first} and {second} are two"`
	Standby  string           `yaml:"standby" form:"standby" enum:"start,stop,kill,pause,resume" doc:"what to do with a second replica" alone:"ccm does one thing: {first} and {second} are two"`
	Failover string           `yaml:"failover" form:"failover" enum:"kill,pause,stop" doc:"what to do with the replica that leads; then wait until the other one leads" alone:"ccm does one thing: {first} and {second} are two"`
	Lease    string           `yaml:"lease" form:"failover" doc:"the name of the Lease in kube-system; cloud-controller-manager unless given"`
	Get      string           `yaml:"get" form:"get" pattern:"^/" doc:"a path of its secure port" alone:"ccm does one thing: {first} and {second} are two"`
	Capture  syntax.Capture   `yaml:"capture,needed,late" form:"get" doc:"the name for the answer: status and body"`
	// Form is the one that the keys say.
	Form ccmForm
}

// CaptureType is the type of what the secure port answers.
func (*CCMAction) CaptureType() expr.Type { return expr.TypeOf(reflect.TypeFor[CCMAnswer]()) }

// CCMAnswer has the fields of an answer of the secure port, as expressions see them.
type CCMAnswer struct {
	Status int64  `json:"status"`
	Body   string `json:"body"`
}

type ccmForm interface{ action }

// Check finds the form, and reports keys that do not go together.
func (a *CCMAction) Check(d *syntax.Decoder, n *yaml.Node) {
	given := func(key string) bool { return syntax.NodeAt(n, key) != n }
	switch {
	case n.Kind != yaml.MappingNode:
		a.Form = &CCMProcess{Do: a.Do}
	case given("start"):
		a.Form = &CCMStart{Settings: *a.Start, Fails: a.Fails}
	case given("killAt"):
		a.Form = a.KillAt
	case given("standby"):
		a.Form = &CCMProcess{Do: a.Standby, Standby: true}
	case given("failover"):
		a.Form = &CCMFailover{how: a.Failover, lease: a.Lease}
	case given("get"):
		a.Form = &CCMGet{path: a.Get, capture: string(a.Capture)}
	}
	switch at := syntax.NodeAt; {
	case a.Form == nil:
		d.Errorf(n, "ccm does not say what to do: want one of start, killAt, standby, failover and get")
	case given("fails") && !given("start"):
		d.Errorf(at(n, "fails"), "fails goes with start alone")
	case given("fails") && a.Fails == "":
		d.Errorf(at(n, "fails"), "fails is empty: want a text that the log must contain")
	case given("capture") && !given("get"):
		d.Errorf(at(n, "capture"), "capture goes with get alone")
	case given("lease") && !given("failover"):
		d.Errorf(at(n, "lease"), "lease goes with failover alone")
	case given("get"):
		a.checkGet(d, n)
	}
}

// Text says in one line what the step does.
func (a *CCMAction) Text() string { return a.Form.Text() }

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
	ccm, which := st.replica(p.Standby), "the CCM"
	if p.Standby {
		which = "the standby of the CCM"
		if p.Do == "start" && !ccm.Running() {
			st.leadsAlone()
		}
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

// CCMGet asks the CCM's secure port.
type CCMGet struct {
	path    string
	capture string
}

func (a *CCMAction) checkGet(d *syntax.Decoder, n *yaml.Node) {
	if !strings.HasPrefix(a.Get, "/") {
		d.Errorf(syntax.NodeAt(n, "get"), "get is %q: want a path such as /metrics", a.Get)
	}
	if syntax.NodeAt(n, "capture") == n {
		d.Errorf(n, `get lacks the key "capture": the name for the answer`)
	}
}

// Text says in one line what the step does.
func (g *CCMGet) Text() string { return "get " + g.path }

func (g *CCMGet) run(ctx context.Context, st *Stage) error {
	status, body, err := st.CCM.Get(ctx, g.path)
	if err != nil {
		return fmt.Errorf("get %s of the CCM: %w", g.path, err)
	}
	delete(st.answers, g.capture)
	st.Store.Capture(g.capture, map[string]any{"status": int64(status), "body": string(body)})
	return nil
}

// ccmKillAt arms the death of the CCM.
type ccmKillAt struct {
	Operation operationGlob `yaml:"operation,required" doc:"an operation of the cloud, or a glob of such"`
	Call      int           `yaml:"call" min:"1" doc:"which such call from now on; 1 unless given"`
	When      string        `yaml:"when,required" enum:"before,after" doc:"before the cloud does it, or after it is committed and before the answer"`
}

// operationGlob chooses operations of the cloud, not of the simulator.
type operationGlob string

func (*operationGlob) Schema() map[string]any { return syntax.StringSchema }

func (g *operationGlob) Read(d *syntax.Decoder, n *yaml.Node, what string) {
	glob, ok := d.ReadText(n, what)
	if !ok {
		return
	}
	*g = operationGlob(glob)
	var all []string
	for _, e := range simcloud.Endpoints() {
		if strings.HasPrefix(e.Path, "/v1/") && !syntax.IsStream(e.Operation) {
			all = append(all, e.Operation)
		}
	}
	if glob == "" || !slices.ContainsFunc(all, func(name string) bool { return simcloud.Glob(glob, name) }) {
		d.Errorf(n, "%s is %q, which is no operation of the cloud%s: want an operation such as CreateLoadBalancer, or a pattern such as Create*", what, glob, words.Suggest(glob, all))
	}
}

// call is which call kills: the first one unless given.
func (k *ccmKillAt) call() int { return max(k.Call, 1) }

func (k *ccmKillAt) Text() string {
	return fmt.Sprintf("killAt %s call %d of %s", k.When, k.call(), k.Operation)
}

func (k *ccmKillAt) run(ctx context.Context, st *Stage) error {
	point := control.KillPoint{Operation: string(k.Operation), Call: k.call(), After: k.When == "after"}
	if err := st.CCM.KillAt(ctx, point); err != nil {
		return fmt.Errorf("arm %s: %w", k.Text(), err)
	}
	return nil
}
