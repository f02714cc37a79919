package manager

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// TestModesThatCannotBe: what is wrong is said before anything starts.
func TestModesThatCannotBe(t *testing.T) {
	t.Parallel()
	text := filepath.Join(t.TempDir(), "ccm")
	if err := os.WriteFile(text, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	flags := []string{phFlags}
	for _, c := range []struct {
		place   Place
		spec    CCMSpec
		refused string
	}{
		{Place{Mode: ""}, CCMSpec{Path: text}, ""},
		{Place{Mode: Process}, CCMSpec{Path: text}, ""},
		{Place{Mode: DaemonSet}, CCMSpec{Name: "none"}, ""},
		{Place{Mode: "statefulset"}, CCMSpec{Path: text, Args: flags}, "must be one of process, deployment, daemonset"},
		{Place{Mode: Deployment}, CCMSpec{Path: text, Args: []string{"--x"}}, "has arguments of its own"},
		{Place{Mode: Deployment, Backend: "plane-only"}, CCMSpec{Path: text, Args: flags}, "the backend plane-only has none"},
	} {
		err := c.place.Check(c.spec)
		if c.refused == "" && err != nil || c.refused != "" && (!errors.Is(err, simcloud.Invalid) || !strings.Contains(err.Error(), c.refused)) {
			t.Errorf("%+v, %+v: %v, want %q", c.place, c.spec, err, c.refused)
		}
	}
	if err := checkStatic(text); !errors.Is(err, simcloud.Invalid) || !strings.Contains(err.Error(), "not a program for Linux") {
		t.Errorf("a script: %v", err)
	}
}
