package language

import (
	"regexp"
	"slices"
)

// captured is a name that a step before the cursor has given to a value.
type captured struct {
	name string
	// operation is the one of the cloud whose answer it is; empty for other values.
	operation string
}

func (c captured) doc() string {
	if c.operation == "" {
		return "captured by a step before"
	}
	return "the answer of " + c.operation
}

var (
	captureRE   = regexp.MustCompile(`\bcapture:\s*([a-zA-Z][a-zA-Z0-9_]*)`)
	operationRE = regexp.MustCompile(`\boperation:\s*([A-Z][A-Za-z0-9]*)`)
	pairRE      = regexp.MustCompile(`^\s*([a-zA-Z][a-zA-Z0-9_]*):(?:\s|$)`)
	pairsRE     = regexp.MustCompile(`\bcapture:\s*\{(.*)`)
	flowKeyRE   = regexp.MustCompile(`(?:^|,)\s*([a-zA-Z][a-zA-Z0-9_]*):\s`)
)

// captures are the names that steps before a line capture, the last ones first, each once.
func captures(lines []string, line int) (all []captured) {
	seen := map[string]captured{}
	var names []string
	add := func(c captured) {
		if _, there := seen[c.name]; !there {
			names = append(names, c.name)
		}
		seen[c.name] = c
	}
	operation, block := "", -1 // the operation of the step, and the column of a block of captures
	for i := range min(line, len(lines)) {
		l := lineOf(lines[i])
		if l.dash >= 0 {
			operation = ""
		}
		if l.column >= 0 && l.column <= block {
			block = -1
		}
		if found := operationRE.FindStringSubmatch(lines[i]); found != nil {
			operation = found[1]
		}
		switch pairs, single := pairsRE.FindStringSubmatch(lines[i]), captureRE.FindStringSubmatch(lines[i]); {
		case pairs != nil:
			for _, key := range flowKeyRE.FindAllStringSubmatch(pairs[1], -1) {
				add(captured{name: key[1]})
			}
		case single != nil:
			add(captured{single[1], operationBelow(lines, i, operation)})
		case l.key == "capture":
			block = l.column
		case block >= 0:
			if key := pairRE.FindStringSubmatch(lines[i]); key != nil {
				add(captured{name: key[1]})
			}
		}
	}
	slices.Reverse(names)
	for _, name := range names {
		all = append(all, seen[name])
	}
	return all
}

// operationBelow is the operation of a step whose capture stands before it.
func operationBelow(lines []string, line int, above string) string {
	if above != "" {
		return above
	}
	for _, text := range lines[line+1:] {
		if lineOf(text).dash >= 0 {
			break
		}
		if found := operationRE.FindStringSubmatch(text); found != nil {
			return found[1]
		}
	}
	return ""
}

// placeholders are the captured names that a text can hold, as ${name}.
func placeholders(lines []string, line int) (all []Proposal) {
	for _, c := range captures(lines, line) {
		all = append(all, Proposal{Text: "${" + c.name + "}", Kind: Variable, Doc: c.doc()})
	}
	return all
}
