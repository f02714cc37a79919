package fault

import (
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// Effect is what happens to a call. Exactly one field is set.
type Effect struct {
	Error    *Problem  `json:"error,omitempty"`
	Delay    *Delay    `json:"delay,omitempty"`
	Hang     *Hang     `json:"hang,omitempty"`
	Reset    *Reset    `json:"reset,omitempty"`
	Garble   *Garble   `json:"garble,omitempty"`
	Stale    *Stale    `json:"stale,omitempty"`
	Hide     *Hide     `json:"hide,omitempty"`
	Page     *Page     `json:"page,omitempty"`
	Lock     *Lock     `json:"lock,omitempty"`
	State    *State    `json:"state,omitempty"`
	OK       *OK       `json:"ok,omitempty"`
	Sequence *Sequence `json:"sequence,omitempty"`
}

// effect is what every effect can do. What it does to a call is in the other
// interfaces of this package, of which it has those that it needs.
type effect interface {
	// check names what is wrong with the fields, which are below path.
	check(f *fields, path string)
	// fits reports whether the operation can have the effect.
	fits(e simcloud.Endpoint) bool
	// of names the operations that fit.
	of() string
	// example is a rule that has the effect, for those who write one. It asks nothing of the receiver.
	example() Rule
}

// named is an effect and how it is called in a rule.
type named struct {
	name string
	set  bool
	effect
}

// all has every effect, set or not.
func (e Effect) all() []named {
	return []named{
		{"error", e.Error != nil, e.Error},
		{"delay", e.Delay != nil, e.Delay},
		{"hang", e.Hang != nil, e.Hang},
		{"reset", e.Reset != nil, e.Reset},
		{"garble", e.Garble != nil, e.Garble},
		{"stale", e.Stale != nil, e.Stale},
		{"hide", e.Hide != nil, e.Hide},
		{"page", e.Page != nil, e.Page},
		{"lock", e.Lock != nil, e.Lock},
		{"state", e.State != nil, e.State},
		{"ok", e.OK != nil, e.OK},
		{"sequence", e.Sequence != nil, e.Sequence},
	}
}

// one returns the effect that is set; false when there is not exactly one.
func (e Effect) one() (named, bool) {
	var found named
	n := 0
	for _, each := range e.all() {
		if each.set {
			found, n = each, n+1
		}
	}
	return found, n == 1
}

// check names what is wrong with the effect for these operations.
func (e Effect) check(f *fields, path string, operations []operation) {
	one, ok := e.one()
	if !ok {
		f.add(path, "must have exactly one of %s", strings.Join(Effects(), ", "))
		return
	}
	before := len(*f)
	one.check(f, path+"."+one.name)
	if len(*f) == before && len(operations) > 0 && len(fitting(one, operations)) == 0 {
		f.add(path+"."+one.name, "match.operation chooses none of the operations that can have it: %s", one.of())
	}
}

// Effects returns the names of all effects, as they stand in a rule.
func Effects() []string {
	var names []string
	for _, each := range (Effect{}).all() {
		names = append(names, each.name)
	}
	return names
}

// fitting returns the operations that can have the effect.
func fitting(e effect, operations []operation) []operation {
	var fit []operation
	for _, o := range operations {
		if e.fits(o.Endpoint) {
			fit = append(fit, o)
		}
	}
	return fit
}

// anyCall is for effects that every operation can have.
type anyCall struct{}

func (anyCall) fits(simcloud.Endpoint) bool { return true }
func (anyCall) of() string                  { return "any" }

// reads is for effects that only reads of resources can have.
type reads struct{}

func (reads) fits(e simcloud.Endpoint) bool { return isGet(e) || isList(e) }
func (reads) of() string                    { return "Get* and List*" }

func isGet(e simcloud.Endpoint) bool  { return strings.HasPrefix(e.Operation, "Get") }
func isList(e simcloud.Endpoint) bool { return strings.HasPrefix(e.Operation, "List") }
func isWatch(e simcloud.Endpoint) bool {
	return strings.HasPrefix(e.Operation, "Watch")
}

// clone returns a copy that shares nothing with the effect.
func (e Effect) clone() Effect {
	e.Error, e.Delay, e.Hang, e.Reset = copied(e.Error), copied(e.Delay), copied(e.Hang), copied(e.Reset)
	e.Garble, e.Stale, e.Hide, e.Page = copied(e.Garble), copied(e.Stale), copied(e.Hide), copied(e.Page)
	e.Lock, e.State, e.OK, e.Sequence = copied(e.Lock), copied(e.State), copied(e.OK), copied(e.Sequence)
	if e.Sequence != nil {
		steps := make(Sequence, len(*e.Sequence))
		for i, step := range *e.Sequence {
			steps[i] = step.clone()
		}
		e.Sequence = &steps
	}
	return e
}

func copied[T any](v *T) *T {
	if v == nil {
		return nil
	}
	c := *v
	return &c
}
