package language

import (
	"fmt"
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/scenarios/step"
	"github.com/simcloud-dev/simcloud/scenarios/syntax"
)

// Hover says in Markdown what the thing at a cursor is; empty where nothing is known of it. Line and column count from
// 0, columns in bytes.
func Hover(text string, line, column int) string {
	lines := strings.Split(text, "\n")
	if line < 0 || line >= len(lines) {
		return ""
	}
	start, end := wordAt(lines[line], column)
	if start == end {
		return ""
	}
	word := lines[line][start:end]
	p := placeOf(lines, line, end)
	if e := p.argument(word); e != "" {
		return e
	}
	for _, s := range p.schemasAt() {
		if doc := s.part("properties").part(word).description(); p.inKey && doc != "" {
			return fmt.Sprintf("**%s**: %s", word, doc)
		}
		if !p.inKey && s.isExpression() {
			return p.hoverExpression(lines, word)
		}
	}
	if slices.Contains(syntax.OperationNames(), word) {
		if e, err := step.Explain(word); err == nil {
			return explained(e)
		}
	}
	return ""
}

// argument says what an argument of an operation is.
func (p place) argument(word string) string {
	for _, a := range p.arguments() {
		if a.Text == word && p.inKey {
			return fmt.Sprintf("**%s** `%s`%s", a.Text, a.Type, oneOf(a.Doc))
		}
	}
	return ""
}

// hoverExpression says what a name in an expression is, whose text up to the end of the name is known.
func (p place) hoverExpression(lines []string, word string) string {
	chain, dotted := chainBefore(p.text)
	if e, known := p.explain(lines, p.text, append(slices.Clone(chain), word)); known && (!dotted || len(chain) > 0) {
		return explained(e)
	}
	for _, c := range callables() {
		if c.Name == word && c.Method == dotted && c.Doc != "" {
			return fmt.Sprintf("**%s**: %s", word, c.Doc)
		}
	}
	for _, c := range captures(lines, p.line) {
		if c.name == word && !dotted {
			return fmt.Sprintf("**%s**: %s", word, c.doc())
		}
	}
	return ""
}

// explained is an explanation in Markdown.
func explained(e step.Explained) string {
	text := &strings.Builder{}
	fmt.Fprintf(text, "**%s** `%s`", e.Name, e.Type)
	if e.Doc != "" {
		fmt.Fprintf(text, "\n\n%s", e.Doc)
	}
	for _, part := range []struct {
		title  string
		fields []step.Field
	}{{"Arguments", e.Arguments}, {"Fields", e.Fields}} {
		if len(part.fields) == 0 {
			continue
		}
		fmt.Fprintf(text, "\n\n%s:\n", part.title)
		for _, f := range part.fields {
			fmt.Fprintf(text, "- `%s` %s%s\n", f.Name, f.Type, oneOf(strings.Join(f.Words, ", ")))
		}
	}
	return text.String()
}

func oneOf(words string) string {
	if words == "" {
		return ""
	}
	return ", one of " + words
}

// wordAt is the name that a column is in or behind.
func wordAt(text string, column int) (start, end int) {
	start = min(max(column, 0), len(text))
	end = start
	for start > 0 && isName(rune(text[start-1])) {
		start--
	}
	for end < len(text) && isName(rune(text[end])) {
		end++
	}
	return start, end
}
