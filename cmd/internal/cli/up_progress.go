package cli

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/simcloud-dev/simcloud/e2e"
	"github.com/simcloud-dev/simcloud/simcloud/escape"
)

// progress tells people what happens and how long it took, a line each.
type progress struct {
	mu  sync.Mutex
	out io.Writer
}

func newProgress(out io.Writer) *progress { return &progress{out: out} }

func (p *progress) line(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	fmt.Fprintln(p.out, escape.Block(text))
}

// detail is a line that belongs to the step under way.
func (p *progress) detail(text string) { p.line("    " + text) }

// step tells of a step of the cluster when it is done, or when it fails.
func (p *progress) step(s e2e.Step) {
	switch {
	case !s.Done:
	case s.Err != nil:
		p.line(fmt.Sprintf("  %s: failed after %s", s.What, seconds(s.Took)))
	default:
		p.line(fmt.Sprintf("  %s: %s", s.What, seconds(s.Took)))
	}
}

// time does a step and tells how long it took.
func (p *progress) time(what string, do func() error) error {
	began := time.Now()
	err := do()
	p.step(e2e.Step{What: what, Done: true, Took: time.Since(began), Err: err})
	return err
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }
