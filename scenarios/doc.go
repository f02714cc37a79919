// Package scenarios tests cloud controller managers: it reads scenarios, runs
// them on clusters whose cloud is simulated, and reports what it saw.
//
// A scenario is a YAML file of steps. A step acts (on the cloud, the cluster,
// the CCM, the machines, the clock) or expects: a CEL expression over one
// snapshot of everything that must hold now, within a time, for a time, or
// never. Oracles judge the whole run of every scenario beside its own
// expectations. The scenarios of this project are in [Library].
package scenarios
