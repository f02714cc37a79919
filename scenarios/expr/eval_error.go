package expr

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// EvalError is an expression within a text that has no value.
type EvalError struct {
	Expr *Expr
	Err  error
}

func (e *EvalError) Error() string { return fmt.Sprintf("${%s}: %v", e.Expr.Source, e.Err) }

func (e *EvalError) Unwrap() error { return e.Err }

// errNotBool is the error of an expectation whose value is neither true nor false.
var errNotBool = errors.New("must be true or false")

// IsMistake reports whether an expression has failed for a reason that is in the file: it applies an operator or a
// function to values of the wrong type, which fields of the cloud and of Kubernetes never change. What fails with some
// values only, such as int("x"), may fail because of what a CCM has written. CEL has no types for its errors.
func IsMistake(err error) bool {
	return err != nil && (errors.Is(err, errNotBool) || strings.Contains(err.Error(), "no such overload"))
}

// ReadsOnly reports whether the expression reads nothing but variables that fulfil a condition.
func (e *Expr) ReadsOnly(fulfils func(name string) bool) bool {
	for name := range e.reads {
		if !fulfils(name) {
			return false
		}
	}
	return true
}

// Reads are the names of the variables that the expression reads, in alphabetical order.
func (e *Expr) Reads() []string { return slices.Sorted(maps.Keys(e.reads)) }

// Exprs are the expressions in the text.
func (t Template) Exprs() []*Expr {
	var all []*Expr
	for _, p := range t.Parts {
		if p.Expr != nil {
			all = append(all, p.Expr)
		}
	}
	return all
}

// Exprs are the expressions in the value.
func (t Tree) Exprs() []*Expr {
	var all []*Expr
	if t.Template != nil {
		all = t.Template.Exprs()
	}
	for _, part := range t.Object {
		all = slices.Concat(all, part.Exprs())
	}
	for _, part := range t.List {
		all = slices.Concat(all, part.Exprs())
	}
	return all
}
