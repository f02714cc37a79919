// Package syntax reads scenario files: it checks them, puts parameters, matrices and used
// steps in their places, and reports each mistake with its file, line and column.
//
// Which verbs a step can have is a parameter of the [Loader]. A verb brings its own
// fields, and the schema of these; package step has the verbs of simcloud.
package syntax
