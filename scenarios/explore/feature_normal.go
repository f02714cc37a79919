package explore

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// What differs from run to run, in the order in which it is taken out.
var (
	uids      = regexp.MustCompile(`[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}`)
	hashes    = regexp.MustCompile(`\b[0-9a-f]*[0-9][0-9a-f]{6,}[0-9a-f]*\b`)
	addresses = regexp.MustCompile(`\b(\d{1,3}\.){3}\d{1,3}(/\d+)?\b|\b[0-9a-f]{0,4}(:[0-9a-f]{0,4}){2,7}\b`)
	durations = regexp.MustCompile(`\b(\d+(\.\d+)?(h|m|s|ms|µs|ns))+\b`)
	numbers   = regexp.MustCompile(`\d+(\.\d+)?`)
)

// normal takes out of a text what differs from run to run: ids, addresses, times, numbers, and punctuation. Of equal
// words in a row, which a list has, it leaves one.
func normal(text string) string {
	text = uids.ReplaceAllString(text, "ID")
	text = addresses.ReplaceAllString(text, "ADDR")
	text = hashes.ReplaceAllString(text, "ID")
	text = durations.ReplaceAllString(text, "TIME")
	text = numbers.ReplaceAllString(text, "N")
	words := strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(`,;[](){}"'`, r) })
	return strings.Join(slices.Compact(words), " ")
}
