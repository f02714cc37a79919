package explore

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud/durable"
)

// corpus keeps the histories that have shown something new, in a folder, from one exploration to the next.
type corpus struct {
	dir     string
	entries []*entry
	// names are those of the files of entries and of known violations.
	names map[string]bool
}

// entry is a history of the corpus.
type entry struct {
	name    string
	history History
	// found is what it was the first to show, and still does.
	found []feature
	// tried is whether it has run in this exploration, and picks how often one was made of it.
	tried bool
	picks int
}

// openCorpus reads the folder of a corpus, in the order of the names, and makes it when there is none. Files that
// this version of simcloud cannot read are skipped, and told.
func openCorpus(dir string, gr grammar, tell func(format string, args ...any)) (*corpus, []known, error) {
	if err := durable.MakeFolder(dir, 0o755); err != nil {
		return nil, nil, err
	}
	files, err := filepath.Glob(filepath.Join(dir, historyPattern)) // sorted
	if err != nil {
		return nil, nil, err
	}
	c, violations := &corpus{dir: dir, names: map[string]bool{}}, []known(nil)
	for _, file := range files {
		s, err := readFile(file)
		if err != nil {
			tell("%s is skipped: %v", file, err)
			continue
		}
		name := filepath.Base(file)
		c.names[name] = true
		if s.Violates != "" {
			violations = append(violations, known{name: s.Scenario, rule: s.Violates, words: wordsOf(s.History)})
			continue
		}
		if h := gr.finished(s.body()); len(h.body().Ops) > 0 {
			c.entries = append(c.entries, &entry{name: name, history: h, found: s.Shows})
		}
	}
	return c, violations, nil
}

func readFile(path string) (saved, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return saved{}, err
	}
	return readSaved(raw)
}

// keep saves a history that has shown something new, and lets others be made of it.
func (c *corpus) keep(h History, fresh []feature) error {
	name, err := c.save(saved{History: h, Shows: fresh})
	if name == "" || err != nil {
		return err
	}
	c.entries = append(c.entries, &entry{name: name, history: h, found: fresh, tried: true})
	return nil
}

// keepViolation saves what breaks a rule, with the scenario that shows it; a race does not show it each time.
func (c *corpus) keepViolation(h History, rule string, text []byte, race bool) error {
	scenario := "violation-" + h.identity() + ".yaml"
	if err := durable.WriteFile(filepath.Join(c.dir, scenario), text, 0o644); err != nil {
		return fmt.Errorf("save a violation: %w", err)
	}
	_, err := c.save(saved{History: h, Violates: rule, Scenario: scenario, Race: race})
	return err
}

// save writes a file, unless there is one of the same history. It returns its name; "" when there was one.
func (c *corpus) save(s saved) (string, error) {
	if c.names["history-"+s.identity()+".yaml"] {
		return "", nil
	}
	name, err := s.save(c.dir)
	if err != nil {
		return "", fmt.Errorf("save a history: %w", err)
	}
	c.names[name] = true
	return name, nil
}

// turn is a history whose turn it is.
type turn struct {
	number  int
	history History
	// of is the entry that it was made of; nil when it follows from the seed alone.
	of *entry
	// replay is whether it is that entry.
	replay bool
}

// corpusSeed lets what is made of the corpus differ from what is made of the seed alone.
const corpusSeed = 0xc0de

// next is the history of a number: one in five follows from the seed alone, the others are made of the corpus. Before
// that its histories run as they are, every other time: what they show with this CCM is not known.
func (c *corpus) next(gr grammar, seed uint64, number int, s *sights) turn {
	d := newDice(mix(seed^corpusSeed, uint64(number)))
	if e := choose(d, s, c.untried()); e != nil && d.oneIn(2) {
		e.tried = true
		return turn{number, e.history, e, true}
	}
	e := choose(d, s, c.working(d))
	if e == nil || d.oneIn(5) {
		return turn{number: number, history: gr.history(seed, number)}
	}
	e.picks++
	return turn{number, gr.mutated(d, seed, number, e.history, choose(d, s, c.entries).history), e, false}
}

// untried are the entries that have not run in this exploration.
func (c *corpus) untried() []*entry {
	return slices.DeleteFunc(slices.Clone(c.entries), func(e *entry) bool { return e.tried })
}

// recent is how many entries are of the latest: what was found last is most often what takes most to find, and leads on
// to more of its kind while no more is found elsewhere.
const recent = 12

// working are the entries of which the next history is made: the latest, five times in six.
func (c *corpus) working(d dice) []*entry {
	tried := slices.DeleteFunc(slices.Clone(c.entries), func(e *entry) bool { return !e.tried })
	if d.oneIn(6) {
		return tried
	}
	return tried[max(0, len(tried)-recent):]
}

// choose draws an entry: rather one that has shown what few have, that is short, and that was not chosen often. It is
// nil when there is none.
func choose(d dice, s *sights, of []*entry) *entry {
	weights, sum := make([]float64, len(of)), 0.0
	for i, e := range of {
		weights[i] = e.weight(s)
		sum += weights[i]
	}
	at := d.Float64() * sum
	for i, w := range weights {
		if at -= w; at < 0 {
			return of[i]
		}
	}
	return nil
}

// weight is how likely an entry is chosen. One that shows with this CCM nothing of what it was the first to show is not.
func (e *entry) weight(s *sights) float64 {
	if len(e.found) == 0 {
		return 0
	}
	return 1 / float64(1+s.rarest(e.found)) / float64(10+len(e.history.Ops)) / (1 + float64(e.picks)/8)
}

// ran keeps of what an entry was the first to show what it has shown again.
func (e *entry) ran(shown []feature) {
	e.found = slices.DeleteFunc(slices.Clone(e.found), func(f feature) bool { return !slices.Contains(shown, f) && f != moreCode })
}
