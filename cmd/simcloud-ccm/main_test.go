package main

import (
	"os"
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
