package escape_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"io"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/simcloud-dev/simcloud/simcloud/escape"
)

// hostile are the seeds of all fuzz targets.
var hostile = []string{
	"", "web-1", "naïve 日本 👍", "a\nb\tc", "\x1b[2J\x07", "\x00\x7f", "\u0085\u009b31m", "\u2028\u2029", "\u202egnp.exe", "\ufeff\ufffe", "\U000e0041\U0001fffe",
	"\xff\xc0", "\xed\xa0\x80", "\ufffd", `\x1b`, "```\n````", "</details>", "![x](http://a.example)", "@me #7 www.a.example <b>", " a\n  b\n", "\n\n", "\n a", "a \n", "# c\r\n", "-", "1e3", "yes", "0x1F", "~", "a: b", "|\n", "1:20", "2026-11-23",
	"\u00a0\n", "- a\n\u0085", "tab\tin\nlines",
}

func addHostile(f *testing.F) {
	for _, text := range hostile {
		f.Add(text)
	}
}

// checkVisible fails when text holds what a terminal would act on, but for kept.
func checkVisible(t *testing.T, text, kept string) {
	t.Helper()
	if !utf8.ValidString(text) {
		t.Errorf("%q is not UTF-8", text)
	}
	for _, r := range text {
		if !strconv.IsGraphic(r) && !strings.ContainsRune(kept, r) {
			t.Errorf("%q holds %U", text, r)
		}
	}
}

func TestLineAndBlock(t *testing.T) {
	for _, test := range []struct{ text, line, block string }{
		{"web-1: naïve 日本 👍 \\ \"x\"", "web-1: naïve 日本 👍 \\ \"x\"", "web-1: naïve 日本 👍 \\ \"x\""},
		{"a\nb\tc\r", `a\nb\tc\r`, "a\nb\tc\\r"},
		{"\x1b[2J\a\x00\x7f", `\x1b[2J\a\x00\x7f`, `\x1b[2J\a\x00\x7f`},
		{"\u0085\u009b\u2028\u2029\u202e\u200b", `\u0085\u009b\u2028\u2029\u202e\u200b`, `\u0085\u009b\u2028\u2029\u202e\u200b`},
		{"\xff\xed\xa0\x80\ufffd", `\xff\xed\xa0\x80` + "\ufffd", `\xff\xed\xa0\x80` + "\ufffd"},
	} {
		if got := escape.Line(test.text); got != test.line {
			t.Errorf("Line(%q) = %s, want %s", test.text, got, test.line)
		}
		if got := escape.Block(test.text); got != test.block {
			t.Errorf("Block(%q) = %q, want %q", test.text, got, test.block)
		}
	}
}

// FuzzTerminal: nothing that a terminal acts on passes, and what is visible stays.
func FuzzTerminal(f *testing.F) {
	addHostile(f)
	f.Fuzz(func(t *testing.T, text string) {
		line, block := escape.Line(text), escape.Block(text)
		checkVisible(t, line, "")
		checkVisible(t, block, "\n\t")
		if escape.Line(line) != line || escape.Block(block) != block {
			t.Errorf("%q is escaped twice", text)
		}
		if strings.Count(block, "\n") != strings.Count(text, "\n") {
			t.Errorf("%q has other lines than %q", block, text)
		}
	})
}

// FuzzWriter: however a text is cut into writes, all of it is written as Block writes it.
func FuzzWriter(f *testing.F) {
	addHostile(f)
	f.Fuzz(func(t *testing.T, text string) {
		var b bytes.Buffer
		w := escape.NewWriter(&b)
		if _, err := io.Copy(w, iotest.OneByteReader(strings.NewReader(text))); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if want := escape.Block(text); b.String() != want {
			t.Errorf("%q was written, want %q", b.String(), want)
		}
	})
}

// FuzzXML: the text comes back out of an element and an attribute.
func FuzzXML(f *testing.F) {
	addHostile(f)
	type element struct {
		Attr string `xml:"attr,attr"`
		Text string `xml:",chardata"`
	}
	f.Fuzz(func(t *testing.T, text string) {
		want := element{escape.XML(text), escape.XML(text)}
		raw, err := xml.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got element
		if err := xml.Unmarshal(raw, &got); err != nil || got != want {
			t.Errorf("%s is %q, %v; want %q", raw, got, err, want)
		}
	})
}

// FuzzDocument: JSON and YAML of a value are visible and read back as that value.
func FuzzDocument(f *testing.F) {
	addHostile(f)
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ToValidUTF8(text, "\ufffd")
		value := map[string]any{"text": text, text: "key", "list": []any{text, map[string]any{"x": text}}, "n": 1e21, "whole": json.Number("9007199254740993")}
		raw, err := json.MarshalIndent(value, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		shown := escape.JSON(raw)
		checkVisible(t, string(shown), "\n")
		checkSame(t, raw, shown)
		document, err := escape.YAML(value)
		if err != nil {
			t.Fatal(err)
		}
		checkVisible(t, string(document), "\n")
		read, err := yaml.YAMLToJSONStrict(document)
		if err != nil {
			t.Fatalf("%s: %v", document, err)
		}
		checkSame(t, raw, read)
	})
}

// checkSame compares what two JSON documents mean.
func checkSame(t *testing.T, want, got []byte) {
	t.Helper()
	var wanted, given any
	if err := json.Unmarshal(want, &wanted); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(got, &given); err != nil {
		t.Fatalf("%v: %q", err, got)
	}
	if diff := cmp.Diff(wanted, given); diff != "" {
		t.Errorf("the value (-want +got):\n%s", diff)
	}
}

// TestYAMLLooks: the keys are sorted, lists stand as kubectl prints them, and plain lines are a block.
func TestYAMLLooks(t *testing.T) {
	got, err := escape.YAML(map[string]any{
		"b": []any{map[string]any{"z": 1, "a": "yes"}}, "a": "one\ntwo\n", "c": "\x1b[2J", "d": 2.5, "e": nil, "f": 12345678901234567, "g": []any{}, "h": true,
	})
	if err != nil {
		t.Fatal(err)
	}
	want := "a: |\n  one\n  two\nb:\n- a: \"yes\"\n  z: 1\nc: \"\\e[2J\"\nd: 2.5\ne: null\nf: 12345678901234567\ng: []\nh: true\n"
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestYAMLRefuses: what has no JSON has no YAML.
func TestYAMLRefuses(t *testing.T) {
	if got, err := escape.YAML(func() {}); err == nil {
		t.Errorf("a function is %s", got)
	}
}

// TestMarkdown: a text makes no markup, link, image, mention or reference.
func TestMarkdown(t *testing.T) {
	for text, want := range map[string]string{
		"a\nb <c> | `d` ~e~ $f$ \\g": "a b &lt;c&gt; &#124; &#96;d&#96; &#126;e&#126; &#36;f&#36; &#92;g",
		"![x](https://a.example)":    "&#33;&#91;x&#93;(https:&#47;&#47;a.example)",
		"@me #7 www.a.example":       "&#64;&#8203;me &#35;&#8203;7 www&#46;a.example",
		"*a* _b_ &amp;":              "&#42;a&#42; &#95;b&#95; &amp;amp;",
		"\x1b[2J\u202e":              "&#92;x1b&#91;2J&#92;u202e",
	} {
		if got := escape.Markdown(text); got != want {
			t.Errorf("Markdown(%q) = %s, want %s", text, got, want)
		}
	}
}

// FuzzMarkdown: a cell has none of the characters of markup, and no line of a block ends it.
func FuzzMarkdown(f *testing.F) {
	addHostile(f)
	f.Fuzz(func(t *testing.T, text string) {
		cell := escape.Markdown(text)
		checkVisible(t, cell, "")
		bare := strings.NewReplacer("&#", "", "&amp;", "", "&lt;", "", "&gt;", "").Replace(cell)
		if strings.ContainsAny(bare, "<>|`*_~$[]!@#&\\") || strings.Contains(bare, "://") || strings.Contains(bare, "www.") {
			t.Errorf("%q has markup", cell)
		}
		fenced := escape.Fence("text", text)
		checkVisible(t, fenced, "\n\t")
		lines := strings.Split(strings.TrimSuffix(fenced, "\n"), "\n")
		fence := strings.TrimSuffix(lines[0], "text")
		for i, line := range lines[1:] {
			if last := i == len(lines)-2; strings.Contains(line, fence) != last {
				t.Errorf("line %d of %q is a fence", i, fenced)
			}
		}
	})
}
