package step

import (
	"context"
	"fmt"
	"net/netip"
	"reflect"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/simcloud-dev/simcloud/scenarios/expr"
	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"github.com/simcloud-dev/simcloud/scenarios/syntax"
	"github.com/simcloud-dev/simcloud/scenarios/words"
)

// requestAction sends requests and looks at the answers. Each verb that does adds to whom.
type requestAction struct {
	From    sourceAddress `yaml:"from" doc:"the address of this machine that the requests come from"`
	Times   int           `yaml:"times" min:"1" max:"10000" doc:"how many requests, one after the other, each on a connection of its own"`
	Timeout time.Duration `yaml:"timeout" doc:"of each request; 2 s unless given"`
	attempt
}

// CaptureType is the type of what came of the requests.
func (*requestAction) CaptureType() expr.Type { return expr.TypeOf(reflect.TypeFor[RequestsResult]()) }

// newRequestAction sends one request, unless the file says otherwise.
func newRequestAction() requestAction {
	return requestAction{Times: 1, Timeout: defaultRequestTimeout}
}

// sourceAddress is the address that requests come from.
type sourceAddress struct{ expr.Template }

func (*sourceAddress) Schema() map[string]any { return syntax.StringSchema }

func (a *sourceAddress) Read(d *syntax.Decoder, n *yaml.Node, what string) {
	if !d.Right(func() { d.TemplateText(n, what, &a.Template) }) || !a.Constant() {
		return
	}
	if _, err := netip.ParseAddr(a.Placeholder()); err != nil {
		d.Errorf(n, "%v", wrongFrom(a.Placeholder()))
	}
}

// text says in one line what is sent where.
func (a *requestAction) text(to expr.Template) string {
	if a.Times == 1 {
		return to.Source()
	}
	return fmt.Sprintf("%s, %s", to.Source(), words.Times(a.Times))
}

// limit is the time that the step takes at least, when each request takes as long as it may.
func (a *requestAction) limit() time.Duration {
	return a.time + time.Duration(a.Times)*a.Timeout
}

// slower is the action for a machine that is slower by the factor.
func (a requestAction) slower(factor float64) requestAction {
	a.time, a.Timeout = longer(a.time, factor), longer(a.Timeout, factor)
	return a
}

// send sends requests that are made of what the snapshot shows.
func (a *requestAction) send(ctx context.Context, st *Stage, newRequest func(s *observe.Snapshot, from string) (request, error)) error {
	s := st.Store.Snapshot()
	from, err := a.From.Expand(s)
	if err != nil {
		return fmt.Errorf("from: %w", err)
	}
	r, err := newRequest(s, from)
	if err != nil {
		return err
	}
	return a.run(ctx, st, func(ctx context.Context) outcome {
		t := asked{a.Times, a.Timeout}.all(ctx, r)
		return outcome{t.value(), t.problem()}
	})
}
