// Package words holds the test that keeps documents, comments, texts and
// scenarios in plain English: the words that docs/glossary.md advises against
// must not come back. Folders that still have some are in allowed.txt, whose
// numbers only fall.
package words
