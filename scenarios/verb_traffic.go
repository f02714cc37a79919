package scenarios

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/simcloud-dev/simcloud/scenarios/expr"
	"go.yaml.in/yaml/v3"
)

// The time between two requests of a traffic: where a step does not say
// otherwise, and the least.
const (
	defaultEvery = 50 * time.Millisecond
	leastEvery   = time.Millisecond
)

var trafficVerb = verb{
	name:    "traffic",
	doc:     "starts to get a URL again and again while the next steps run, or stops; traffic[\"name\"] tells what came of it",
	packets: true,
	schema: map[string]any{"oneOf": []any{
		objectSchema([]string{"start", "url"}, map[string]any{
			"start":   map[string]any{"type": "string", "description": "its name"},
			"url":     map[string]any{"type": "string", "description": "what to get, by http"},
			"every":   durationSchema,
			"from":    map[string]any{"type": "string", "description": "the address of this machine that the requests come from"},
			"timeout": durationSchema,
		}),
		objectSchema([]string{"stop"}, map[string]any{"stop": stringSchema}),
	}},
	parse: parseTraffic,
}

type trafficAction struct {
	start, stop string
	url, from   expr.Template
	every       time.Duration
	timeout     time.Duration
}

func parseTraffic(d *decoder) parsed {
	a := &trafficAction{every: defaultEvery, timeout: defaultRequestTimeout}
	return parsed{
		action: a,
		decode: func(n *yaml.Node) {
			d.object(n, "traffic",
				field{"start", false, readTrafficName(d, "start", &a.start)},
				field{"stop", false, readTrafficName(d, "stop", &a.stop)},
				field{"url", false, func(n *yaml.Node) { readURL(d, n, &a.url) }},
				field{"every", false, readEvery(d, &a.every)},
				field{"from", false, func(n *yaml.Node) { readSource(d, n, &a.from) }},
				field{"timeout", false, d.duration("timeout", &a.timeout)},
			)
			checkTraffic(d, n, a)
		},
		text: a.text,
	}
}

// readEvery reads the time between two requests.
func readEvery(d *decoder, into *time.Duration) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if d.duration("every", into)(n); *into < leastEvery {
			d.errorf(n, "every is %s: %s or more is right", *into, leastEvery)
		}
	}
}

// readTrafficName reads the name of a traffic, which has to stand there as it is:
// expressions and the step that stops it know it by that.
func readTrafficName(d *decoder, what string, into *string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		before := len(d.errs)
		if d.text(what, into)(n); len(d.errs) == before && !expr.CaptureRE.MatchString(*into) {
			d.errorf(n, "%s is %q: a name of letters, digits and '_' is right", what, *into)
		}
	}
}

// checkTraffic reports keys that do not go together.
func checkTraffic(d *decoder, n *yaml.Node, a *trafficAction) {
	switch {
	case (a.start == "") == (a.stop == ""):
		d.errorf(n, "traffic has to have one of start and stop")
	case a.start != "" && nodeAt(n, "url") == resolve(n):
		d.errorf(n, `traffic lacks the key "url": what to get`)
	case a.start != "":
		d.traffics = append(d.traffics, a.start)
	case len(resolve(n).Content) > 2:
		d.errorf(n, "url, every, from and timeout go with start alone")
	case !slices.Contains(d.traffics, a.stop):
		fields := make([]field, 0, len(d.traffics))
		for _, name := range d.traffics {
			fields = append(fields, field{name: name})
		}
		d.errorf(nodeAt(n, "stop"), "no step before this one starts a traffic %q%s", a.stop, suggest(a.stop, fields))
	}
}

func (a *trafficAction) text() string {
	if a.stop != "" {
		return "stop " + a.stop
	}
	return fmt.Sprintf("start %s: %s every %s", a.start, a.url.Source(), a.every)
}

func (a *trafficAction) run(ctx context.Context, st *stage) error {
	if a.stop != "" {
		st.stopTraffic(ctx, a.stop)
		return context.Cause(ctx)
	}
	s := st.store.Snapshot()
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
