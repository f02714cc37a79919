package mutant

import (
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/scenarios"
)

// kills reports whether a trial has failed for the right reason.
func kills(mutant Mutant, r scenarios.Result) bool {
	return r.Status == scenarios.Failed && strings.Contains(verdict(r), mutant.Reason) && lists(r.Failures, mutant.Lists)
}

// provesOracle names for each oracle a mutant at which it objects.
var provesOracle = map[string]string{
	"foreign-kept":      "foreign-address-released",
	"node-kept":         "stopped-taken-for-gone",
	"one-load-balancer": "lb-made-twice",
	"address-kept":      "port-change-makes-lb-anew",
	"no-flapping":       "targets-rebuilt",
	"idle-writes":       "labels-rewritten",
	"call-budget":       "each-vm-asked-for",
	"ccm-alive":         "panic-on-missing-fields",
	"no-secrets":        "token-logged",
	"leak":              "floating-ip-forgotten",
}

// silent is the oracle that a mutant proves, and that has not objected; empty when it has, or the mutant proves none.
func silent(mutant Mutant, r scenarios.Result) string {
	for oracle, proof := range provesOracle {
		if proof == mutant.Name && !slices.ContainsFunc(r.Failures, func(f scenarios.Failure) bool { return f.Oracle == oracle }) {
			return oracle
		}
	}
	return ""
}

// lists reports whether the first failure lists a value that begins with a text.
func lists(failures []scenarios.Failure, begin string) bool {
	return begin == "" || len(failures) > 0 && slices.ContainsFunc(failures[0].Values, func(value string) bool { return strings.HasPrefix(value, begin) })
}

// verdict is why a scenario failed: what its first failure says in a line; empty when there is none.
func verdict(r scenarios.Result) string {
	if len(r.Failures) == 0 {
		return ""
	}
	first := r.Failures[0]
	return strings.Join(strings.Fields(first.Oracle+" "+first.Headline+" "+first.Because), " ")
}
