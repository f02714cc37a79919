package step

import (
	"context"
	"fmt"
	"slices"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/simcloud-dev/simcloud/scenarios/expr"
	"github.com/simcloud-dev/simcloud/scenarios/syntax"
)

// The time between two requests of a traffic: where a step does not say
// otherwise, and the least.
const (
	defaultEvery = 50 * time.Millisecond
	leastEvery   = time.Millisecond
)

var trafficVerb = syntax.Verb{
	Name:    "traffic",
	Doc:     "starts to get a URL again and again while the next steps run, or stops; traffic[\"name\"] tells what came of it",
	Packets: true,
	Schema: map[string]any{"oneOf": []any{
		syntax.ObjectSchema([]string{"start", "url"}, map[string]any{
			"start":   map[string]any{"type": "string", "description": "its name"},
			"url":     map[string]any{"type": "string", "description": "what to get, by http"},
			"every":   syntax.DurationSchema,
			"from":    map[string]any{"type": "string", "description": "the address of this machine that the requests come from"},
			"timeout": syntax.DurationSchema,
		}),
		syntax.ObjectSchema([]string{"stop"}, map[string]any{"stop": syntax.StringSchema}),
	}},
	Parse: parseTraffic,
}

type trafficAction struct {
	start, stop string
	url, from   expr.Template
	every       time.Duration
	timeout     time.Duration
}

func parseTraffic(d *syntax.Decoder) syntax.Parsed {
	a := &trafficAction{every: defaultEvery, timeout: defaultRequestTimeout}
	return syntax.Parsed{
		Action: a,
		Decode: func(n *yaml.Node) {
			d.Object(n, "traffic",
				syntax.Field{Name: "start", Required: false, Decode: readTrafficName(d, "start", &a.start)},
				syntax.Field{Name: "stop", Required: false, Decode: readTrafficName(d, "stop", &a.stop)},
				syntax.Field{Name: "url", Required: false, Decode: func(n *yaml.Node) { readURL(d, n, &a.url) }},
				syntax.Field{Name: "every", Required: false, Decode: readEvery(d, &a.every)},
				syntax.Field{Name: "from", Required: false, Decode: func(n *yaml.Node) { readSource(d, n, &a.from) }},
				syntax.Field{Name: "timeout", Required: false, Decode: d.Duration("timeout", &a.timeout)},
			)
			checkTraffic(d, n, a)
		},
		Text: a.Text,
	}
}

// readEvery reads the time between two requests.
func readEvery(d *syntax.Decoder, into *time.Duration) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if d.Duration("every", into)(n); *into < leastEvery {
			d.Errorf(n, "every is %s: %s or more is right", *into, leastEvery)
		}
	}
}

// readTrafficName reads the name of a traffic, which has to stand there as it is:
// expressions and the step that stops it know it by that.
func readTrafficName(d *syntax.Decoder, what string, into *string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		before := len(d.Errs)
		if d.Text(what, into)(n); len(d.Errs) == before && !expr.CaptureRE.MatchString(*into) {
			d.Errorf(n, "%s is %q: a name of letters, digits and '_' is right", what, *into)
		}
	}
}

// checkTraffic reports keys that do not go together.
func checkTraffic(d *syntax.Decoder, n *yaml.Node, a *trafficAction) {
	switch {
	case (a.start == "") == (a.stop == ""):
		d.Errorf(n, "traffic has to have one of start and stop")
	case a.start != "" && syntax.NodeAt(n, "url") == syntax.Resolve(n):
		d.Errorf(n, `traffic lacks the key "url": what to get`)
	case a.start != "":
		d.Traffics = append(d.Traffics, a.start)
	case len(syntax.Resolve(n).Content) > 2:
		d.Errorf(n, "url, every, from and timeout go with start alone")
	case !slices.Contains(d.Traffics, a.stop):
		fields := make([]syntax.Field, 0, len(d.Traffics))
		for _, name := range d.Traffics {
			fields = append(fields, syntax.Field{Name: name})
		}
		d.Errorf(syntax.NodeAt(n, "stop"), "no step before this one starts a traffic %q%s", a.stop, syntax.Suggest(a.stop, fields))
	}
}

func (a *trafficAction) Text() string {
	if a.stop != "" {
		return "stop " + a.stop
	}
	return fmt.Sprintf("start %s: %s every %s", a.start, a.url.Source(), a.every)
}

func (a *trafficAction) run(ctx context.Context, st *Stage) error {
	if a.stop != "" {
		st.stopTraffic(ctx, a.stop)
		return context.Cause(ctx)
	}
	s := st.Store.Snapshot()
	from, err := a.from.Expand(s)
	if err != nil {
		return fmt.Errorf("from: %w", err)
	}
	url, err := a.url.Expand(s)
	if err != nil {
		return err
	}
	r, err := newHTTPRequest(from, url)
	if err != nil {
		return err
	}
	st.startTraffic(ctx, a.start, r, a.every, a.timeout)
	return nil
}
