package step

import (
	"context"
	"fmt"
	"net/netip"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/simcloud-dev/simcloud/scenarios/expr"
	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"github.com/simcloud-dev/simcloud/scenarios/syntax"
	"github.com/simcloud-dev/simcloud/scenarios/words"
)

// requestSchema has the keys that all requests have.
func requestSchema(properties map[string]any) map[string]any {
	properties["from"] = map[string]any{"type": "string", "description": "the address of this machine that the requests come from"}
	properties["times"] = map[string]any{
		"type": "integer", "minimum": 1, "maximum": mostRequests,
		"description": "how many requests, one after the other, each on a connection of its own",
	}
	properties["timeout"] = syntax.DurationSchema
	return attemptSchema(properties)
}

// requestAction sends requests and looks at the answers.
type requestAction struct {
	attempt
	asked
	to     expr.Template
	from   expr.Template
	target string // where to, as the file has it
	make   func(s *observe.Snapshot, from string) (request, error)
}

// parseRequest reads a verb that sends requests; the first of its own fields says where to.
func parseRequest(d *syntax.Decoder, name string, a *requestAction, own ...syntax.Field) syntax.Parsed {
	a.asked = asked{times: 1, timeout: defaultRequestTimeout}
	fields := append(own,
		syntax.Field{Name: "from", Required: false, Decode: func(n *yaml.Node) { readSource(d, n, &a.from) }},
		syntax.Field{Name: "times", Required: false, Decode: readTimes(d, &a.times)},
		syntax.Field{Name: "timeout", Required: false, Decode: d.Duration("timeout", &a.timeout)},
	)
	return syntax.Parsed{
		Action: a,
		Decode: func(n *yaml.Node) {
			a.target = syntax.NodeAt(n, own[0].Name).Value
			d.Object(n, name, append(fields, attemptFields(d, &a.attempt)...)...)
			finishAttempt(d, &a.attempt)
		},
		Text: a.Text,
	}
}

// readSource reads the address that requests come from.
func readSource(d *syntax.Decoder, n *yaml.Node, into *expr.Template) {
	before := len(d.Errs)
	if d.TemplateText(n, "from", into); len(d.Errs) > before || !into.Constant() {
		return
	}
	if _, err := netip.ParseAddr(into.Placeholder()); err != nil {
		d.Errorf(n, "%v", wrongFrom(into.Placeholder()))
	}
}

// readTimes reads how many requests to send.
func readTimes(d *syntax.Decoder, into *int) func(*yaml.Node) {
	return func(n *yaml.Node) {
		before := len(d.Errs)
		if d.Number("times", into)(n); len(d.Errs) == before && (*into < 1 || *into > mostRequests) {
			d.Errorf(n, "times is %d: 1 to %d are right", *into, mostRequests)
		}
	}
}

func (a *requestAction) Text() string {
	if a.times == 1 {
		return a.target
	}
	return fmt.Sprintf("%s, %s", a.target, words.Times(a.times))
}

// limit is the time that the step takes at least, when each request takes as long as it may.
func (a *requestAction) limit() time.Duration {
	return a.time + time.Duration(a.times)*a.timeout
}

func (a *requestAction) run(ctx context.Context, st *Stage) error {
	s := st.Store.Snapshot()
	from, err := a.from.Expand(s)
	if err != nil {
		return fmt.Errorf("from: %w", err)
	}
	r, err := a.make(s, from)
	if err != nil {
		return err
	}
	return a.attempt.run(ctx, st, func(ctx context.Context) outcome {
		t := a.all(ctx, r)
		return outcome{t.value(), t.problem()}
	})
}
