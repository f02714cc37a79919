package step

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/scenarios/expr"
)

// inapplicableError is why a step cannot be done with this CCM: it names something of a kind that the CCM, or its cloud, need not
// have, and of which there was nothing.
type inapplicableError struct{ error }

func (e inapplicableError) Unwrap() error { return e.error }

// IsInapplicable reports whether a step cannot be done because the scenario does not apply to the CCM under test.
func IsInapplicable(err error) bool {
	var inapplicable inapplicableError
	return errors.As(err, &inapplicable)
}

// optionalKinds are the parts of the snapshot with what a CCM need not make, each with the capability to make it; empty for none.
var optionalKinds = map[string]string{
	"loadBalancers": "loadBalancers", "floatingIPs": "floatingIPs", "routeTables": "routes", "volumes": "", "securityGroups": "",
	"targetGroups": "", "sshKeys": "", "documents": "", "clusters": "",
}

// applied judges the error of a step that needs the value of an expression and has none. What a step is done with is for the
// scenario to have, and no promise of the CCM: the scenario does not apply, or its file is wrong, but the CCM has not failed.
func (st *Stage) applied(err error) error {
	failed := valueless(err)
	if failed == nil || IsMistake(err) {
		return err
	}
	if st.Scenario.Labels["tier"] == "explored" { // the CCM may be why it is gone: the oracles judge a history
		return st.lacking(err)
	}
	if lacks := st.neverHad(failed); len(lacks) > 0 {
		return inapplicableError{fmt.Errorf("it does not apply: %w, and there were no %s in this scenario: declare the capability, or let an expectation wait for one", err, strings.Join(lacks, " and no "))}
	}
	var unmet *ExpectationError
	if errors.As(err, &unmet) {
		unmet.mistake = true
		unmet.Headline += ": let an expectation wait for it first"
		return err
	}
	return mistakeError{fmt.Errorf("%w: let an expectation wait for it first", err)}
}

// valueless is the expression that the step needs the value of, and that has none; nil for any other error.
func valueless(err error) *expr.Expr {
	var failed *expr.EvalError
	var unmet *ExpectationError
	switch {
	case errors.As(err, &unmet):
		return unmet.valueless
	case errors.As(err, &failed):
		return failed.Expr
	}
	return nil
}

// neverHad are the parts of the snapshot that an expression reads, itself or by captured values, that are of an optional kind that
// the scenario does not ask for, and of which there never was anything.
func (st *Stage) neverHad(e *expr.Expr) (lacks []string) {
	for _, variable := range st.originsOf(e) {
		capability, optional := optionalKinds[variable]
		if optional && !slices.Contains(st.Scenario.Capabilities, capability) && !st.witness.resource(variable) {
			lacks = append(lacks, variable)
		}
	}
	return lacks
}

// originsOf are the parts of the snapshot that an expression reads, itself or by captured values.
func (st *Stage) originsOf(e *expr.Expr) (variables []string) {
	for _, name := range e.Reads() {
		if origins, captured := st.origins[name]; captured {
			variables = append(variables, origins...)
			continue
		}
		variables = append(variables, name)
	}
	slices.Sort(variables)
	return slices.Compact(variables)
}
