package e2e

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
		cfg     Config
		refused string
	}{
		{Config{CCMMode: "", Subject: Subject{Path: text}}, ""},
		{Config{CCMMode: CCMProcess, Subject: Subject{Path: text}}, ""},
		{Config{CCMMode: CCMDaemonSet, Subject: Subject{Name: "none"}}, ""},
		{Config{CCMMode: "statefulset", Subject: Subject{Path: text, Args: flags}}, "is not one of: process, deployment, daemonset"},
		{Config{CCMMode: CCMDeployment, Subject: Subject{Path: text, Args: []string{"--x"}}}, "has arguments of its own"},
		{Config{CCMMode: CCMDeployment, Subject: Subject{Path: text, Args: flags}, Backend: planeOnly{}}, "the backend plane-only has none"},
	} {
		err := c.cfg.checkMode()
		if c.refused == "" && err != nil || c.refused != "" && (!errors.Is(err, simcloud.Invalid) || !strings.Contains(err.Error(), c.refused)) {
			t.Errorf("%+v: %v, want %q", c.cfg, err, c.refused)
		}
	}
	if err := checkStatic(text); !errors.Is(err, simcloud.Invalid) || !strings.Contains(err.Error(), "no program for Linux") {
		t.Errorf("a script: %v", err)
	}
}

// planeOnly is a backend that runs no images.
type planeOnly struct{ Backend }

func (planeOnly) Name() string               { return "plane-only" }
func (planeOnly) Capabilities() Capabilities { return Capabilities{} }
