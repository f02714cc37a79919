package language

import (
	"slices"
	"strings"
)

// item is the step of a path into a list.
const item = "-"

// place is where the cursor is in a file.
type place struct {
	// path leads to the value that holds the cursor: keys of mappings, and item for each list.
	path []string
	// keys are those of the mapping that the cursor is in, with their texts, besides the one that it is on.
	keys map[string]string
	// inKey is whether the cursor is where a key stands, or an item of a list that can be a text. Then path leads to the mapping.
	inKey bool
	// text is what the value, or the key, has before the cursor.
	text string
	// line is that of the cursor, from 0.
	line int
	// above are the keys of the mappings that are around this one with their texts, the nearest first.
	above []map[string]string
}

// placeOf finds the place of a cursor, given as line and column from 0.
func placeOf(lines []string, line, column int) place {
	if line < 0 || line >= len(lines) {
		return place{inKey: true}
	}
	p := place{line: line, keys: map[string]string{}}
	own := lineOf(lines[line])
	before := lines[line][:min(max(column, 0), len(lines[line]))]
	column = own.column
	start, block := blockStart(lines, line)
	switch {
	case block:
		p.text = strings.Join(append(slices.Clone(lines[start+1:line]), before), "\n")
		own, line = lineOf(lines[start]), start
		column, p.path = own.column, []string{own.key}
	case own.key != "" && len(before) > own.value:
		p.path, p.text = []string{own.key}, strings.TrimLeft(before[own.value:], " ")
	default:
		p.inKey, p.text = true, strings.TrimLeft(before, " -")
		if own.column < 0 {
			column = len(before)
		}
	}
	p.climb(lines, line, column, own.dash)
	if !block && !p.inKey {
		p.enterFlow()
	}
	return p
}

// climb finds the keys around a line by their columns; dash is that of the line, -1 without one.
func (p *place) climb(lines []string, line, column, dash int) {
	p.siblingsBelow(lines, line, column)
	keys := p.keys
	if dash >= 0 {
		p.path = append([]string{item}, p.path...)
	}
	for i := line - 1; i >= 0; i-- {
		l := lineOf(lines[i])
		sibling := dash < 0 && l.column == column
		around := dash < 0 && l.column < column || dash >= 0 && l.column <= dash && l.dash < dash
		if l.key == "" || !sibling && !around {
			continue
		}
		if around {
			p.path, keys = append([]string{l.key}, p.path...), map[string]string{}
			p.above = append(p.above, keys)
		}
		keys[l.key] = strings.TrimSpace(lines[i][l.value:])
		if column, dash = l.column, l.dash; dash >= 0 {
			p.path = append([]string{item}, p.path...)
		}
	}
}

// siblingsBelow finds the keys of the same mapping that come after the cursor.
func (p *place) siblingsBelow(lines []string, line, column int) {
	for i := line + 1; i < len(lines); i++ {
		l := lineOf(lines[i])
		if l.column < 0 || l.column > column {
			continue
		}
		if l.column < column || l.dash >= 0 || l.key == "" {
			return
		}
		p.keys[l.key] = strings.TrimSpace(lines[i][l.value:])
	}
}

// yamlLine is what a line of YAML has: a dash of a list, a key, a value.
type yamlLine struct {
	column int    // where its first key or text begins; -1 of an empty line and of a comment
	dash   int    // where the last dash before the key is; -1 without one
	key    string // empty when it has none
	value  int    // where the text after the key's colon begins
}

func lineOf(text string) yamlLine {
	l := yamlLine{column: -1, dash: -1}
	at := 0
	for {
		at += len(text[at:]) - len(strings.TrimLeft(text[at:], " "))
		if rest := text[at:]; rest == "-" || strings.HasPrefix(rest, "- ") {
			l.dash = at
			at++
			continue
		}
		break
	}
	rest := text[at:]
	if strings.HasPrefix(rest, "#") || rest == "" && l.dash < 0 {
		return l
	}
	l.column = at
	if l.dash >= 0 && rest == "" {
		l.column = l.dash + len("- ")
	}
	if end := keyEnd(rest); end > 0 {
		l.key, l.value = strings.Trim(rest[:end], `"'`), at+end+1
	}
	return l
}

// keyEnd is where the colon after a key is; 0 when a text begins with none.
func keyEnd(text string) int {
	for i, r := range text {
		switch {
		case r == ':' && (i+1 == len(text) || text[i+1] == ' '):
			return i
		case r == ' ' || strings.ContainsRune("{}[],&*#?|>!%@`", r):
			return 0
		}
	}
	return 0
}

// blockStart finds the key whose block of text, after | or >, holds a line.
func blockStart(lines []string, line int) (start int, found bool) {
	column := len(lines[line]) - len(strings.TrimLeft(lines[line], " "))
	if strings.TrimSpace(lines[line]) == "" {
		column = len(lines[line])
	}
	for i := line - 1; i >= 0; i-- {
		l := lineOf(lines[i])
		if strings.TrimSpace(lines[i]) == "" || l.column >= column && l.dash < 0 {
			continue
		}
		within := l.column
		if l.dash >= 0 {
			within = l.dash
		}
		if l.key != "" && within < column {
			value := strings.TrimSpace(lines[i][l.value:])
			if l.column < column && value != "" && strings.ContainsRune("|>", rune(value[0])) {
				return i, true
			}
		}
		if within >= 0 && within < column {
			column = within
		}
		if column == 0 {
			break
		}
	}
	return 0, false
}
