package step

import (
	"go.yaml.in/yaml/v3"

	"github.com/simcloud-dev/simcloud/scenarios/expr"
	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"github.com/simcloud-dev/simcloud/scenarios/syntax"
)

var udpVerb = syntax.Verb{
	Name:    "udp",
	Doc:     "sends a datagram from outside of the cluster, waits for one that comes back, and captures or judges the answers",
	Packets: true,
	Schema: syntax.ObjectSchema([]string{"address", "send"}, requestSchema(map[string]any{
		"address": map[string]any{"type": "string", "description": "where to: an address and a port"},
		"send":    map[string]any{"type": "string", "description": "what the datagram holds"},
	})),
	Parse: func(d *syntax.Decoder) syntax.Parsed {
		a := &requestAction{}
		var text expr.Template
		a.make = func(s *observe.Snapshot, from string) (request, error) {
			address, err := a.to.Expand(s)
			if err != nil {
				return nil, err
			}
			send, err := text.Expand(s)
			if err != nil {
				return nil, err
			}
			return newUDPRequest(from, address, send)
		}
		return parseRequest(d, "udp", a,
			syntax.Field{Name: "address", Required: true, Decode: func(n *yaml.Node) { d.TemplateText(n, "address", &a.to) }},
			syntax.Field{Name: "send", Required: true, Decode: func(n *yaml.Node) { d.TemplateText(n, "send", &text) }},
		)
	},
}
