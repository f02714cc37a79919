// Package words puts numbers, times, callers and lists of lines into the words that
// failures and reports share.
package words
