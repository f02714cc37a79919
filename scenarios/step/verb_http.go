package step

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/simcloud-dev/simcloud/scenarios/expr"
	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"github.com/simcloud-dev/simcloud/scenarios/syntax"
)

var httpVerb = syntax.Verb{
	Name:    "http",
	Doc:     "gets a URL from outside of the cluster, as through a VIP, and captures or judges the answers",
	Packets: true,
	Schema: syntax.ObjectSchema([]string{"url"}, requestSchema(map[string]any{
		"url": map[string]any{"type": "string", "description": "what to get, by http"},
	})),
	Parse: func(d *syntax.Decoder) syntax.Parsed {
		a := &requestAction{}
		a.make = func(s *observe.Snapshot, from string) (request, error) {
			url, err := a.to.Expand(s)
			if err != nil {
				return nil, err
			}
			return newHTTPRequest(from, url)
		}
		return parseRequest(d, "http", a, syntax.Field{Name: "url", Required: true, Decode: func(n *yaml.Node) { readURL(d, n, &a.to) }})
	},
}

// readURL reads a URL and checks what can be known of it before values are put in:
// all of it when there are none, else how it begins.
func readURL(d *syntax.Decoder, n *yaml.Node, into *expr.Template) {
	before := len(d.Errs)
	if d.TemplateText(n, "url", into); len(d.Errs) > before {
		return
	}
	switch {
	case into.Constant():
		if err := checkURL(into.Placeholder()); err != nil {
			d.Errorf(n, "%v", err)
		}
	case into.Parts[0].Expr == nil && !strings.HasPrefix(into.Parts[0].Text, "http://"):
		d.Errorf(n, "%v", wrongURL(into.Source()))
	}
}
