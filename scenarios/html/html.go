// Package html is the page of a report: its template, its style and its scripts.
package html

import "embed"

// Parts are the files of the page.
//
//go:embed *.css *.js *.tmpl
var Parts embed.FS
