package cli

import (
	"context"
	"errors"
	"fmt"
	stdio "io"
	"os"
	"sync"

	"golang.org/x/term"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/scenarios"
	reports "github.com/simcloud-dev/simcloud/scenarios/report"
)

// The values of --format and --output of the commands that run scenarios.
const (
	formatText   = "text"
	formatGitHub = "github"
	outputJSON   = "json"
)

// envWorkspace is where GitHub Actions has the repository.
const envWorkspace = "GITHUB_WORKSPACE"

// teller tells how a run goes: to people, and with --output json to a program.
type teller struct {
	people   stdio.Writer
	github   bool
	reporter reports.Reporter
	events   *reports.Events // nil without --output json
	quiet    func()          // ends the lines that change
}

// newTeller tells people on the standard output, or on that of errors where the standard output has events.
func newTeller(io output.Streams, o testOptions, slots int) teller {
	t := teller{people: io.Out, github: o.format == formatGitHub}
	if o.output == outputJSON {
		t.people = io.Err
	}
	t.reporter, t.quiet = newReporter(t.people, o, slots)
	if o.output == outputJSON {
		t.events = reports.NewEvents(io.Out, t.reporter)
		t.reporter = t.events
	}
	return t
}

// newReporter shows what runs in lines that change when that is possible. The function ends it.
func newReporter(people stdio.Writer, o testOptions, slots int) (reports.Reporter, func()) {
	if o.format == formatGitHub {
		return reports.NewGitHub(people), func() {}
	}
	if file, ok := people.(*os.File); ok && !o.verbose && term.IsTerminal(int(file.Fd())) {
		terminal := reports.NewTerminal(output.Verdicts(file), slots, func() int {
			width, _, err := term.GetSize(int(file.Fd()))
			if err != nil {
				return 0
			}
			return width
		})
		return terminal, sync.OnceFunc(terminal.Close)
	}
	return reports.NewLines(output.Verdicts(people), o.verbose), func() {}
}

// begin tells programs that a run of so many scenarios begins.
func (t teller) begin(r scenarios.Report, total int) {
	if t.events != nil {
		t.events.Start(r, total)
	}
}

// end tells how a run went: the text to people, with annotations for GitHub, and the error that it ends with to programs.
func (t teller) end(r scenarios.Report, text string, err error) error {
	t.quiet()
	fmt.Fprint(t.people, text)
	if t.github {
		fmt.Fprint(t.people, reports.Annotations(r, os.Getenv(envWorkspace)))
	}
	if t.events == nil {
		return err
	}
	why := err
	if errors.Is(err, context.Canceled) {
		why = errors.New("interrupted")
	}
	if failed := t.events.End(r, why); failed != nil && err == nil {
		return exit.Environment(failed)
	}
	return err
}
