package scenarios

import (
	"github.com/simcloud-dev/simcloud/scenarios/expr"
	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"go.yaml.in/yaml/v3"
)

var udpVerb = verb{
	name:    "udp",
	doc:     "sends a datagram from outside of the cluster, waits for one that comes back, and captures or judges the answers",
	packets: true,
	schema: objectSchema([]string{"address", "send"}, requestSchema(map[string]any{
		"address": map[string]any{"type": "string", "description": "where to: an address and a port"},
		"send":    map[string]any{"type": "string", "description": "what the datagram holds"},
	})),
	parse: func(d *decoder) parsed {
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
			field{"address", true, func(n *yaml.Node) { d.templateText(n, "address", &a.to) }},
			field{"send", true, func(n *yaml.Node) { d.templateText(n, "send", &text) }},
		)
	},
}
