// Package dialect is what the dialects share: the wire formats of other clouds over
// the same core.
package dialect
