package cli

import (
	"bytes"
	"os"
	"testing"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
)

// TestOutputVariable: SIMCLOUD_OUTPUT is for the commands that print resources, and for no format it does not know.
func TestOutputVariable(t *testing.T) {
	t.Setenv("SIMCLOUD_OUTPUT", "yaml")
	for name, want := range map[string]string{"status": "yaml", "env": "shell"} {
		cmd, _, err := newRootCommand(output.Streams{In: os.Stdin, Out: &bytes.Buffer{}, Err: &bytes.Buffer{}}).Find([]string{name})
		if err == nil {
			err = usage.SetFlagsFromEnv(cmd)
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := cmd.Flags().Lookup("output").Value.String(); got != want {
			t.Errorf("%s: output %q, want %q", name, got, want)
		}
	}
}

// TestConfirmationIsWritten: a confirmation is no setting.
func TestConfirmationIsWritten(t *testing.T) {
	t.Setenv("SIMCLOUD_CONTEXT", "lab")
	t.Setenv("SIMCLOUD_CONFIRM_CONTEXT", "lab")
	for _, name := range []string{"test", "up"} {
		cmd, _, err := newRootCommand(output.Streams{In: os.Stdin, Out: &bytes.Buffer{}, Err: &bytes.Buffer{}}).Find([]string{name})
		if err == nil {
			err = usage.SetFlagsFromEnv(cmd)
		}
		if err != nil {
			t.Fatal(err)
		}
		flags := cmd.Flags()
		if context, confirmed := flags.Lookup("context").Value.String(), flags.Lookup("confirm-context").Value.String(); context != "lab" || confirmed != "" {
			t.Errorf("%s: --context %q --confirm-context %q, want lab and nothing", name, context, confirmed)
		}
	}
}
