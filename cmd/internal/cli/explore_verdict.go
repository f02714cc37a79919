package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/explore"
	"github.com/simcloud-dev/simcloud/scenarios/words"
	"github.com/simcloud-dev/simcloud/simcloud/escape"
)

// verdict writes what was found, and turns it into the error that the command ends with.
func (o exploreOptions) verdict(ctx context.Context, io output.Streams, report explore.Report, err error) error {
	o.sumUp(io, report)
	for _, v := range slices.Concat(report.Unstable, report.Unconfirmed) {
		path, err := o.write(v)
		if err != nil {
			return err
		}
		fmt.Fprintf(io.Out, "%s: %s\n  %s", o.doubt(v), path, escape.Block(v.Failure.String()))
	}
	if v := report.Violation; v != nil {
		path, err := o.write(v)
		if err != nil {
			return err
		}
		fmt.Fprintf(io.Out, "history %d%s showed it after %s; shrunk from %d steps to %d by %d reruns, after %s%s\n\n%s\n",
			v.History, origin(v), spent(v.Found), v.FoundSteps, v.Steps, v.Reruns, spent(v.Shrunk), confirmed(v), escape.Block(v.Failure.String()))
		fmt.Fprintf(io.Out, "it is written to %s; to see it again:\n  %s\n", path, o.test.command(path))
		return &exit.Error{Code: exit.CodeFailed, Err: errors.New("the cloud controller manager breaks a promise")}
	}
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return exit.Environment(err)
	}
	return nil
}

// sumUp says how much was explored, what the corpus has got, and what was seen that is known.
func (o exploreOptions) sumUp(io output.Streams, report explore.Report) {
	noun := "histories"
	if report.Histories == 1 {
		noun = "history"
	}
	fmt.Fprintf(io.Out, "\n%d %s in %s, seed %d\n", report.Histories, noun, spent(report.Seconds), o.test.seed)
	if o.corpus != "" {
		fmt.Fprintf(io.Out, "%s seen; the corpus %s has %d more\n", words.Plural(report.Features, "feature"), o.corpus, report.Kept)
	}
	for _, name := range slices.Sorted(maps.Keys(report.Known)) {
		fmt.Fprintf(io.Out, "known: %s was seen again, %s\n", name, words.Times(report.Known[name]))
	}
}

// origin says of a history that does not follow from the seed where it is from.
func origin(v *explore.Violation) string {
	if v.Bred {
		return ", made of the corpus,"
	}
	return ""
}

// confirmed says that a violation was seen outside of simulated time, too.
func confirmed(v *explore.Violation) string {
	if v.Confirmation == explore.Confirmed {
		return "; confirmed outside of simulated time"
	}
	return ""
}

// doubt says why a violation is not one to rely on.
func (o exploreOptions) doubt(v *explore.Violation) string {
	switch {
	case v.Confirmation == explore.SimulatedOnly:
		return fmt.Sprintf("history %d of seed %d: %s", v.History, o.test.seed, v.Confirmation)
	case v.Interrupted:
		return fmt.Sprintf("history %d of seed %d: seen once, and not run again", v.History, o.test.seed)
	default:
		return fmt.Sprintf("history %d of seed %d: a race, which %d reruns did not show", v.History, o.test.seed, v.Reruns)
	}
}

func spent(s float64) time.Duration {
	return time.Duration(s * float64(time.Second)).Round(100 * time.Millisecond)
}

func (o exploreOptions) write(v *explore.Violation) (string, error) {
	path := filepath.Join(o.out, v.Name+".yaml")
	if err := scenarios.WriteFile(path, v.Text); err != nil {
		return "", exit.Environment(fmt.Errorf("write the scenario: %w", err))
	}
	return path, nil
}
