package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/conformance"
	scenariorun "github.com/simcloud-dev/simcloud/scenarios/run"
	"github.com/simcloud-dev/simcloud/scenarios/syntax"
	"github.com/simcloud-dev/simcloud/scenarios/words"
)

func newLintCommand() *cobra.Command {
	var schema, watch bool
	cmd := &cobra.Command{
		Use:   "lint PATH...",
		Short: "Check scenario files without running them",
		Long: `Check scenario files, and all in folders, without running them: every mistake
is named with its file, line and column. Expressions and arguments are checked by
the types of the cloud's API and of Kubernetes. --watch checks again whenever a file
changes, until Ctrl-C. --schema prints the JSON schema of scenario files, for editors.`,
		Example: `  simcloud lint my-scenarios/
  simcloud lint --schema > scenario.schema.json`,
		ValidArgsFunction: completeYAML,
		RunE: func(cmd *cobra.Command, paths []string) error {
			switch {
			case schema:
				_, err := cmd.OutOrStdout().Write(scenarios.SchemaJSON())
				return err
			case len(paths) == 0:
				return exit.Usage(fmt.Errorf("lint needs a file or folder with scenarios"))
			case watch:
				return watchLint(cmd.Context(), cmd.OutOrStdout(), paths)
			default:
				return lint(cmd.Context(), cmd.OutOrStdout(), paths)
			}
		},
	}
	cmd.Flags().BoolVar(&schema, "schema", false, "JSON schema of scenario files, in place of a check")
	cmd.Flags().BoolVarP(&watch, "watch", "w", false, "another check whenever a file changes")
	return cmd
}

// lint prints what is in order, or returns all mistakes.
func lint(ctx context.Context, w io.Writer, paths []string) error {
	all, err := scenariorun.Load(ctx, paths...)
	if err == nil {
		err = unknownClauses(all).AsError()
	}
	if err != nil {
		return unread(ctx, err)
	}
	for _, s := range all {
		output.Printer(w)(fmt.Sprintf("%s: ok (%s)", s.Position.File, s.Name))
	}
	return nil
}

// unknownClauses reports labels that stand for no clause of the conformance suite: such a scenario would be of none.
func unknownClauses(all []*scenarios.Scenario) (wrong scenarios.LoadError) {
	known := conformance.ClauseIDs()
	for _, s := range all {
		clause, labelled := s.Labels["clause"]
		if !labelled || slices.Contains(known, clause) {
			continue
		}
		at := s.Position
		if n := clauseLabel(s.Source); n != nil {
			at.Line, at.Column = n.Line, n.Column
		}
		wrong = append(wrong, &scenarios.SyntaxError{Position: at, Message: fmt.Sprintf("the conformance suite has no clause %q%s", clause, words.Suggest(clause, known))})
	}
	return wrong
}

func clauseLabel(n *yaml.Node) *yaml.Node {
	for _, key := range []string{"metadata", "labels", "clause"} {
		if n = syntax.ChildOf(n, key); n == nil {
			return nil
		}
	}
	return n
}

// watchLint checks now and whenever a file below the paths changes, until ctx ends.
func watchLint(ctx context.Context, w io.Writer, paths []string) error {
	say := output.Printer(w)
	return watchFiles(ctx, paths, func() {
		text := &strings.Builder{}
		if err := lint(ctx, text, paths); err != nil {
			say(err.Error())
			return
		}
		say(strings.TrimSuffix(text.String(), "\n"))
	})
}
