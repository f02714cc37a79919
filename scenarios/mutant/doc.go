// Package wrong has providers that each have one bug, of those that cloud
// controller managers really had. The scenarios of the museum
// (scenarios/library/museum) are proven by them: each must fail with its
// provider, for the right reason, and pass with the right one.
//
// A bug is a small change around the provider of package ccm, or between it and
// the cloud. Nothing of this is in a binary that ships: the command mutantccm is
// the only one that has it.
//
// One bug more is a file bug_<name>.go with a function that returns the [Bug], a
// line in the table of bugs.go, and a scenario. TestMuseum tries it with its own
// scenario, TestMatrix, when it is asked to, with all others of the museum.
package mutant
