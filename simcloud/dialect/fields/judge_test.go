package fields_test

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// outcome is what a field does.
type outcome string

// The outcomes, the best first.
const (
	obeyed      outcome = "obeyed"
	kept        outcome = "kept"
	found       outcome = "looked up"
	unsupported outcome = "unsupported"
	refused     outcome = "refused"
	hidden      outcome = "hidden"
	ignored     outcome = "no effect"
)

var outcomes = []outcome{obeyed, kept, found, unsupported, refused, hidden, ignored}

// finding is what a field was found to do, and what shows it.
type finding struct {
	outcome outcome
	shows   string
}

func (f finding) better(than finding) bool {
	return slices.Index(outcomes, f.outcome) < slices.Index(outcomes, than.outcome)
}

// afterBase is the name of the state that a request leaves behind as it is.
const afterBase = "after"

// base sends the request of a probe as it is, twice: only what it leaves behind and answers both times can be compared with anything.
func (w *world) base(p probe) (answer, bool) {
	w.Helper()
	w.load(start)
	w.decoded.Store(request{})
	first := w.send(p, p.Body)
	if first.status >= http.StatusBadRequest {
		w.Errorf("%s: the probe is refused: %d %s", p.Operation, first.status, first.body)
		return first, false
	}
	last, _ := w.decoded.Load().(request)
	w.keep(afterBase)
	first.asked, first.seen = last.of, w.seen()
	w.load(start)
	again := w.send(p, p.Body)
	if w.seen() != first.seen {
		w.Errorf("%s: the views differ from themselves after the same request", p.Operation)
		return first, false
	}
	if diff := w.changes(); len(diff) > 0 || again.body != first.body {
		w.Errorf("%s: the same request differs from itself in %v, and answers\n%s\nand\n%s", p.Operation, diff, first.body, again.body)
		return first, false
	}
	return first, true
}

// changes are the places where the cloud differs from what the base request has left behind.
func (w *world) changes() []string {
	w.Helper()
	diff := must[simcloud.SnapshotDiff](w)(w.cloud.Core().DiffSnapshot(w.Context(), afterBase, ""))
	var places []string
	for _, change := range diff.Changes {
		kind, _, _ := strings.Cut(change.Resource, "/")
		if len(change.Fields) == 0 {
			places = append(places, kind)
		}
		for _, f := range change.Fields {
			places = append(places, kind+" "+f.Path)
		}
	}
	slices.Sort(places)
	return slices.Compact(places)
}

// try sends the request of a probe with another value at a path, and compares.
func (w *world) try(p probe, base answer, path string, value any) finding {
	w.Helper()
	w.load(start)
	got := w.send(p, put(p.Body, path, value))
	if got.status >= http.StatusBadRequest {
		switch w.code() {
		case simcloud.Unimplemented:
			return finding{unsupported, ""}
		case simcloud.NotFound:
			return finding{found, "another is not found"}
		default:
			return finding{refused, got.body}
		}
	}
	places := w.changes()
	switch {
	case len(places) > 0 && !slices.ContainsFunc(places, acted):
		return finding{w.kept(base, got), shown(places)}
	case len(places) > 0:
		return finding{obeyed, shown(slices.DeleteFunc(places, func(place string) bool { return !acted(place) }))}
	case got.body != base.body:
		return finding{obeyed, "the answer"}
	default:
		return finding{ignored, ""}
	}
}

// kept is whether the dialect shows what it has kept, in an answer or in a read.
func (w *world) kept(base, got answer) outcome {
	w.Helper()
	if got.body != base.body || w.seen() != base.seen {
		return kept
	}
	return hidden
}

// keptPlace is where the cloud keeps for a dialect what it does not know itself: options, and labels with a reserved prefix.
var keptPlace = regexp.MustCompile(`(^|[ .])options(\[|$)|labels\[([a-z-]+\.simcloud\.dev|hetzner\.cloud)/`)

// acted is whether a place is one that the cloud knows, and not only keeps.
func acted(place string) bool { return !keptPlace.MatchString(place) }

// index is what tells elements of a list, or keys of a map.
var index = regexp.MustCompile(`\[[^\]]*\]`)

// shown names the first places.
func shown(places []string) string {
	const most = 2
	var names []string
	for _, place := range places {
		kind, path, _ := strings.Cut(index.ReplaceAllString(place, ""), " ")
		if kind == "operation" && len(places) > 1 {
			continue
		}
		name := "`" + strings.TrimSuffix(kind+"."+path, ".") + "`"
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names[:min(len(names), most)], ", ")
}

// TestTry: each outcome is told from the others.
func TestTry(t *testing.T) {
	t.Parallel()
	w := open(t, table{Dialect: "hcloud"})
	p := probe{Operation: "create_server", Body: map[string]any{"name": "new", "server_type": "small", "image": "any"}}
	base, ok := w.base(p)
	if !ok {
		return
	}
	for path, c := range map[string]struct {
		value any
		want  finding
	}{
		"name":        {"other", finding{obeyed, "`instance.hostname`, `instance.name`"}},
		"server_type": {"none", finding{outcome: refused}},
		"volumes":     {[]any{1}, finding{unsupported, ""}},
		"image":       {"other", finding{ignored, ""}},
	} {
		got := w.try(p, base, path, c.value)
		if c.want.outcome == refused {
			got.shows = ""
		}
		if got != c.want {
			t.Errorf("%s: got %+v, want %+v", path, got, c.want)
		}
	}
	for want, views := range map[outcome][]probe{hidden: nil, kept: {{Operation: "ec2:DescribeInstances"}}} {
		w := open(t, table{Dialect: "aws", Start: []probe{{Operation: "POST /v1/instances", Body: map[string]any{"name": "a"}}}, Views: views})
		p := probe{Operation: "ec2:ModifyInstanceAttribute", Body: put(map[string]any{"InstanceId": "i-1"}, "SourceDestCheck.Value", false)}
		base, ok := w.base(p)
		if got := w.try(p, base, "SourceDestCheck.Value", true); !ok || got.outcome != want {
			t.Errorf("with the views %v: got %+v, want %s", views, got, want)
		}
	}
	for _, c := range []struct {
		table table
		path  string
		want  string
	}{
		{table{}, "a.b", ""},
		{table{Refused: map[string]string{"b": "wrong"}}, "a.b", ""},
		{table{Ignored: map[string]string{"b": "right", "other a.b": "wrong"}}, "a.b", "right"},
		{table{Ignored: map[string]string{"b": "wrong", "create_server a.b": "right"}}, "a.b", "right"},
	} {
		if _, got := c.table.reason(ignored, "create_server", c.path); got != c.want {
			t.Errorf("%+v: the reason is %q, want %q", c.table, got, c.want)
		}
	}
}
