package fault

import "context"

// Reset drops the connection instead of answering.
type Reset struct {
	anyCall
	// When is before or after the operation.
	When Moment `json:"when"`
}

// Moment is before or after the operation.
type Moment string

// The moments.
const (
	Before Moment = "before" // the operation does not happen
	After  Moment = "after"  // it has happened, and the caller gets no answer; a stream breaks in place of its first message
)

func (r *Reset) check(f *fields, path string) {
	oneOf(f, path+".when", r.When, []Moment{Before, After})
}

func (*Reset) example() Rule {
	return Rule{
		Name: "lost", Match: Match{Operation: "CreateLoadBalancer"}, When: When{Times: 1}, Effect: Effect{Reset: &Reset{When: After}},
	}
}

func (r *Reset) before(_ context.Context, h *Hit) error {
	if r.When != Before {
		return nil
	}
	return h.drop("the connection was reset before the operation")
}

func (r *Reset) after(_ context.Context, h *Hit, _ Result) error {
	if r.When != After {
		return nil
	}
	return h.drop("the connection was reset after the operation")
}
