package words

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const root, heading = "../../", "\n## Words not used here\n"

// quoted matches what a page only quotes: generated parts, code, and the targets of links.
var quoted = regexp.MustCompile("(?s)<!-- generated: .*?<!-- end -->|\n *```.*?\n *```|`[^`\n]*`|\\]\\([^)\n]*\\)|\n\n    [^\n]*(\n    [^\n]*|\n)*")

// advice reads the table of words: what to write instead of each.
func advice(glossary string) map[string]string {
	_, table, _ := strings.Cut(glossary, heading)
	instead := map[string]string{}
	rows := regexp.MustCompile(`(?m)^\| ([^|]+) \| ([^|]+) \|$`).FindAllStringSubmatch(table, -1)
	for _, row := range rows[min(1, len(rows)):] { // the first is the head
		for word := range strings.SplitSeq(row[1], ", ") {
			instead[strings.ToLower(word)] = row[2]
		}
	}
	return instead
}

// TestWords: no page that is written by hand uses a word of the glossary's second table.
func TestWords(t *testing.T) {
	instead, words := advice(read(t, root+"docs/glossary.md")), []string{}
	for word := range instead {
		words = append(words, strings.ReplaceAll(regexp.QuoteMeta(word), " ", `\s+`))
	}
	unwanted := regexp.MustCompile(`(?i)\b(` + strings.Join(words, "|") + `)\b`)
	pages, err := filepath.Glob(root + "docs/*.md")
	if err != nil || len(pages) == 0 || len(words) == 0 {
		t.Fatalf("%d pages, %d words: %v", len(pages), len(words), err)
	}
	for _, page := range append(pages, root+"README.md", root+"scenarios/README.md") {
		if slices.Contains([]string{"conformance.md", "museum.md"}, filepath.Base(page)) {
			continue // generated from texts elsewhere
		}
		prose, _, _ := strings.Cut(read(t, page), heading)
		prose = quoted.ReplaceAllStringFunc(prose, func(s string) string { return strings.Repeat("\n", strings.Count(s, "\n")) })
		for _, at := range unwanted.FindAllStringIndex(prose, -1) {
			word := strings.Join(strings.Fields(strings.ToLower(prose[at[0]:at[1]])), " ")
			t.Errorf("%s:%d: %q: write instead: %s", strings.TrimPrefix(page, root), 1+strings.Count(prose[:at[0]], "\n"), word, instead[word])
		}
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
