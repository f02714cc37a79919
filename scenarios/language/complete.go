package language

import (
	"maps"
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/scenarios/step"
)

// Kind is what a proposal is, by which editors choose a picture.
type Kind string

// The kinds of proposals.
const (
	Key      Kind = "key"
	Word     Kind = "word"
	Variable Kind = "variable"
	Property Kind = "property"
	Function Kind = "function"
)

// Proposal is something that can stand at the cursor.
type Proposal struct {
	// Text is what is to be written in the place of the word that the cursor is in or behind.
	Text string
	Kind Kind
	// Type is that of the value; empty where it is not known.
	Type string
	// Doc says what it is; it may be empty.
	Doc string
}

// Complete returns what can stand at a cursor, in order; line and column count from 0, columns in bytes. The caller
// chooses by the word that is there already.
func Complete(text string, line, column int) []Proposal {
	lines := strings.Split(text, "\n")
	p := placeOf(lines, line, column)
	schemas := p.schemasAt()
	var all []Proposal
	if p.inKey {
		all = append(p.arguments(), p.keysOf(schemas)...)
	}
	if slices.ContainsFunc(schemas, schema.isExpression) {
		return append(all, p.expression(lines)...)
	}
	for _, s := range schemas {
		for _, word := range s.words() {
			all = append(all, Proposal{Text: word, Kind: Word})
		}
	}
	if !p.inKey {
		all = append(all, p.namedWords()...)
		all = append(all, placeholders(lines, line)...)
	}
	return distinct(all)
}

// keysOf are the keys of a mapping that it does not have yet.
func (p place) keysOf(schemas []schema) (all []Proposal) {
	for _, s := range schemas {
		properties := s.part("properties")
		for _, key := range slices.Sorted(maps.Keys(properties)) {
			if _, there := p.keys[key]; !there {
				all = append(all, Proposal{Text: key, Kind: Key, Doc: properties.part(key).description()})
			}
		}
	}
	return all
}

// arguments are those of the operation that a step calls.
func (p place) arguments() (all []Proposal) {
	if !p.endsWith("cloud", "args") {
		return nil
	}
	e, err := step.Explain(p.above[0]["operation"])
	if err != nil {
		return nil
	}
	for _, f := range e.Arguments {
		if _, there := p.keys[f.Name]; !there {
			all = append(all, Proposal{f.Name, Key, f.Type, strings.Join(f.Words, ", ")})
		}
	}
	return all
}

// namedWords are words that a value can be which the schema does not list.
func (p place) namedWords() (all []Proposal) {
	if len(p.path) == 0 || !p.endsWith("cloud", "args", p.path[len(p.path)-1]) {
		return nil
	}
	e, err := step.Explain(p.above[0]["operation"])
	if err != nil {
		return nil
	}
	for _, f := range e.Arguments {
		if f.Name != p.path[len(p.path)-1] {
			continue
		}
		for _, word := range f.Words {
			all = append(all, Proposal{Text: word, Kind: Word})
		}
	}
	return all
}

func (p place) endsWith(keys ...string) bool {
	return len(p.path) >= len(keys) && slices.Equal(p.path[len(p.path)-len(keys):], keys)
}

// distinct keeps the first of those with the same text, and the one with more to say.
func distinct(all []Proposal) (kept []Proposal) {
	at := map[string]int{}
	for _, p := range all {
		if i, there := at[p.Text]; there {
			if kept[i].Doc == "" {
				kept[i] = p
			}
			continue
		}
		at[p.Text] = len(kept)
		kept = append(kept, p)
	}
	return kept
}
