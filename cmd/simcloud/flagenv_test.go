package main

import (
	"bytes"
	"os"
	"testing"
)

// TestOutputVariable: SIMCLOUD_OUTPUT is for the commands that print resources, and for no format it does not know.
func TestOutputVariable(t *testing.T) {
	t.Setenv("SIMCLOUD_OUTPUT", "yaml")
	for name, want := range map[string]string{"status": "yaml", "env": "shell"} {
		cmd, _, err := newRootCommand(stdio{os.Stdin, &bytes.Buffer{}, &bytes.Buffer{}}).Find([]string{name})
		if err == nil {
			err = setFlagsFromEnv(cmd)
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := cmd.Flags().Lookup("output").Value.String(); got != want {
			t.Errorf("%s: output %q, want %q", name, got, want)
		}
	}
}
