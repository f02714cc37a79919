package expr

import (
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/interpreter"

	"github.com/simcloud-dev/simcloud/scenarios/observe"
)

// activation gives expressions the variables of the snapshot.
func activationOf(s *observe.Snapshot) interpreter.Activation { return activation{s} }

type activation struct{ s *observe.Snapshot }

// ResolveName finds a variable or a captured value.
func (a activation) ResolveName(name string) (any, bool) {
	for _, v := range Variables {
		if v.Name == name {
			return v.get(a.s), true
		}
	}
	value, ok := a.s.Captured[name]
	return value, ok
}

// Parent returns nil: there are no other names.
func (a activation) Parent() cel.Activation { return nil }
