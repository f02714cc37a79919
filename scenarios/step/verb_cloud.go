package step

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"

	"go.yaml.in/yaml/v3"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/simcloud-dev/simcloud/scenarios/expr"
	"github.com/simcloud-dev/simcloud/scenarios/syntax"
	"github.com/simcloud-dev/simcloud/simcloud"
)

var cloudVerb = syntax.Verb{
	Name: "cloud",
	Doc:  "calls an operation of the cloud; in finally what it is about may be gone already",
	Schema: syntax.ObjectSchema([]string{"operation"}, map[string]any{
		"operation": syntax.EnumSchema(syntax.OperationNames()...),
		"args":      map[string]any{"type": "object", "description": "the ids of the path, query parameters and fields of the body, by name"},
		"capture":   map[string]any{"type": "string", "description": "the name for the answer"},
		"fails":     map[string]any{"type": "string", "description": "the code that the call must fail with"},
	}),
	Parse: parseCloud,
}

type cloudAction struct {
	operation string
	args      expr.Tree
	capture   string
	fails     string
	tolerant  bool // what is gone already, or was never made, is as good
}

func parseCloud(d *syntax.Decoder) syntax.Parsed {
	a := &cloudAction{tolerant: d.Tolerant}
	return syntax.Parsed{
		Action: a,
		Decode: func(n *yaml.Node) {
			before := len(d.Errs)
			d.Object(n, "cloud",
				syntax.Field{Name: "operation", Required: true, Decode: readOperation(d, &a.operation)},
				syntax.Field{Name: "args", Required: false, Decode: func(n *yaml.Node) { readArgs(d, n, a) }},
				syntax.Field{Name: "capture", Required: false, Decode: d.CaptureName(&a.capture)},
				syntax.Field{Name: "fails", Required: false, Decode: d.Word("fails", &a.fails, codeNames()...)},
			)
			if len(d.Errs) == before {
				checkIDs(d, n, a)
			}
		},
		Text: func() string { return a.operation },
	}
}

func readArgs(d *syntax.Decoder, n *yaml.Node, a *cloudAction) {
	if syntax.Resolve(n).Kind != yaml.MappingNode {
		d.Errorf(n, "args is %s: a mapping is right", syntax.Describe(n))
		return
	}
	a.args = d.Tree(n)
}

// pathArgument is an id in the path of an operation.
var pathArgument = regexp.MustCompile(`\{(\w+)\}`)

// checkIDs reports the arguments without which the operation has no path.
func checkIDs(d *syntax.Decoder, n *yaml.Node, a *cloudAction) {
	endpoint, _ := simcloud.EndpointOf(a.operation)
	for _, match := range pathArgument.FindAllStringSubmatch(endpoint.Path, -1) {
		if _, given := a.args.Object[match[1]]; !given {
			d.Errorf(n, "%s needs the argument %q: args: {%s: ...}", a.operation, match[1], match[1])
		}
	}
}

func readOperation(d *syntax.Decoder, into *string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		before := len(d.Errs)
		if d.Text("operation", into)(n); len(d.Errs) > before {
			return
		}
		if _, known := simcloud.EndpointOf(*into); known && !syntax.IsStream(*into) {
			return
		}
		fields := make([]syntax.Field, 0, len(syntax.OperationNames()))
		for _, name := range syntax.OperationNames() {
			fields = append(fields, syntax.Field{Name: name})
		}
		d.Errorf(n, "the cloud has no operation %q that a step can call%s", *into, syntax.Suggest(*into, fields))
	}
}

func codeNames() []string {
	var names []string
	for _, c := range simcloud.Codes() {
		names = append(names, string(c))
	}
	return names
}

func (a *cloudAction) run(ctx context.Context, st *Stage) error {
	args, err := a.args.ExpandObject(st.Store.Snapshot())
	if err != nil && a.tolerant && expr.IsMissing(expr.AsMissing(err)) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("the arguments of %s: %w", a.operation, err)
	}
	answer, err := st.Cloud.Call(ctx, a.operation, args)
	if err := a.judge(err); err != nil {
		return err
	}
	if a.capture == "" || err != nil {
		return nil
	}
	var value any
	if err := utiljson.Unmarshal(emptyAsNull(answer), &value); err != nil {
		return fmt.Errorf("the answer of %s: %w", a.operation, err)
	}
	st.Store.Capture(a.capture, value)
	return nil
}

// judge compares how the call ended with how it should have.
func (a *cloudAction) judge(err error) error {
	code := string(simcloud.CodeOf(err))
	switch {
	case code == a.fails, a.tolerant && code == string(simcloud.NotFound):
		return nil
	case err != nil:
		return fmt.Errorf("%s: %w", a.operation, err)
	default:
		return fmt.Errorf("%s succeeded: it should have failed with %s", a.operation, a.fails)
	}
}

func emptyAsNull(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage("null")
	}
	return raw
}
