// Package words holds the test that keeps the documents in plain English: the
// words that docs/glossary.md advises against must not come back.
package words
