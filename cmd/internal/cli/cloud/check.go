package cloud

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
	"github.com/simcloud-dev/simcloud/simcloud/core"
)

// checked is what there is to say of a data file.
type checked struct {
	File     string   `json:"file"`
	OK       bool     `json:"ok"`
	Problems []string `json:"problems"`
	// Unusable says why there was nothing to look at. It is between processes alone.
	Unusable string `json:"unusable,omitempty"`
}

func newCheckCommand() *cobra.Command {
	var f output.Format
	cmd := &cobra.Command{
		Use:   "check FILE",
		Short: "Check the data file of a cloud that is not running",
		Long: `Read the whole data file of a cloud and print what is wrong with it, a line
each: pages, indices, references, addresses, operations. The file is not changed.
The exit code is 0 when it is fine, 1 when it is not, and 2 when it cannot be
looked at: it is not there, a cloud uses it, or a newer simcloud has written it.`,
		Example: `  simcloud check cloud.db
  simcloud check cloud.db -o json`,
		Args: usage.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return check(cmd.Context(), cmd.OutOrStdout(), f, args[0])
		},
	}
	f.AddFlag(cmd)
	return cmd
}

// envReadsFile marks the process that reads the file for another one.
const envReadsFile = "SIMCLOUD_CHECK_READS_FILE"

func check(ctx context.Context, out io.Writer, f output.Format, file string) error {
	if os.Getenv(envReadsFile) != "" {
		return json.NewEncoder(out).Encode(readFile(ctx, file))
	}
	result, err := checkApart(ctx, file)
	switch {
	case err != nil:
		return err
	case result.Unusable != "":
		return exit.Usage(errors.New(result.Unusable))
	}
	if err := result.print(out, f); err != nil || result.OK {
		return err
	}
	return fmt.Errorf("%s has problems (%d): restore a copy", file, len(result.Problems))
}

// readFile checks the file in this process.
func readFile(ctx context.Context, file string) checked {
	problems, err := core.CheckFile(ctx, file)
	if err != nil {
		return checked{Unusable: err.Error()}
	}
	result := checked{File: file, OK: len(problems) == 0, Problems: []string{}}
	for _, problem := range problems {
		result.Problems = append(result.Problems, problem.Error())
	}
	return result
}

// checkApart checks the file in a process of its own: pages of a damaged file
// can lead to where there is no memory, which nothing in a Go process survives.
func checkApart(ctx context.Context, file string) (checked, error) {
	program, err := os.Executable()
	if err != nil {
		return checked{}, exit.Environment(err)
	}
	reader := exec.CommandContext(ctx, program, "check", "--", file)
	reader.Args[0] = "simcloud"
	reader.SysProcAttr = endsWithParent()
	reader.Env = append(os.Environ(), envReadsFile+"=1")
	var said, complained bytes.Buffer
	reader.Stdout, reader.Stderr = &said, &complained
	ended := reader.Run()
	var result checked
	switch err := json.Unmarshal(said.Bytes(), &result); {
	case err == nil:
		return result, nil
	case ctx.Err() != nil:
		return result, context.Cause(ctx)
	}
	why, _, _ := strings.Cut(complained.String(), "\n")
	return checked{File: file, Problems: []string{
		fmt.Sprintf("%s: it is damaged beyond reading: %v: %s", file, ended, why),
	}}, nil
}

func (c checked) print(out io.Writer, f output.Format) error {
	if f.IsDocument() {
		return output.Document(out, f, c)
	}
	if c.OK {
		return output.PrintLine(out, c.File+" is fine")
	}
	for _, problem := range c.Problems {
		if err := output.PrintLine(out, problem); err != nil {
			return err
		}
	}
	return nil
}
