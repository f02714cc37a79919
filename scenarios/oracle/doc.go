// Package oracle judges the whole run of a scenario, whatever its own expectations are.
// Each oracle is in a file of its own. It observes every change, and sees the rest of the run
// through the interface [Run].
package oracle
