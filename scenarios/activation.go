package scenarios

import (
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/interpreter"
)

// activation gives expressions the variables of the snapshot.
func activationOf(s *Snapshot) interpreter.Activation { return activation{s} }

type activation struct{ s *Snapshot }

// ResolveName finds a variable or a captured value.
func (a activation) ResolveName(name string) (any, bool) {
	for _, v := range variables {
		if v.name == name {
			return v.get(a.s), true
		}
	}
	value, ok := a.s.captured[name]
	return value, ok
}

// Parent returns nil: there are no other names.
func (a activation) Parent() cel.Activation { return nil }
