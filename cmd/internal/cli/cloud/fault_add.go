package cloud

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/connect"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
)

// faultFlags are the flags of "fault add". Their names are those of the
// fields of a rule, so that flags and files accept the same.
type faultFlags struct {
	file   string
	texts  map[string]*string // by the field's path
	effect string
	names  []string // of the flags that say what a rule is
	dryRun bool
}

func newFaultAddCommand(s *connect.Session) *cobra.Command {
	flags := faultFlags{texts: map[string]*string{}}
	cmd := &cobra.Command{
		Use: "add", Short: "Add a fault rule", Args: usage.NoArgs,
		Long: "Add a rule that makes calls fail: those that match, as often as the rule says, with one effect.\n" +
			"A file has rules as YAML or JSON, one or a list of them in each document.\n" +
			"\"simcloud fault explain\" shows the fields and the effects.",
		Example: "  simcloud fault add --name lost --operation CreateLoadBalancer --times 1 --effect 'reset: {when: after}'\n" +
			"  simcloud fault add --operation 'List*' --probability 0.1 --effect 'error: {code: unavailable, retryAfter: 1s}'\n" +
			"  simcloud fault add -f rules.yaml --dry-run",
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		rules, err := flags.rules(cmd)
		if err != nil {
			return exit.Usage(err)
		}
		if flags.dryRun {
			return printUnadded(cmd, s.Out, rules)
		}
		return s.Run(func(ctx context.Context, c *client.Client, out io.Writer, _ []string) error {
			return addFaults(ctx, c, out, s.Out, rules)
		})(cmd, args)
	}
	flags.add(cmd)
	cmd.Flags().BoolVar(&flags.dryRun, "dry-run", false, "rules that are checked, as the cloud does it, but not added; no cloud is needed")
	return cmd
}

func (f *faultFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	for _, flag := range []struct{ name, path, usage string }{
		{"name", "name", "name of the rule, which can be used in place of its id"},
		{"operation", "match.operation", "only these operations, such as 'Create*' or hcloud:add_target"},
		{"resource", "match.resource", "only calls about these resources, such as 'instance/i-*' or a name"},
		{"labels", "match.labels", "only calls about resources with these labels, such as app=web,tier!=db"},
		{"zone", "match.zone", "only calls about resources in this zone"},
		{"caller", "match.caller", "only calls by these programs or with this token, such as 'simcloud-ccm*'"},
		{"project", "match.project", "only calls by this project"},
		{"skip", "when.skip", "number of matching calls to skip first"},
		{"times", "when.times", "maximum number of calls to fire at"},
		{"every", "when.every", "interval in calls: the rule fires at every Nth"},
		{"probability", "when.probability", "probability that the rule fires at a call, such as 0.1"},
		{"after", "when.after", "delay of the begin, by the cloud's clock, such as 30s"},
		{"until", "when.until", "delay of the end, by the cloud's clock, such as 2m"},
		{"arm", "arm", "\"label\" for only those resources that have the label " + fault.Label + "=NAME"},
	} {
		f.texts[flag.path] = flags.String(flag.name, "", flag.usage)
		f.names = append(f.names, flag.name)
	}
	f.names = append(f.names, "effect")
	flags.StringVar(&f.effect, "effect", "", "effect on the call, as YAML, such as hang or 'error: {code: conflict}'")
	flags.StringVarP(&f.file, "file", "f", "", "file with rules, instead of the other flags; - is the standard input")
	_ = cmd.RegisterFlagCompletionFunc("operation", completeOperations) // the flag is there
}

func completeOperations(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var operations []string
	for _, e := range simcloud.Endpoints() {
		if strings.HasPrefix(e.Path, "/v1/") {
			operations = append(operations, e.Operation)
		}
	}
	operations = append(operations, fault.DialectOperations()...)
	return operations, cobra.ShellCompDirectiveNoFileComp
}

// rules returns the rules that the flags or their file say.
func (f *faultFlags) rules(cmd *cobra.Command) ([]fault.Rule, error) {
	if f.file != "" {
		for _, flag := range f.names {
			if usage.Given(cmd, flag) {
				return nil, fmt.Errorf("--file and --%s exclude each other: a file has all of each rule", flag)
			}
		}
	}
	switch {
	case f.file == "-":
		return readRules("standard input", cmd.InOrStdin())
	case f.file != "":
		file, err := os.Open(f.file)
		if err != nil {
			return nil, err
		}
		rules, err := readRules(f.file, file)
		return rules, errors.Join(err, file.Close())
	case f.effect == "":
		return nil, errors.New("no fault: give --effect, such as --effect 'error: {code: unavailable}', or --file")
	}
	rule, err := f.rule()
	if err != nil {
		return nil, err
	}
	return []fault.Rule{rule}, nil
}

// rule makes the rule that the flags say.
func (f *faultFlags) rule() (fault.Rule, error) {
	fields := map[string]any{}
	for path, text := range f.texts {
		if *text == "" {
			continue
		}
		group, field, nested := strings.Cut(path, ".")
		if !nested {
			fields[path] = *text
			continue
		}
		if fields[group] == nil {
			fields[group] = map[string]any{}
		}
		fields[group].(map[string]any)[field] = flagValue(path, *text)
	}
	effect, err := readYAML("--effect", strings.NewReader(f.effect))
	if err != nil {
		return fault.Rule{}, err
	}
	if len(effect) != 1 {
		return fault.Rule{}, fmt.Errorf("--effect %q is not one effect", f.effect)
	}
	var value any
	if err := effect[0].Decode(&value); err != nil {
		return fault.Rule{}, fmt.Errorf("--effect: %w", err)
	}
	fields["effect"] = value
	if name, alone := value.(string); alone { // "hang" is short for "hang: {}"
		fields["effect"] = map[string]any{name: map[string]any{}}
	}
	raw, err := json.Marshal(fields)
	if err != nil {
		return fault.Rule{}, err
	}
	return fault.Parse(raw)
}

// flagValue is the number that a field needs, or the text.
func flagValue(path, text string) any {
	switch path {
	case "when.skip", "when.times", "when.every", "when.probability":
		var number json.Number
		if json.Unmarshal([]byte(text), &number) == nil {
			return number
		}
	}
	return text
}

func addFaults(ctx context.Context, c *client.Client, out io.Writer, f output.Format, rules []fault.Rule) error {
	var added []fault.Rule
	for _, rule := range rules {
		rule, err := c.AddFault(ctx, rule)
		if err != nil {
			return errors.Join(err, printFaults(ctx, c, out, f, added, len(rules)))
		}
		added = append(added, rule)
	}
	return printFaults(ctx, c, out, f, added, len(rules))
}

// printUnadded shows rules that could be added.
func printUnadded(cmd *cobra.Command, f output.Format, rules []fault.Rule) error {
	out := cmd.OutOrStdout()
	if !f.IsDocument() {
		rows := make([]faultRow, 0, len(rules))
		for _, rule := range rules {
			rows = append(rows, faultRow{Rule: rule})
		}
		columns := slices.DeleteFunc(slices.Clone(faultTable), func(c output.Column[faultRow]) bool {
			return slices.Contains([]string{"ID", "CALLS", "HITS", "STATE", "ADDED"}, c.Name)
		})
		if err := columns.List(out, f, rows); err != nil {
			return err
		}
		return output.PrintLine(cmd.ErrOrStderr(), "Dry run: nothing was added.")
	}
	var all []any
	for _, rule := range rules {
		value, err := asWritten(rule)
		if err != nil {
			return err
		}
		all = append(all, value)
	}
	return output.Documents(out, f, all, len(rules))
}
