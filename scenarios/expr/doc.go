// Package expr compiles CEL expressions over snapshots, evaluates them, and explains
// why one has the value that it has. It has the variables and functions that
// expressions can use, and the templates in which expressions stand.
package expr
