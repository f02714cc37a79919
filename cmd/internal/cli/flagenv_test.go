package cli

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
)

// TestOutputVariable: SIMCLOUD_OUTPUT is for the commands that know the format; others keep theirs. What no command
// knows is a mistake.
func TestOutputVariable(t *testing.T) {
	const refused = "refused"
	commands := []string{"instance list", "status", "env", "test", "conformance"}
	for value, want := range map[string][]string{
		"yaml":               {"yaml", "yaml", "shell", "text", "text"},
		"wide":               {"wide", "table", "shell", "text", "text"},
		"json":               {"json", "json", "shell", "json", "json"},
		"text":               {"table", "table", "shell", "text", "text"},
		"jsonpath={.id}":     {"jsonpath={.id}", "table", "shell", "text", "text"},
		"jsn":                {refused, refused, "shell", refused, refused},
		"custom-columns=a:{": {refused, refused, "shell", refused, refused},
	} {
		t.Setenv("SIMCLOUD_OUTPUT", value)
		for i, name := range commands {
			cmd, _, err := newRootCommand(output.Streams{In: os.Stdin, Out: &bytes.Buffer{}, Err: &bytes.Buffer{}}).Find(strings.Fields(name))
			if err == nil {
				err = cmd.ParseFlags(nil)
			}
			if err != nil {
				t.Fatal(err)
			}
			got := refused
			if usage.SetFlagsFromEnv(cmd) == nil {
				got = cmd.Flags().Lookup("output").Value.String()
			}
			if got != want[i] {
				t.Errorf("SIMCLOUD_OUTPUT=%s simcloud %s: output %q, want %q", value, name, got, want[i])
			}
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
