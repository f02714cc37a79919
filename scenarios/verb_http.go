package scenarios

import (
	"strings"

	"github.com/simcloud-dev/simcloud/scenarios/expr"
	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"go.yaml.in/yaml/v3"
)

var httpVerb = verb{
	name:    "http",
	doc:     "gets a URL from outside of the cluster, as through a VIP, and captures or judges the answers",
	packets: true,
	schema: objectSchema([]string{"url"}, requestSchema(map[string]any{
		"url": map[string]any{"type": "string", "description": "what to get, by http"},
	})),
	parse: func(d *decoder) parsed {
		a := &requestAction{}
		a.make = func(s *observe.Snapshot, from string) (request, error) {
			url, err := a.to.Expand(s)
			if err != nil {
				return nil, err
			}
			return newHTTPRequest(from, url)
		}
		return parseRequest(d, "http", a, field{"url", true, func(n *yaml.Node) { readURL(d, n, &a.to) }})
	},
}

// readURL reads a URL and checks what can be known of it before values are put in:
// all of it when there are none, else how it begins.
func readURL(d *decoder, n *yaml.Node, into *expr.Template) {
	before := len(d.errs)
	if d.templateText(n, "url", into); len(d.errs) > before {
		return
	}
	switch {
	case into.Constant():
		if err := checkURL(into.Placeholder()); err != nil {
			d.errorf(n, "%v", err)
		}
	case into.Parts[0].Expr == nil && !strings.HasPrefix(into.Parts[0].Text, "http://"):
		d.errorf(n, "%v", wrongURL(into.Source()))
	}
}
