package scenarios

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"

	"go.yaml.in/yaml/v3"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/simcloud-dev/simcloud/scenarios/expr"
	"github.com/simcloud-dev/simcloud/simcloud"
)

var cloudVerb = verb{
	name: "cloud",
	doc:  "calls an operation of the cloud; in finally what it is about may be gone already",
	schema: objectSchema([]string{"operation"}, map[string]any{
		"operation": enumSchema(operationNames()...),
		"args":      map[string]any{"type": "object", "description": "the ids of the path, query parameters and fields of the body, by name"},
		"capture":   map[string]any{"type": "string", "description": "the name for the answer"},
		"fails":     map[string]any{"type": "string", "description": "the code that the call must fail with"},
	}),
	parse: parseCloud,
}

type cloudAction struct {
	operation string
	args      expr.Tree
	capture   string
	fails     string
	tolerant  bool // what is gone already, or was never made, is as good
}

func parseCloud(d *decoder) parsed {
	a := &cloudAction{tolerant: d.tolerant}
	return parsed{
		action: a,
		decode: func(n *yaml.Node) {
			before := len(d.errs)
			d.object(n, "cloud",
				field{"operation", true, readOperation(d, &a.operation)},
				field{"args", false, func(n *yaml.Node) { readArgs(d, n, a) }},
				field{"capture", false, d.captureName(&a.capture)},
				field{"fails", false, d.word("fails", &a.fails, codeNames()...)},
			)
			if len(d.errs) == before {
				checkIDs(d, n, a)
			}
		},
		text: func() string { return a.operation },
	}
}

func readArgs(d *decoder, n *yaml.Node, a *cloudAction) {
	if resolve(n).Kind != yaml.MappingNode {
		d.errorf(n, "args is %s: a mapping is right", describe(n))
		return
	}
	a.args = d.tree(n)
}

// pathArgument is an id in the path of an operation.
var pathArgument = regexp.MustCompile(`\{(\w+)\}`)

// checkIDs reports the arguments without which the operation has no path.
func checkIDs(d *decoder, n *yaml.Node, a *cloudAction) {
	endpoint, _ := simcloud.EndpointOf(a.operation)
	for _, match := range pathArgument.FindAllStringSubmatch(endpoint.Path, -1) {
		if _, given := a.args.Object[match[1]]; !given {
			d.errorf(n, "%s needs the argument %q: args: {%s: ...}", a.operation, match[1], match[1])
		}
	}
}

func readOperation(d *decoder, into *string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		before := len(d.errs)
		if d.text("operation", into)(n); len(d.errs) > before {
			return
		}
		if _, known := simcloud.EndpointOf(*into); known && !isStream(*into) {
			return
		}
		fields := make([]field, 0, len(operationNames()))
		for _, name := range operationNames() {
			fields = append(fields, field{name: name})
		}
		d.errorf(n, "the cloud has no operation %q that a step can call%s", *into, suggest(*into, fields))
	}
}

func codeNames() []string {
	var names []string
	for _, c := range simcloud.Codes() {
		names = append(names, string(c))
	}
	return names
}

func (a *cloudAction) run(ctx context.Context, st *stage) error {
	args, err := a.args.ExpandObject(st.store.Snapshot())
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
	st.store.Capture(a.capture, value)
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
