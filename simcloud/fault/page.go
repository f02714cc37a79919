package fault

import (
	"github.com/simcloud-dev/simcloud/simcloud"
)

// Page lets a list lie.
type Page struct {
	// Lie is how the list lies.
	Lie Lie `json:"lie"`
	// Size is how many items a page has, with the lie "size".
	Size int `json:"size,omitempty"`
}

// Lie is how a list lies.
type Lie string

// The lies.
const (
	LieShort     Lie = "short"     // the list ends in the middle of the page, as if there were no more
	LieDrop      Lie = "drop"      // one item of the page is missing
	LieDuplicate Lie = "duplicate" // the last item of the page comes again, on the next page if there is one
	LieShift     Lie = "shift"     // the first item of the next page is lost, as by an offset after a deletion
	LieSize      Lie = "size"      // the page has another size than was asked for
)

func (p *Page) check(f *fields, path string) {
	oneOf(f, path+".lie", p.Lie, []Lie{LieShort, LieDrop, LieDuplicate, LieShift, LieSize})
	switch {
	case p.Lie == LieSize && (p.Size < 1 || p.Size > simcloud.MaxPageSize):
		f.add(path+".size", "%d must be between 1 and %d", p.Size, simcloud.MaxPageSize)
	case p.Lie != LieSize && p.Size != 0:
		f.add(path+".size", "may only be set when lie is size")
	}
}

func (*Page) example() Rule {
	return Rule{Match: Match{Operation: "ListInstances"}, When: When{Probability: 0.5}, Effect: Effect{Page: &Page{Lie: LieDrop}}}
}

func (*Page) fits(e simcloud.Endpoint) bool { return isList(e) }
func (*Page) of() string                    { return "List*" }
