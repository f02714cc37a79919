package step

import (
	"context"
	"fmt"
	"maps"
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
	Name:    "exec",
	Doc:     "runs a command in a pod of the scenario's namespace, and captures or judges how it ended",
	Packets: true,
	Schema: syntax.ObjectSchema([]string{"pod", "command"}, attemptSchema(map[string]any{
		"pod":       map[string]any{"oneOf": []any{syntax.StringSchema, syntax.LabelsSchema}, "description": "its name, or labels: then it is the first pod by name that has them and runs"},
		"container": map[string]any{"type": "string", "description": "the pod's first one, when it is not given"},
		"command":   map[string]any{"type": "array", "minItems": 1, "items": syntax.StringSchema},
		"timeout":   syntax.DurationSchema,
	})),
	Parse: parseExec,
}

type execAction struct {
	attempt
	pod       expr.Template
	selector  map[string]expr.Template
	container expr.Template
	command   []expr.Template
	timeout   time.Duration
	where     string // the pod, as the file has it
}

func parseExec(d *syntax.Decoder) syntax.Parsed {
	a := &execAction{timeout: defaultExecTimeout}
	return syntax.Parsed{
		Action: a,
		Decode: func(n *yaml.Node) {
			d.Object(n, "exec", append([]syntax.Field{
				{Name: "pod", Required: true, Decode: func(n *yaml.Node) { readExecPod(d, n, a) }},
				{Name: "container", Required: false, Decode: func(n *yaml.Node) { d.TemplateText(n, "container", &a.container) }},
				{Name: "command", Required: true, Decode: func(n *yaml.Node) { readCommand(d, n, a) }},
				{Name: "timeout", Required: false, Decode: d.Duration("timeout", &a.timeout)},
			}, attemptFields(d, &a.attempt)...)...)
			finishAttempt(d, &a.attempt)
		},
		Text: func() string { return a.where + ": " + a.commandText() },
	}
}

// readExecPod reads the name of a pod, or labels that it has.
func readExecPod(d *syntax.Decoder, n *yaml.Node, a *execAction) {
	n = syntax.Resolve(n)
	if n.Kind != yaml.MappingNode {
		a.where = n.Value
		d.TemplateText(n, "pod", &a.pod)
		return
	}
	var labels map[string]string
	d.Labels("pod", &labels)(n)
	if len(n.Content) == 0 {
		d.Errorf(n, "pod is empty: the name of a pod or at least one label is right")
	}
	a.selector = map[string]expr.Template{}
	var parts []string
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		a.selector[key] = d.Template(n, labels[key])
		parts = append(parts, key+"="+labels[key])
	}
	a.where = strings.Join(parts, ",")
}

func readCommand(d *syntax.Decoder, n *yaml.Node, a *execAction) {
	d.List(n, "command", func(n *yaml.Node) {
		var word expr.Template
		d.TemplateText(n, "a word of the command", &word)
		a.command = append(a.command, word)
	})
	if len(a.command) == 0 && syntax.Resolve(n).Kind == yaml.SequenceNode {
		d.Errorf(n, "command is an empty list: the program and its arguments are right")
	}
}

func (a *execAction) commandText() string {
	var words []string
	for _, word := range a.command {
		words = append(words, word.Source())
	}
	return strings.Join(words, " ")
}

// limit is the time that the step takes at least.
func (a *execAction) limit() time.Duration { return a.time + a.timeout }

func (a *execAction) run(ctx context.Context, st *Stage) error {
	return a.attempt.run(ctx, st, func(ctx context.Context) outcome {
		command, err := a.expand(st.Store.Snapshot())
		if err != nil {
			return outcome{problem: err}
		}
		ctx, cancel := context.WithTimeoutCause(ctx, a.timeout, fmt.Errorf("the command did not end within %s", a.timeout))
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
	if a.selector == nil {
		command.Pod, err = a.pod.Expand(s)
	} else {
		command.Pod, err = a.find(s)
	}
	if err != nil {
		return command, err
	}
	if command.Container, err = a.container.Expand(s); err != nil {
		return command, err
	}
	for _, word := range a.command {
		text, err := word.Expand(s)
		if err != nil {
			return command, err
		}
		command.Command = append(command.Command, text)
	}
	return command, nil
}

// find returns the first pod that has the labels, runs, and is not on its way out.
func (a *execAction) find(s *observe.Snapshot) (string, error) {
	want := map[string]string{}
	for key, value := range a.selector {
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
	return "", simcloud.Errorf(simcloud.NotFound, "", "no pod with %s runs", a.where)
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
