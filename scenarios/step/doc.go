// Package step has what a step of a scenario can do. Each verb, or family of verbs, is in a file of its own: how
// it is read, its schema, and what it does on a [Stage], the world of one scenario.
package step
