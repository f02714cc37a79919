package scenarios

import (
	"context"
	"fmt"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// kubeVerbs are the verbs of the cluster's API that a role can have.
var kubeVerbs = []string{"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"}

var kubeVerb = verb{
	name: "kube",
	doc:  "restarts the API server, forbids the CCM verbs on resources or delays them, or lets all be as it was",
	schema: map[string]any{"oneOf": []any{
		enumSchema(kubeWords...),
		objectSchema([]string{"forbid"}, map[string]any{"forbid": objectSchema([]string{"verbs", "resources"}, requestsSchema(kubeVerbs))}),
		objectSchema([]string{"delay"}, map[string]any{"delay": delaySchema}),
	}},
	parse: parseKube,
}

var kubeWords = []string{"restart", "allow", "undelay"}

// requestsSchema describes which requests of the CCM are meant.
func requestsSchema(verbs []string) map[string]any {
	return map[string]any{
		"verbs":     map[string]any{"type": "array", "minItems": 1, "items": enumSchema(verbs...)},
		"resources": map[string]any{"type": "array", "minItems": 1, "items": stringSchema},
	}
}

type kubeAction struct {
	do               string // one of kubeWords, forbid or delay
	verbs, resources []string
	by               time.Duration // of delay
}

func parseKube(d *decoder) parsed {
	a := &kubeAction{}
	return parsed{
		action: a,
		decode: func(n *yaml.Node) {
			if resolve(n).Kind != yaml.MappingNode {
				d.word("kube", &a.do, kubeWords...)(n)
				return
			}
			d.object(n, "kube",
				field{"forbid", false, func(n *yaml.Node) { readForbid(d, n, a) }},
				field{"delay", false, func(n *yaml.Node) { readDelay(d, n, a) }},
			)
			if len(resolve(n).Content) != 2 {
				d.errorf(n, "kube does one thing: forbid or delay")
			}
		},
		text: a.text,
	}
}

func readForbid(d *decoder, n *yaml.Node, a *kubeAction) {
	a.do = "forbid"
	d.object(n, "forbid", requestFields(d, a, kubeVerbs)...)
}

// requestFields reads which requests of the CCM are meant.
func requestFields(d *decoder, a *kubeAction, verbs []string) []field {
	return []field{
		{"verbs", true, d.texts("verbs", &a.verbs, func(into *string) func(*yaml.Node) { return d.word("a verb", into, verbs...) })},
		{"resources", true, d.texts("resources", &a.resources, func(into *string) func(*yaml.Node) { return d.text("a resource", into) })},
	}
}

func (a *kubeAction) text() string {
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

func (a *kubeAction) run(ctx context.Context, st *stage) error {
	if err := a.act(ctx, st); err != nil {
		return fmt.Errorf("kube %s: %w", a.text(), err)
	}
	return nil
}

func (a *kubeAction) act(ctx context.Context, st *stage) error {
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
		st.forbidden = true
		return st.ControlPlane.Forbid(ctx, a.verbs, a.resources)
	}
}

// allow gives the CCM all rights of its role back.
func (st *stage) allow(ctx context.Context) error {
	err := st.ControlPlane.Allow(ctx)
	st.forbidden = st.forbidden && err != nil
	return err
}
