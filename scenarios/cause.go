package scenarios

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// Cause is what several scenarios, or clauses, fail for.
type Cause struct {
	// Finding is the oracle's message, or the expression that is not true, as the first of them has it.
	Finding string
	// Names are theirs, in the order in which they were added.
	Names []string
}

// Causes groups failures that share a cause: the same message of an oracle, or the same expression.
type Causes struct {
	byKey map[string]*Cause
	all   []*Cause
}

// Add takes in a failure of a scenario, or clause, of this name. Of one that has several all count, since an
// oracle finds the cause of an expectation that was not met.
func (c *Causes) Add(name string, f Failure) {
	key, finding := causeOf(f)
	if key == "" {
		return
	}
	if c.byKey == nil {
		c.byKey = map[string]*Cause{}
	}
	if c.byKey[key] == nil {
		c.byKey[key] = &Cause{Finding: finding}
		c.all = append(c.all, c.byKey[key])
	}
	if cause := c.byKey[key]; !slices.Contains(cause.Names, name) {
		cause.Names = append(cause.Names, name)
	}
}

// Shared are the causes of more than one, the largest first. One whose names all have a larger cause too is left out.
func (c *Causes) Shared() (shared []Cause) {
	all := slices.SortedStableFunc(slices.Values(c.all), func(a, b *Cause) int { return cmp.Compare(len(b.Names), len(a.Names)) })
	for _, cause := range all {
		if len(cause.Names) > 1 && !slices.ContainsFunc(shared, cause.within) {
			shared = append(shared, *cause)
		}
	}
	return shared
}

// within reports whether all names of a cause have a larger one too.
func (c Cause) within(larger Cause) bool {
	return !slices.ContainsFunc(c.Names, func(name string) bool { return !slices.Contains(larger.Names, name) })
}

// number is what makes the messages of an oracle differ that mean the same: in ids, names and times.
var number = regexp.MustCompile(`\d+(\.\d+)?`)

// causeOf is what makes failures of one cause equal, and how people read it; nothing for a step that could not be done.
func causeOf(f Failure) (key, finding string) {
	switch {
	case f.Invalid:
		return "", ""
	case f.Oracle != "":
		title, _, _ := strings.Cut("oracle "+f.Oracle+": "+f.Headline, "\n")
		return "oracle " + f.Oracle + ": " + number.ReplaceAllString(f.Headline, "0"), title
	case f.Expression != "":
		text := oneLine(f.Expression)
		return text, text
	default:
		return "", ""
	}
}
