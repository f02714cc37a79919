package output

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestNarrowTerminal trims the middle of the widest cells, and nothing of those that can be read as they are.
func TestNarrowTerminal(t *testing.T) {
	t.Parallel()
	header := []string{"ID", "NAME", "STATE"}
	rows := [][]string{{"lb-1", "default.api." + strings.Repeat("x", 40) + ".end", "active"}, {"lb-2", "short", "active"}}
	print := func(width int, trim bool) []string {
		var out bytes.Buffer
		if err := (Screen{Writer: &out, width: width}).table(header, rows, trim); err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	}
	lines := print(40, true)
	if width := utf8.RuneCountInString(lines[1]); width != 40 || !strings.HasPrefix(lines[1], "lb-1  default.api.") || !strings.HasSuffix(lines[1], ".end  active") || !strings.Contains(lines[1], "…") {
		t.Errorf("a line of %d: %q", width, lines[1])
	}
	if lines[2] != "lb-2  short"+strings.Repeat(" ", 21)+"  active" {
		t.Errorf("the line after it is %q", lines[2])
	}
	whole := print(0, true)
	for _, same := range [][]string{print(200, true), print(40, false)} {
		if !slices.Equal(same, whole) || strings.Contains(whole[1], "…") {
			t.Errorf("got %q, want %q", same, whole)
		}
	}
	if lines = print(5, true); utf8.RuneCountInString(lines[1]) != 4+2+narrowest+2+6 {
		t.Errorf("a terminal of 5 columns shows %q", lines[1])
	}
}

func TestColoursOfStates(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	s := Screen{Writer: &out, colour: true, noHeaders: true}
	rows := [][]string{{"failed", "running", "a"}, {"b", "running(unreachable)", "c"}, {"b", "-", "c"}}
	if err := s.table([]string{"NAME", "STATE", "ZONE"}, rows, true); err != nil {
		t.Fatal(err)
	}
	want := "failed  \x1b[32mrunning\x1b[0m               a\n" +
		"b       \x1b[31mrunning(unreachable)\x1b[0m  c\n" +
		"b       -                     c\n"
	if out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}

func TestColours(t *testing.T) {
	for _, test := range []struct {
		no, force string
		want      bool
	}{{"", "", false}, {"", "1", true}, {"", "0", false}, {"1", "1", false}} {
		t.Setenv("NO_COLOR", test.no)
		t.Setenv("CLICOLOR_FORCE", test.force)
		if got := Colours(&bytes.Buffer{}); got != test.want {
			t.Errorf("NO_COLOR=%s CLICOLOR_FORCE=%s: %v", test.no, test.force, got)
		}
	}
}

func TestVerdicts(t *testing.T) {
	t.Setenv("NO_COLOR", "")
	t.Setenv("CLICOLOR_FORCE", "1")
	var out bytes.Buffer
	text := "PASS  a (1.0s)\n  FAIL is in a message\n\x1b[2K\rFAIL  b (2.0s)\nFAILURES\n"
	if n, err := Verdicts(&out).Write([]byte(text)); n != len(text) || err != nil {
		t.Fatalf("%d, %v", n, err)
	}
	want := "\x1b[32mPASS\x1b[0m  a (1.0s)\n  FAIL is in a message\n\x1b[2K\r\x1b[31mFAIL\x1b[0m  b (2.0s)\nFAILURES\n"
	if out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
	t.Setenv("CLICOLOR_FORCE", "")
	if w := Verdicts(&out); w != &out {
		t.Error("it colours what is no terminal")
	}
}

func TestSorted(t *testing.T) {
	t.Parallel()
	type item struct {
		ID   string `json:"id"`
		Size any    `json:"size,omitempty"`
	}
	items := []item{{"i-10", 7}, {"i-9", 20.5}, {"i-09x", nil}, {"a", 7}}
	for by, want := range map[string]string{"id": "a i-9 i-09x i-10", ".size": "i-09x i-10 a i-9", "{.nothing}": "i-10 i-9 i-09x a"} {
		path, err := relaxedPath(by)
		if err != nil {
			t.Fatal(err)
		}
		found, err := sorted(Screen{sortBy: path}, items)
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, item := range found {
			ids = append(ids, item.ID)
		}
		if got := strings.Join(ids, " "); got != want {
			t.Errorf("by %s: %s, want %s", by, got, want)
		}
	}
	if items[0].ID != "i-10" {
		t.Error("it has sorted what it was given")
	}
}
