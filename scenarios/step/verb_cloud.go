package step

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/simcloud-dev/simcloud/e2e/control"
	"github.com/simcloud-dev/simcloud/scenarios/expr"
	"github.com/simcloud-dev/simcloud/scenarios/syntax"
	"github.com/simcloud-dev/simcloud/scenarios/words"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/yamlpath"
)

var cloudVerb = syntax.Verb{
	Name:   "cloud",
	Doc:    "calls an operation of the cloud; in finally what it is about may be gone already",
	Effect: syntax.Acts,
	Examples: []string{
		"{operation: CreateInstance, args: {name: node-4}, capture: vm}",
		"{operation: CreateInstance, args: {name: node-5}, fails: quota_exceeded}",
	},
	New: func() syntax.Action { return &cloudAction{} },
}

type cloudAction struct {
	Operation operation      `yaml:"operation,required" doc:"any operation of the API that ends"`
	Args      arguments      `yaml:"args" doc:"the ids of the path, query parameters and fields of the body, by name"`
	Capture   syntax.Capture `yaml:"capture,late" doc:"the name for the answer"`
	Fails     errorCode      `yaml:"fails" doc:"the code that the call must fail with"`
	tolerant  bool           // what is gone already, or was never made, is as good
}

func (a *cloudAction) Text() string { return string(a.Operation) }

// CaptureType is the type of what the operation answers.
func (a *cloudAction) CaptureType() expr.Type { return operationType(string(a.Operation)).captured() }

// pathArgument is an id in the path of an operation.
var pathArgument = regexp.MustCompile(`\{(\w+)\}`)

// Check reports the arguments without which the operation has no path.
func (a *cloudAction) Check(d *syntax.Decoder, n *yaml.Node) {
	a.tolerant = d.Tolerant
	a.noteMachines(d)
	if args := syntax.NodeAt(n, "args"); args != n && args.Kind != yaml.MappingNode {
		return
	}
	endpoint, _ := simcloud.EndpointOf(string(a.Operation))
	for _, match := range pathArgument.FindAllStringSubmatch(endpoint.Path, -1) {
		if _, given := a.Args.Object[match[1]]; !given {
			d.Errorf(n, "%s needs the argument %q: args: {%s: ...}", a.Operation, match[1], match[1])
		}
	}
	if args := syntax.NodeAt(n, "args"); args != n {
		a.unknownArguments(d, args)
		if a.Operation == "CreateInstance" {
			checkMachineLabels(d, syntax.ChildOf(args, "labels"))
		}
	}
}

// checkMachineLabels reports labels of simcloud that no machine obeys.
func checkMachineLabels(d *syntax.Decoder, n *yaml.Node) {
	if n == nil || n.Kind != yaml.MappingNode {
		return
	}
	labels := map[string]string{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		labels[n.Content[i].Value] = syntax.Resolve(n.Content[i+1]).Value
	}
	for _, mistake := range control.LabelMistakes(labels) {
		key, _ := yamlpath.Child(n, mistake.Label)
		d.Errorf(key, "%v", mistake)
	}
}

// noteMachines tells which machines there are from this step on.
func (a *cloudAction) noteMachines(d *syntax.Decoder) {
	switch a.Operation {
	case "CreateInstance":
		name := a.Args.Object["name"].Template
		if name == nil || !name.Constant() {
			d.AnyMachine = true
			return
		}
		d.Machines = append(d.Machines, name.Source())
	case "Seed", "LoadSnapshot", "UpdateInstance":
		d.AnyMachine = true
	}
}

// unknownArguments reports arguments that the operation does not take.
func (a *cloudAction) unknownArguments(d *syntax.Decoder, args *yaml.Node) {
	taken, known := argumentsOf(string(a.Operation))
	if args.Kind != yaml.MappingNode || !known {
		return
	}
	for i := 0; i < len(args.Content); i += 2 {
		if key := args.Content[i]; !slices.Contains(taken, key.Value) {
			d.Errorf(key, "%s has no argument %q%s: want %s", a.Operation, key.Value, words.Suggest(key.Value, taken), listOfArguments(taken))
		}
	}
}

func listOfArguments(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// operation is the name of an operation of the cloud that ends.
type operation string

func (*operation) Schema() map[string]any { return syntax.EnumSchema(syntax.OperationNames()...) }

func (o *operation) Read(d *syntax.Decoder, n *yaml.Node, what string) {
	name, ok := d.ReadText(n, what)
	if !ok {
		return
	}
	*o = operation(name)
	if names := syntax.OperationNames(); !slices.Contains(names, name) {
		d.Errorf(n, "the cloud has no operation %q that a step can call%s", name, suggestOperation(name, names))
	}
}

// suggestOperation returns the operation that was probably meant, as the end of a message: the closest one. For a verb that
// changes something it is no read: SetConfig is UpdateConfig, not GetConfig.
func suggestOperation(name string, names []string) string {
	verb, noun := verbAndNoun(name)
	if isRead(verb) || !slices.ContainsFunc(names, func(n string) bool { v, _ := verbAndNoun(n); return v == verb }) {
		return words.Suggest(name, names)
	}
	writes := slices.DeleteFunc(slices.Clone(names), func(n string) bool { v, _ := verbAndNoun(n); return isRead(v) })
	return cmp.Or(words.Suggest(name, writes), words.Suggest("Update"+noun, writes))
}

// verbAndNoun splits the name of an operation behind its first word.
func verbAndNoun(name string) (verb, noun string) {
	end := strings.IndexFunc(strings.TrimLeftFunc(name, unicode.IsUpper), unicode.IsUpper)
	if end < 0 {
		return name, ""
	}
	end += len(name) - len(strings.TrimLeftFunc(name, unicode.IsUpper))
	return name[:end], name[end:]
}

func isRead(verb string) bool { return verb == "Get" || verb == "List" }

// arguments are those of an operation.
type arguments struct{ expr.Tree }

func (*arguments) Schema() map[string]any { return map[string]any{"type": "object"} }

func (a *arguments) Read(d *syntax.Decoder, n *yaml.Node, what string) {
	if syntax.Resolve(n).Kind != yaml.MappingNode {
		d.Errorf(n, "%s is %s: want a mapping", what, syntax.Describe(n))
		return
	}
	a.Tree = d.Tree(n)
}

// errorCode is the code of an error of the cloud.
type errorCode string

func (*errorCode) Schema() map[string]any { return syntax.StringSchema }

func (c *errorCode) Read(d *syntax.Decoder, n *yaml.Node, what string) {
	d.ReadWord(n, what, (*string)(c), codeNames()...)
}

func codeNames() []string {
	var names []string
	for _, c := range simcloud.Codes() {
		names = append(names, string(c))
	}
	return names
}

func (a *cloudAction) run(ctx context.Context, st *Stage) error {
	args, err := a.Args.ExpandObject(st.Store.Snapshot())
	if err != nil {
		if a.tolerant && !IsMistake(st.lacking(err)) && expr.IsMissing(expr.AsMissing(err)) {
			return nil
		}
		return fmt.Errorf("the arguments of %s: %w", a.Operation, err)
	}
	answer, err := st.Cloud.Call(ctx, string(a.Operation), args)
	if err := a.judge(err); err != nil {
		return st.refusedByCloud(err, a.Args.Object)
	}
	if a.Capture == "" || err != nil {
		return nil
	}
	var value any
	if err := utiljson.Unmarshal(emptyAsNull(answer), &value); err != nil {
		return fmt.Errorf("the answer of %s: %w", a.Operation, err)
	}
	st.Store.Capture(string(a.Capture), value)
	delete(st.origins, string(a.Capture))
	st.answers[string(a.Capture)] = strings.HasPrefix(string(a.Operation), "Create") // what it has follows from the scenario alone
	return nil
}

// judge compares how the call ended with how it should have.
func (a *cloudAction) judge(err error) error {
	code := errorCode(simcloud.CodeOf(err))
	switch {
	case code == a.Fails, a.tolerant && code == errorCode(simcloud.NotFound):
		return nil
	case err != nil:
		return fmt.Errorf("%s: %w", a.Operation, err)
	default:
		return fmt.Errorf("%s succeeded: it should have failed with %s", a.Operation, a.Fails)
	}
}

func emptyAsNull(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage("null")
	}
	return raw
}
