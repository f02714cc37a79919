// Package fields holds the dialects to their word that nothing pretends: its tests walk the fields of every request type, and compare the
// clouds that a request leaves behind with and without each. docs/fields.md is the result.
package fields
