package cloud

import (
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/connect"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/scenarios/words"
	"github.com/simcloud-dev/simcloud/simcloud/escape"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
	"github.com/simcloud-dev/simcloud/simcloud/openapi"
	"github.com/simcloud-dev/simcloud/simcloud/spelling"
)

// explained is what a rule can say in one of its parts, or with one of the effects.
type explained struct {
	Name string `json:"name"`
	openapi.Described
	// Operations are those that can have the effect.
	Operations string `json:"operations,omitempty"`
	// Example is a rule with the effect.
	Example any `json:"example,omitempty"`
}

func newFaultExplainCommand(s *connect.Session) *cobra.Command {
	return &cobra.Command{
		Use: "explain [NAME]", Short: "Show the effects that a fault rule can have, and its fields", Args: cobra.MaximumNArgs(1),
		Long: `Show the effects that a fault rule can have, and its fields. NAME is an effect,
such as delay, or a part of a rule: match or when. Without a name it lists all.
No cloud is needed.`,
		Example:           "  simcloud fault explain\n  simcloud fault explain delay\n  simcloud fault explain match -o json",
		ValidArgsFunction: cobra.FixedCompletions(append(slices.Clone(ruleParts), fault.Effects()...), cobra.ShellCompDirectiveNoFileComp),
		RunE: func(cmd *cobra.Command, args []string) error {
			out := cmd.OutOrStdout()
			if len(args) == 0 {
				return listExplained(out, s.Out)
			}
			e, err := explain(args[0])
			switch {
			case err != nil:
				return exit.Usage(err)
			case s.Out == output.FormatName:
				return output.PrintLine(out, e.Name)
			case s.Out.IsDocument():
				return output.Document(out, s.Out, e)
			}
			return e.print(out)
		},
	}
}

// ruleParts are the parts of a rule that have fields of their own, besides the effect.
var ruleParts = []string{"match", "when"}

// explain explains a part of a rule, or an effect.
func explain(name string) (explained, error) {
	switch name {
	case "match":
		return describe(name, reflect.TypeFor[fault.Match]())
	case "when":
		return describe(name, reflect.TypeFor[fault.When]())
	}
	rule, operations, ok := fault.Example(name)
	if !ok {
		known := append(slices.Clone(ruleParts), fault.Effects()...)
		advice := " (have " + strings.Join(known, ", ") + ")"
		if near := spelling.Nearest(name, known); near != "" {
			advice = ": did you mean " + near + "?"
		}
		return explained{}, fmt.Errorf("effect %q not found%s", name, advice)
	}
	e, err := describe(name, effectType(name))
	if err != nil {
		return explained{}, err
	}
	e.Operations = operations
	e.Example, err = asWritten(rule)
	return e, err
}

func describe(name string, t reflect.Type) (explained, error) {
	described, err := openapi.Describe(t)
	return explained{Name: name, Described: described}, err
}

// effectType is the type of an effect.
func effectType(name string) reflect.Type {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[fault.Effect]()) {
		if field, _, _ := strings.Cut(f.Tag.Get("json"), ","); field == name {
			return f.Type.Elem()
		}
	}
	return reflect.TypeFor[fault.Effect]()
}

// listExplained lists the fields of a rule, and the effects.
func listExplained(w io.Writer, f output.Format) error {
	rule, err := describe("rule", reflect.TypeFor[fault.Rule]())
	if err != nil {
		return err
	}
	all := []explained{rule}
	for _, name := range append(slices.Clone(ruleParts), fault.Effects()...) {
		e, err := explain(name)
		if err != nil {
			return err
		}
		all = append(all, e)
	}
	switch {
	case f.IsDocument():
		return output.Document(w, f, all)
	case f == output.FormatName:
		_, err := fmt.Fprintln(w, strings.Join(fault.Effects(), "\n"))
		return err
	}
	tabs := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tabs, "FIELD\tTYPE\tWHAT IT IS")
	for _, part := range all[:1+len(ruleParts)] {
		for _, field := range part.Fields {
			if part.Name == "rule" && !givenByUsers(field.Name) {
				continue
			}
			fmt.Fprintf(tabs, "%s\t%s\t%s\n", pathIn(part.Name, field.Name), field.Type, firstSentence(field.Doc))
		}
	}
	fmt.Fprintln(tabs, "\nEFFECT\tWHAT IT DOES")
	for _, e := range all[1+len(ruleParts):] {
		fmt.Fprintf(tabs, "%s\t%s\n", e.Name, firstSentence(e.Doc))
	}
	return tabs.Flush()
}

// givenByUsers reports whether a field of a rule is written in a file, and is explained here rather than by its own parts.
func givenByUsers(field string) bool {
	return !slices.Contains(cloudFields, field) && field != "effect" && !slices.Contains(ruleParts, field)
}

func pathIn(part, field string) string {
	if part == "rule" {
		return field
	}
	return part + "." + field
}

// firstSentence is the beginning of a text, for a line of a list.
func firstSentence(text string) string {
	first, _, _ := strings.Cut(text, ". ")
	first, _, _ = strings.Cut(first, ": ")
	return strings.TrimSuffix(first, ".")
}

// print prints what there is to know, as lines that a terminal holds.
func (e explained) print(w io.Writer) error {
	var b strings.Builder
	b.WriteString(e.Name + "\n" + words.Indented(words.Wrapped(e.Doc), "  "))
	if e.Operations != "" {
		b.WriteString("\nOPERATIONS\n  " + e.Operations + "\n")
	}
	for i, f := range e.Fields {
		if i == 0 {
			b.WriteString("\nFIELDS\n")
		}
		need := ""
		if f.Required {
			need = ", required"
		}
		b.WriteString("  " + f.Name + "  " + f.Type + need + "\n")
		if f.Doc != "" {
			b.WriteString(words.Indented(words.Wrapped(f.Doc), "      "))
		}
		b.WriteString(valueLines(f.Values))
	}
	if e.Example != nil {
		example, err := escape.YAML(e.Example)
		if err != nil {
			return err
		}
		b.WriteString("\nEXAMPLE, for simcloud fault add -f FILE\n" + words.Indented(strings.Split(strings.TrimSpace(string(example)), "\n"), "  "))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// valueLines has a line for each text that a field can be.
func valueLines(values []openapi.Value) string {
	width := 0
	for _, v := range values {
		width = max(width, len(v.Value))
	}
	var b strings.Builder
	for _, v := range values {
		b.WriteString(strings.TrimRight(fmt.Sprintf("        %-*s  %s", width, v.Value, v.Doc), " ") + "\n")
	}
	return b.String()
}
