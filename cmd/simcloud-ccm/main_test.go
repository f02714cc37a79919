package main

import (
	"io"
	"os"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"simcloud-ccm": main})
}

func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{Dir: "testdata"})
}

func TestUnknownFlag(t *testing.T) {
	t.Parallel()
	if code := run([]string{"--clowd-config=x"}, os.Stdout, os.Stderr); code != exitFailed {
		t.Errorf("exit code %d, want %d", code, exitFailed)
	}
}

// TestMessagesAreText: what an error quotes reaches no terminal as it is, and begins no line.
func TestMessagesAreText(t *testing.T) { // not beside another one: all commands share the flags of this process
	var stderr strings.Builder
	if code := run([]string{"--\x1b[2J\u009b\nsimcloud-ccm: all passes"}, io.Discard, &stderr); code != exitFailed {
		t.Errorf("exit code %d, want %d", code, exitFailed)
	}
	if got := stderr.String(); !strings.Contains(got, `\x1b[2J\u009b`+"\n  simcloud-ccm: all passes") || strings.ContainsAny(got, "\x1b\u009b") {
		t.Errorf("it prints %q", got)
	}
}
