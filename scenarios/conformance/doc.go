// Package conformance has the clauses that a cloud controller manager must keep, runs
// the scenarios that check them, and tells which clauses are kept.
package conformance
