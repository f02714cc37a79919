package report

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/simcloud/escape"
)

// Terminal reports on a terminal: what runs in lines that change, what ended above them.
type Terminal struct {
	mu     sync.Mutex
	out    io.Writer
	width  func() int
	slots  []slotLine
	total  int // scenarios of the run; 0 when unknown
	ended  int
	failed int
	began  time.Time
	drawn  int
	ticker *time.Ticker
	done   chan struct{}
	end    sync.WaitGroup
}

// slotLine is what a slot does at the moment.
type slotLine struct {
	text  string
	since time.Time
}

// NewTerminal reports to a terminal of a width. Close ends it.
func NewTerminal(out io.Writer, slots int, width func() int) *Terminal {
	t := &Terminal{out: out, width: width, slots: make([]slotLine, slots), began: time.Now(), ticker: time.NewTicker(200 * time.Millisecond), done: make(chan struct{})}
	t.end.Go(func() {
		for {
			select {
			case <-t.ticker.C:
				t.change(func() {})
			case <-t.done:
				return
			}
		}
	})
	return t
}

// Expect says how many scenarios there will be.
func (t *Terminal) Expect(total int) { t.change(func() { t.total = total }) }

// Close wipes the lines that change.
func (t *Terminal) Close() {
	t.ticker.Stop()
	close(t.done)
	t.end.Wait()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.wipe()
}

// change wipes the lines, does something, and draws them again.
func (t *Terminal) change(f func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.wipe()
	f()
	for i, slot := range t.slots {
		if slot.text == "" {
			continue
		}
		t.line("[%d] %4.0fs %s", i+1, time.Since(slot.since).Seconds(), slot.text)
	}
	if t.total > 0 {
		t.line("%d of %d scenarios, %d failed, %s", t.ended, t.total, t.failed, time.Since(t.began).Round(time.Second))
	}
}

// line draws one that changes, as much of it as fits.
func (t *Terminal) line(format string, args ...any) {
	line := []rune(escape.Line(fmt.Sprintf(format, args...)))
	if most := t.width() - 1; most > 0 && len(line) > most {
		line = line[:most]
	}
	fmt.Fprintln(t.out, string(line))
	t.drawn++
}

func (t *Terminal) wipe() {
	fmt.Fprint(t.out, strings.Repeat("\x1b[1A\x1b[2K", t.drawn))
	t.drawn = 0
}

func (t *Terminal) set(slot int, text string, restart bool) {
	t.change(func() {
		if restart {
			t.slots[slot].since = time.Now()
		}
		t.slots[slot].text = text
	})
}

// ClusterStarting shows that a cluster starts.
func (t *Terminal) ClusterStarting(slot int) { t.set(slot, "starting a cluster", true) }

// ClusterStarted shows that the cluster runs.
func (t *Terminal) ClusterStarted(slot int) { t.set(slot, "the cluster is ready", true) }

// ScenarioStarted shows the scenario.
func (t *Terminal) ScenarioStarted(slot int, s *scenarios.Scenario) {
	t.set(slot, s.Name+": nodes", true)
}

// StepStarted shows the step.
func (t *Terminal) StepStarted(slot int, s *scenarios.Scenario, step scenarios.Step, index, of int, finally bool) {
	where := ""
	if finally {
		where = "finally "
	}
	t.set(slot, fmt.Sprintf("%s: %s%d/%d %s", s.Name, where, index+1, of, step.Text), false)
}

// ScenarioFinished says how it ended.
func (t *Terminal) ScenarioFinished(slot int, _ *scenarios.Scenario, r scenarios.Result) {
	t.change(func() {
		t.slots[slot].text = ""
		t.ended++
		if r.Status == scenarios.Failed || r.Status == scenarios.Broken || r.Status == scenarios.Invalid {
			t.failed++
		}
		fmt.Fprint(t.out, Finished(r))
	})
}

// Note prints a line.
func (t *Terminal) Note(slot int, text string) {
	t.change(func() { fmt.Fprintf(t.out, "cluster %d: %s\n", slot+1, escape.Block(text)) })
}
