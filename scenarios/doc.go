// Package scenarios has the model of scenarios and of what comes of them: [Scenario] and
// [Step], [Report], [Result] and [Failure]. The scenarios of this project are in the
// folder library.
//
// A scenario is a YAML file of steps. A step acts (on the cloud, the cluster,
// the CCM, the machines, the clock) or expects: a CEL expression over one
// snapshot of everything that must hold now, within a time, for a time, or
// never. Oracles judge the whole run of every scenario beside its own
// expectations.
//
// The rooms below it, from the ground up: observe watches a cloud and a cluster, expr
// evaluates expressions over what was observed, syntax reads files, step has the verbs,
// oracle has the oracles, run runs scenarios on clusters, report shows the result, and
// conformance judges a CCM by clauses. Tests of a CCM use scenariotest.
package scenarios
