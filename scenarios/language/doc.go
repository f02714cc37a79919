// Package language answers what an editor asks about a scenario file that is being written: what is wrong with it, what
// can stand at the cursor, and what the thing under the cursor is. It knows no editor and no protocol; "simcloud lsp"
// speaks for it.
//
// Such a file is seldom a YAML document, so the place of the cursor is found by lines and indentation
// and not by a parser. What can stand there comes from where the loader has it: the JSON schema, the arguments of the
// cloud's operations and the types of expressions.
package language
