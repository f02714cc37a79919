package step

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/simcloud-dev/simcloud/scenarios/expr"
	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"github.com/simcloud-dev/simcloud/scenarios/syntax"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// defaultExecTimeout is how long a command may run where a step does not say otherwise.
const defaultExecTimeout = 10 * time.Second

var execVerb = syntax.Verb{
	Name:     "exec",
	Doc:      "runs a command in a pod of the scenario's namespace, and captures or judges how it ended",
	Effect:   syntax.ReadOnly,
	Packets:  true,
	Examples: []string{`{pod: {app: web}, command: [/testserver, get, "http://${ip}"], within: 30s}`},
	New:      func() syntax.Action { return &execAction{Timeout: defaultExecTimeout} },
}

type execAction struct {
	Pod       podChoice       `yaml:"pod,required" doc:"its name, or labels: then it is the first pod by name that has them and runs"`
	Container expr.Template   `yaml:"container" doc:"the pod's first one, when it is not given"`
	Command   []expr.Template `yaml:"command,required" doc:"the program and its arguments" item:"a word of the command" empty:"want the program and its arguments"`
	Timeout   time.Duration   `yaml:"timeout" doc:"of the command; 10 s unless given"`
	attempt
}

func (a *execAction) Text() string {
	var words []string
	for _, word := range a.Command {
		words = append(words, word.Source())
	}
	return a.Pod.text + ": " + strings.Join(words, " ")
}

// CaptureType is the type of how a command ended.
func (*execAction) CaptureType() expr.Type { return expr.TypeOf(reflect.TypeFor[ExecResult]()) }

// ExecResult has the fields of how a command ended, as expressions see them.
type ExecResult struct {
	ExitCode int64  `json:"exitCode"`
	Stdout   string `json:"stdout"`
	Stderr   string `json:"stderr"`
	Pod      string `json:"pod"`
}

// podChoice is the name of a pod, or labels that it has.
type podChoice struct {
	name     expr.Template
	selector map[string]expr.Template
	text     string // as the file has it
}

func (*podChoice) Schema() map[string]any {
	return map[string]any{"oneOf": []any{syntax.StringSchema, syntax.LabelsSchema}}
}

func (p *podChoice) Read(d *syntax.Decoder, n *yaml.Node, what string) {
	n = syntax.Resolve(n)
	if n.Kind != yaml.MappingNode {
		p.text = n.Value
		d.TemplateText(n, what, &p.name)
		return
	}
	d.LabelTemplates(n, what, &p.selector)
	if len(n.Content) == 0 {
		d.Errorf(n, "%s is empty: want the name of a pod or at least one label", what)
	}
	var parts []string
	for _, key := range slices.Sorted(maps.Keys(p.selector)) {
		parts = append(parts, key+"="+p.selector[key].Source())
	}
	p.text = strings.Join(parts, ",")
}

// limit is the time that the step takes at least.
func (a *execAction) limit() time.Duration { return a.time + a.Timeout }

func (a *execAction) run(ctx context.Context, st *Stage) error {
	return a.attempt.run(ctx, st, func(ctx context.Context) outcome {
		command, err := a.expand(st.Store.Snapshot())
		if err != nil {
			return outcome{problem: err}
		}
		ctx, cancel := context.WithTimeoutCause(ctx, a.Timeout, fmt.Errorf("the command did not end within %s", a.Timeout))
		defer cancel()
		ended, err := st.Pods.Exec(ctx, command)
		if err != nil && ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		if err != nil {
			return outcome{problem: fmt.Errorf("run it in the pod %s: %w", command.Pod, err)}
		}
		return outcome{ended.value(command.Pod), ended.problem()}
	})
}

// expand says which command to run where, as things are now.
func (a *execAction) expand(s *observe.Snapshot) (command PodCommand, err error) {
	command.Namespace = s.Namespace
	if command.Pod, err = a.Pod.expand(s); err != nil {
		return command, err
	}
	if command.Container, err = a.Container.Expand(s); err != nil {
		return command, err
	}
	for _, word := range a.Command {
		text, err := word.Expand(s)
		if err != nil {
			return command, err
		}
		command.Command = append(command.Command, text)
	}
	return command, nil
}

// expand finds the first pod that has the labels, runs, and is not on its way out, unless it has a name.
func (p *podChoice) expand(s *observe.Snapshot) (string, error) {
	if p.selector == nil {
		return p.name.Expand(s)
	}
	want := map[string]string{}
	for key, value := range p.selector {
		text, err := value.Expand(s)
		if err != nil {
			return "", err
		}
		want[key] = text
	}
	pods := s.Objects["pods"]
	for _, name := range slices.Sorted(maps.Keys(pods)) {
		if runs(pods[name]) && hasLabels(pods[name], want) {
			return name, nil
		}
	}
	return "", simcloud.Errorf(simcloud.NotFound, "", "no pod with %s runs", p.text)
}

func runs(pod any) bool {
	return observe.Dig(pod, "status", "phase") == "Running" && observe.Dig(pod, "metadata", "deletionTimestamp") == nil
}

func hasLabels(object any, want map[string]string) bool {
	for key, value := range want {
		if observe.Dig(object, "metadata", "labels", key) != value {
			return false
		}
	}
	return true
}

// Pods is the access to what runs in pods.
type Pods interface {
	// Exec runs a command in a pod. A command that ends with another code than 0 is no error.
	Exec(ctx context.Context, command PodCommand) (PodResult, error)
}

// PodCommand is a command and the pod that it runs in.
type PodCommand struct {
	Namespace, Pod string
	// Container is empty for the pod's first one.
	Container string
	Command   []string
}

// PodResult is how a command ended.
type PodResult struct {
	ExitCode       int
	Stdout, Stderr string
}

// value is the result as expressions see it.
func (r PodResult) value(pod string) map[string]any {
	return map[string]any{"exitCode": int64(r.ExitCode), "stdout": r.Stdout, "stderr": r.Stderr, "pod": pod}
}

// problem says that the command failed; nil when it did not.
func (r PodResult) problem() error {
	if r.ExitCode == 0 {
		return nil
	}
	return fmt.Errorf("the command ended with %d: %s", r.ExitCode, strings.TrimSpace(r.Stderr))
}
