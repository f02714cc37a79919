package words

import (
	"flag"
	"fmt"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	root    = "../../"
	heading = "\n## Words not used here\n"
	table   = "scripts/words/allowed.txt"
)

var update = flag.Bool("update", false, "lower the numbers of "+table+" to what is there")

// quoted matches what a page only quotes: generated parts, code, and the targets of links.
var quoted = regexp.MustCompile("(?s)<!-- generated: .*?<!-- end -->|\n *```.*?\n *```|`[^`\n]*`|\\]\\([^)\n]*\\)|\n\n    [^\n]*(\n    [^\n]*|\n)*")

// fine matches, with some bytes around it, what stays: names in labels and paths, and "there is none", which is plain.
var fine = regexp.MustCompile(`tier(: |=)museum|museum[/.]|there (is|are)\s+none`)

// list has the words that readers stumble over, by the first word of each.
type list map[string][]entry

type entry struct {
	pattern *regexp.Regexp
	instead string
}

// words reads the second table of the glossary.
func words(t *testing.T) list {
	_, rest, _ := strings.Cut(read(t, root+"docs/glossary.md"), heading)
	l := list{}
	rows := regexp.MustCompile(`(?m)^\| ([^|]+) \| ([^|]+) \|$`).FindAllStringSubmatch(rest, -1)
	for _, row := range rows[min(1, len(rows)):] { // the first is the head
		for word := range strings.SplitSeq(strings.ToLower(row[1]), ", ") {
			pattern := "^" + strings.ReplaceAll(regexp.QuoteMeta(word), " ", `\s+`) + `\b`
			first := letters.FindString(word)
			l[first] = append(l[first], entry{regexp.MustCompile(pattern), row[2]})
		}
	}
	if len(l) == 0 {
		t.Fatal("docs/glossary.md has no table of words")
	}
	return l
}

// letters matches a word. It finds the places to look at, for one pattern of all words is slow.
var letters = regexp.MustCompile(`[a-z]+`)

// in describes each unwanted word of a text, whose line breaks are those of the file.
func (l list) in(file, text string) []string {
	var found []string
	text = strings.ToLower(text)
	for start := 0; start < len(text); start++ {
		end := start
		for end < len(text) && 'a' <= text[end] && text[end] <= 'z' {
			end++
		}
		for _, e := range l[text[start:end]] {
			word := e.pattern.FindString(text[start:])
			if word != "" && !fine.MatchString(text[max(0, start-10):min(start+len(word)+1, len(text))]) {
				line := 1 + strings.Count(text[:start], "\n")
				found = append(found, fmt.Sprintf("%s:%d: %q: write instead: %s", strings.TrimPrefix(file, root), line, strings.Join(strings.Fields(word), " "), e.instead))
				break
			}
		}
		start = end
	}
	return found
}

// TestDocuments: no page that is written by hand uses a word of the glossary's second table.
func TestDocuments(t *testing.T) {
	unwanted := words(t)
	pages, err := filepath.Glob(root + "docs/*.md")
	if err != nil || len(pages) == 0 {
		t.Fatalf("%d pages: %v", len(pages), err)
	}
	for _, page := range append(pages, root+"README.md", root+"scenarios/README.md") {
		if slices.Contains([]string{"conformance.md", "known-issues.md", "museum.md"}, filepath.Base(page)) {
			continue // generated from texts elsewhere
		}
		prose, _, _ := strings.Cut(read(t, page), heading)
		prose = quoted.ReplaceAllStringFunc(prose, func(s string) string { return strings.Repeat("\n", strings.Count(s, "\n")) })
		for _, found := range unwanted.in(page, prose) {
			t.Error(found)
		}
	}
}

// TestSources: the comments and strings of Go files and the scenarios use such words no more often than the table
// of allowed numbers says, and the table shrinks with them.
func TestSources(t *testing.T) {
	allowed, found := readAllowed(t), map[string][]string{}
	unwanted := words(t)
	walk := func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == ".git"):
			return fs.SkipDir
		case d.IsDir():
			return nil
		}
		text, path := "", strings.TrimPrefix(file, root)
		switch {
		case strings.HasSuffix(path, ".go") && !strings.HasPrefix(d.Name(), "zz_"):
			text = goProse(read(t, file))
		case strings.HasSuffix(path, ".yaml") && strings.HasPrefix(path, "scenarios/library/"):
			text = strings.ReplaceAll(read(t, file), "#", " ")
		}
		row := rowOf(path, allowed)
		found[row] = append(found[row], unwanted.in(file, text)...)
		return nil
	}
	for _, folder := range []string{"ccm", "cmd", "e2e", "scenarios", "scripts", "simcloud"} {
		if err := filepath.WalkDir(root+folder, walk); err != nil {
			t.Fatal(err)
		}
	}
	for row, places := range found {
		compare(t, row, places, allowed)
	}
	if *update {
		writeAllowed(t, found, allowed)
	}
}

func compare(t *testing.T, row string, places []string, allowed map[string]int) {
	switch has := len(places); {
	case has > allowed[row]:
		t.Errorf("%s has %d words that docs/glossary.md lists as not used here, %d are allowed; rewrite the sentences that are new:\n%s",
			row, has, allowed[row], strings.Join(places, "\n"))
	case has < allowed[row] && !*update:
		t.Errorf("%s has %d words that docs/glossary.md lists as not used here, %s allows %d: lower it with go test ./scripts/words -update",
			row, has, table, allowed[row])
	}
}

// goProse returns the comments and string literals of a Go file, with all else but line breaks blanked.
func goProse(source string) string {
	var s scanner.Scanner
	files := token.NewFileSet()
	file := files.AddFile("", -1, len(source))
	s.Init(file, []byte(source), nil, scanner.ScanComments)
	prose := []byte(source)
	for i, c := range prose {
		if c > ' ' {
			prose[i] = '.'
		}
	}
	for {
		pos, tok, literal := s.Scan()
		if tok == token.EOF {
			return string(prose)
		}
		if tok == token.COMMENT || tok == token.STRING {
			if strings.HasPrefix(literal, "//") {
				literal = "  " + literal[2:]
			}
			copy(prose[file.Offset(pos):], literal)
		}
	}
}

// rowOf finds the row of the table with the longest folder above a file; without one nothing is allowed.
func rowOf(path string, allowed map[string]int) string {
	for folder := filepath.Dir(path); folder != "."; folder = filepath.Dir(folder) {
		if _, ok := allowed[folder]; ok {
			return folder
		}
	}
	return filepath.Dir(path)
}

// readAllowed reads the table: a folder and a number on each line.
func readAllowed(t *testing.T) map[string]int {
	allowed := map[string]int{}
	for line := range strings.Lines(read(t, root+table)) {
		folder, number, _ := strings.Cut(strings.TrimSpace(line), " ")
		n, err := strconv.Atoi(number)
		if err != nil {
			t.Fatalf("%s: %q: want a folder and a number", table, line)
		}
		allowed[folder] = n
	}
	return allowed
}

// writeAllowed lowers the numbers of the table, and drops the rows of folders that need none.
func writeAllowed(t *testing.T, found map[string][]string, allowed map[string]int) {
	var rows []string
	for folder, number := range allowed {
		if has := min(number, len(found[folder])); has > 0 {
			rows = append(rows, fmt.Sprintf("%s %d\n", folder, has))
		}
	}
	slices.Sort(rows)
	if err := os.WriteFile(root+table, []byte(strings.Join(rows, "")), 0o644); err != nil {
		t.Fatal(err)
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
