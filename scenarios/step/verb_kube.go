package step

import (
	"context"
	"fmt"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/simcloud-dev/simcloud/scenarios/syntax"
)

// kubeVerbs are the verbs of the cluster's API that a role can have.
var kubeVerbs = []string{"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"}

var kubeVerb = syntax.Verb{
	Name: "kube",
	Doc:  "restarts the API server, forbids the CCM verbs on resources or delays them, or lets all be as it was",
	Schema: map[string]any{"oneOf": []any{
		syntax.EnumSchema(kubeWords...),
		syntax.ObjectSchema([]string{"forbid"}, map[string]any{"forbid": syntax.ObjectSchema([]string{"verbs", "resources"}, requestsSchema(kubeVerbs))}),
		syntax.ObjectSchema([]string{"delay"}, map[string]any{"delay": delaySchema}),
	}},
	Parse: parseKube,
}

var kubeWords = []string{"restart", "allow", "undelay"}

// requestsSchema describes which requests of the CCM are meant.
func requestsSchema(verbs []string) map[string]any {
	return map[string]any{
		"verbs":     map[string]any{"type": "array", "minItems": 1, "items": syntax.EnumSchema(verbs...)},
		"resources": map[string]any{"type": "array", "minItems": 1, "items": syntax.StringSchema},
	}
}

type kubeAction struct {
	do               string // one of kubeWords, forbid or delay
	verbs, resources []string
	by               time.Duration // of delay
}

func parseKube(d *syntax.Decoder) syntax.Parsed {
	a := &kubeAction{}
	return syntax.Parsed{
		Action: a,
		Decode: func(n *yaml.Node) {
			if syntax.Resolve(n).Kind != yaml.MappingNode {
				d.Word("kube", &a.do, kubeWords...)(n)
				return
			}
			d.Object(n, "kube",
				syntax.Field{Name: "forbid", Required: false, Decode: func(n *yaml.Node) { readForbid(d, n, a) }},
				syntax.Field{Name: "delay", Required: false, Decode: func(n *yaml.Node) { readDelay(d, n, a) }},
			)
			if len(syntax.Resolve(n).Content) != 2 {
				d.Errorf(n, "kube does one thing: forbid or delay")
			}
		},
		Text: a.Text,
	}
}

func readForbid(d *syntax.Decoder, n *yaml.Node, a *kubeAction) {
	a.do = "forbid"
	d.Object(n, "forbid", requestFields(d, a, kubeVerbs)...)
}

// requestFields reads which requests of the CCM are meant.
func requestFields(d *syntax.Decoder, a *kubeAction, verbs []string) []syntax.Field {
	return []syntax.Field{
		{Name: "verbs", Required: true, Decode: d.Texts("verbs", &a.verbs, func(into *string) func(*yaml.Node) { return d.Word("a verb", into, verbs...) })},
		{Name: "resources", Required: true, Decode: d.Texts("resources", &a.resources, func(into *string) func(*yaml.Node) { return d.Text("a resource", into) })},
	}
}

func (a *kubeAction) Text() string {
	what := fmt.Sprintf("%s %s of %s", a.do, strings.Join(a.verbs, ", "), strings.Join(a.resources, ", "))
	switch a.do {
	case "forbid":
		return what
	case "delay":
		return fmt.Sprintf("%s by %s", what, a.by)
	default:
		return a.do
	}
}

func (a *kubeAction) run(ctx context.Context, st *Stage) error {
	if err := a.act(ctx, st); err != nil {
		return fmt.Errorf("kube %s: %w", a.Text(), err)
	}
	return nil
}

func (a *kubeAction) act(ctx context.Context, st *Stage) error {
	switch a.do {
	case "restart":
		return st.ControlPlane.RestartAPIServer(ctx)
	case "allow":
		return st.allow(ctx)
	case "delay":
		st.delayed = true
		return st.ControlPlane.Delay(ctx, a.verbs, a.resources, a.by)
	case "undelay":
		return st.undelay(ctx)
	default: // forbid
		st.Forbidden = true
		return st.ControlPlane.Forbid(ctx, a.verbs, a.resources)
	}
}

// allow gives the CCM all rights of its role back.
func (st *Stage) allow(ctx context.Context) error {
	err := st.ControlPlane.Allow(ctx)
	st.Forbidden = st.Forbidden && err != nil
	return err
}
