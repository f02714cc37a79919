package kind

import (
	"regexp"
	"strings"

	"sigs.k8s.io/kind/pkg/exec"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/escape"
)

// outputOf returns what the command wrote whose failure an error of kind is about.
func outputOf(err error) string {
	if failed := exec.RunErrorForError(err); failed != nil {
		return string(failed.Output)
	}
	return ""
}

// commandOf returns that command.
func commandOf(err error) []string {
	if failed := exec.RunErrorForError(err); failed != nil {
		return failed.Command
	}
	return nil
}

// explain adds to an error of kind the last lines of the failed command's output: kind's error has its exit
// status alone. The error must be as kind returned it: kind does not find a command's error behind errors.Join.
func explain(err error) error {
	said := reason(outputOf(err))
	if said == "" {
		return err
	}
	return simcloud.Errorf(simcloud.Unavailable, "backend/kind", "%w; its output ends with:\n%s", err, said)
}

// mostReasonLines bounds how many lines of output an error has. What kubeadm advises
// when the control plane does not become healthy has some ten lines, before the error.
const mostReasonLines = 20

// reason returns the last lines of an output that say why the command failed, safe to show. Kind has kubeadm
// log much at the level of information, and write the Go stack of each error: both are left out.
func reason(output string) string {
	var lines []string
	for line := range strings.Lines(output) {
		line = strings.TrimRight(line, " \t\r\n")
		switch {
		case codeLine.MatchString(line):
			lines = lines[:max(0, len(lines)-1)] // the line before names the function
		case line != "" && !infoLine.MatchString(line):
			lines = append(lines, escape.Block(line))
		}
	}
	return strings.Join(lines[max(0, len(lines)-mostReasonLines):], "\n")
}

var (
	codeLine = regexp.MustCompile(`^\s+\S+\.(go|s):\d+( \+0x[0-9a-f]+)?$`) // the second line of a frame of a Go stack
	infoLine = regexp.MustCompile(`^I\d{4} \d\d:\d\d:\d\d\.\d+ `)          // what klog writes at the level of information
)
