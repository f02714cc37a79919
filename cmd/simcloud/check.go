package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/simcloud/core"
)

// checked is what there is to say of a data file.
type checked struct {
	File     string   `json:"file"`
	OK       bool     `json:"ok"`
	Problems []string `json:"problems"`
}

func newCheckCommand() *cobra.Command {
	var f format
	cmd := &cobra.Command{
		Use:   "check FILE",
		Short: "Check the data file of a cloud that is not running",
		Long: `Read the whole data file of a cloud and print what is wrong with it, a line
each: pages, indices, references, addresses, operations. The file is not changed.
The exit code is 0 when it is fine, 1 when it is not, and 2 when it cannot be
looked at: it is not there, a cloud uses it, or a newer simcloud has written it.`,
		Example: `  simcloud check cloud.db
  simcloud check cloud.db -o json`,
		Args: exactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return check(cmd.Context(), cmd.OutOrStdout(), f, args[0])
		},
	}
	f.addFlag(cmd)
	return cmd
}

func check(ctx context.Context, out io.Writer, f format, file string) error {
	problems, err := core.CheckFile(ctx, file)
	if err != nil {
		return usageError(err)
	}
	result := checked{File: file, OK: len(problems) == 0, Problems: []string{}}
	for _, problem := range problems {
		result.Problems = append(result.Problems, problem.Error())
	}
	if err := result.print(out, f); err != nil || result.OK {
		return err
	}
	return fmt.Errorf("%s has problems (%d): restore a copy", file, len(problems))
}

func (c checked) print(out io.Writer, f format) error {
	if f == formatJSON || f == formatYAML {
		return document(out, f, c)
	}
	if c.OK {
		_, err := fmt.Fprintf(out, "%s is fine\n", c.File)
		return err
	}
	for _, problem := range c.Problems {
		if _, err := fmt.Fprintln(out, problem); err != nil {
			return err
		}
	}
	return nil
}
