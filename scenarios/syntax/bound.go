package syntax

import (
	"context"

	"go.yaml.in/yaml/v3"

	"github.com/simcloud-dev/simcloud/scenarios"
)

// How much a scenario may become by the steps of other files, and how much all scenarios of a file may. A file that uses another one
// twice, which uses a third one twice, and so on, would never be read to its end. What the largest need is far below.
const (
	mostSteps       = 1000
	mostStepsOfFile = 20_000
	mostUsedBytes   = 8 << 20
	mostText        = mostBytes // of a text with the values of its parameters
)

// Within returns the loader with a context: when ctx ends it stops, and its error wraps that of ctx.
func (l Loader) Within(ctx context.Context) Loader {
	l.interrupted = ctx.Err
	return l
}

// stopped is why reading is to end; nil while it may go on.
func (l Loader) stopped() error {
	if l.interrupted == nil {
		return nil
	}
	return l.interrupted()
}

// counted is how much a decoder has read.
type counted struct {
	steps, stepsOfFile, usedBytes int
	// over is whether it has stopped, because of a bound or of an interruption.
	over bool
}

// begins counts a step, or the use of others. It reports whether reading goes on.
func (d *Decoder) begins(n *yaml.Node) bool {
	if d.counted.over {
		return false
	}
	d.counted.steps++
	d.counted.stepsOfFile++
	switch {
	case d.interrupted():
	case d.counted.steps > mostSteps:
		d.tooMuch(n, "the scenario has more than %d steps with all that it uses: use fewer", mostSteps)
	case d.counted.stepsOfFile > mostStepsOfFile:
		d.tooMuch(n, "the scenarios of the file have more than %d steps with all that they use: divide the file, or shorten a matrix", mostStepsOfFile)
	}
	return !d.counted.over
}

// reads counts the bytes of a file that is used.
func (d *Decoder) reads(n *yaml.Node, raw []byte) bool {
	if d.counted.usedBytes += len(raw); d.counted.usedBytes > mostUsedBytes && !d.counted.over {
		d.tooMuch(n, "the files that are used have more than %d MiB, each as often as it is used", mostUsedBytes>>20)
	}
	return !d.counted.over
}

// tooMuch reports that a bound is reached, and ends the reading.
func (d *Decoder) tooMuch(n *yaml.Node, format string, args ...any) {
	d.counted.over = true
	d.Errorf(n, format, args...)
}

// interrupted ends the reading when the loader is to stop.
func (d *Decoder) interrupted() bool {
	if d.stopped == nil {
		return false
	}
	err := d.stopped()
	if err != nil && !d.counted.over {
		d.counted.over = true
		d.mistakes++
		d.Errs = append(d.Errs, interruption{d.File, err})
	}
	return err != nil
}

// interruption is the end of reading before the end of the files.
type interruption struct {
	file string
	err  error
}

func (i interruption) Error() string { return i.file + ": reading was interrupted: " + i.err.Error() }
func (i interruption) Unwrap() error { return i.err }

// beginScenario starts the count of another scenario of the file.
func (d *Decoder) beginScenario() { d.counted.steps = 0 }

// only leaves the interruption alone of what a loader reports: all else follows from it.
func only(err error) error {
	var all scenarios.LoadError
	if as, ok := err.(scenarios.LoadError); ok { //nolint:errorlint // it is made here
		all = as
	}
	for _, e := range all {
		if i, ok := e.(interruption); ok { //nolint:errorlint // it is made here
			return i
		}
	}
	return err
}
