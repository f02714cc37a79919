package step

import (
	"context"
	"fmt"
	"slices"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/simcloud-dev/simcloud/scenarios/expr"
	"github.com/simcloud-dev/simcloud/scenarios/syntax"
	"github.com/simcloud-dev/simcloud/scenarios/words"
)

// defaultEvery is the time between two requests of a traffic where a step does not say otherwise.
const defaultEvery = 50 * time.Millisecond

var trafficVerb = syntax.Verb{
	Name:     "traffic",
	Doc:      "starts to get a URL again and again while the next steps run, or stops; traffic[\"name\"] tells what came of it",
	Effect:   syntax.ReadOnly,
	Packets:  true,
	Examples: []string{`{start: load, url: "http://${ip}:80/", every: 50ms}`, "{stop: load}"},
	New:      func() syntax.Action { return &trafficAction{Every: defaultEvery, Timeout: defaultRequestTimeout} },
}

type trafficAction struct {
	Start   trafficName   `yaml:"start" form:"start" doc:"its name"`
	Stop    trafficName   `yaml:"stop" form:"stop" doc:"the name of one that a step before has started"`
	URL     httpURL       `yaml:"url,needed" form:"start" doc:"what to get, by http"`
	Every   time.Duration `yaml:"every" form:"start" min:"1ms" doc:"the time between two requests; 50 ms unless given"`
	From    sourceAddress `yaml:"from" form:"start" doc:"the address of this machine that the requests come from"`
	Timeout time.Duration `yaml:"timeout" form:"start" doc:"of each request; 2 s unless given"`
}

// trafficName has to stand there as it is: expressions and the step that stops it know a traffic by that.
type trafficName string

func (*trafficName) Schema() map[string]any { return syntax.StringSchema }

func (t *trafficName) Read(d *syntax.Decoder, n *yaml.Node, what string) {
	name, ok := d.ReadText(n, what)
	if *t = trafficName(name); ok && !expr.CaptureRE.MatchString(name) {
		d.Errorf(n, "%s is %q: want a name of letters, digits and '_'", what, name)
	}
}

// Check reports keys that do not go together.
func (a *trafficAction) Check(d *syntax.Decoder, n *yaml.Node) {
	switch {
	case (a.Start == "") == (a.Stop == ""):
		d.Errorf(n, "traffic has to have one of start and stop")
	case a.Start != "" && syntax.NodeAt(n, "url") == n:
		d.Errorf(n, `traffic lacks the key "url": what to get`)
	case a.Start != "":
		d.Traffics = append(d.Traffics, string(a.Start))
	case len(n.Content) > 2:
		d.Errorf(n, "url, every, from and timeout go with start alone")
	case !slices.Contains(d.Traffics, string(a.Stop)):
		d.Errorf(syntax.NodeAt(n, "stop"), "no step before this one starts a traffic %q%s", a.Stop, words.Suggest(string(a.Stop), d.Traffics))
	}
}

func (a *trafficAction) Text() string {
	if a.Stop != "" {
		return "stop " + string(a.Stop)
	}
	return fmt.Sprintf("start %s: %s every %s", a.Start, a.URL.Source(), a.Every)
}

func (a *trafficAction) run(ctx context.Context, st *Stage) error {
	if a.Stop != "" {
		st.stopTraffic(ctx, string(a.Stop))
		return context.Cause(ctx)
	}
	s := st.Store.Snapshot()
	from, err := a.From.Expand(s)
	if err != nil {
		return fmt.Errorf("from: %w", err)
	}
	url, err := a.URL.Expand(s)
	if err != nil {
		return err
	}
	r, err := newHTTPRequest(from, url)
	if err != nil {
		return err
	}
	st.startTraffic(ctx, string(a.Start), r, a.Every, a.Timeout)
	return nil
}
