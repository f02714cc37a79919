// Package mutant has the mutants of the regression corpus: simcloud-ccm's provider with one bug each, of those
// that cloud controller managers really had. They prove the scenarios of the corpus (scenarios/library/museum):
// each must fail with its mutant, for the right reason, and pass with simcloud-ccm.
//
// A mutant is a small change around the provider of package ccm, or between it and the cloud. Nothing of this is
// in a binary that ships: only the command mutantccm has it.
//
// One mutant more is an entry in the table of its area, and a scenario. The tables are lifecycle.go, node.go,
// lb_delete.go, lb_update.go, lb_owner.go, route.go and process.go for failures that happened, and core.go,
// oracle.go, group.go and lag.go for the others. TestMuseum tries a mutant with its own scenario; TestMatrix, when it is asked
// to, with all others of the corpus.
package mutant
