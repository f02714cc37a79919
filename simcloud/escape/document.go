package escape

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// JSON returns a JSON document of the same value, for a terminal: characters
// that are not visible are escaped in its strings. encoding/json escapes those
// below U+0020 alone.
func JSON(raw []byte) []byte {
	return escapeHidden(raw, func(r rune) string {
		if high, low := utf16.EncodeRune(r); high != utf8.RuneError {
			return fmt.Sprintf(`\u%04x\u%04x`, high, low)
		}
		return fmt.Sprintf(`\u%04x`, r)
	})
}

// YAML returns a value as YAML, by way of its JSON and with its keys sorted.
// Reading it gives the same value, whatever its strings hold: those with
// characters that are not visible are double-quoted, with escapes.
func YAML(v any) ([]byte, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	encoder := yaml.NewEncoder(&b)
	encoder.SetIndent(2)
	encoder.CompactSeqIndent()
	if err := encoder.Encode(tree(value)); err != nil {
		return nil, err
	}
	// YAML allows some of them, such as U+202E. The strings that have them are quoted by now.
	return escapeHidden(b.Bytes(), func(r rune) string { return fmt.Sprintf(`\U%08x`, r) }), nil
}

// escapeHidden writes hidden characters by escaped, but for white space below U+0020,
// which a document has between its values alone.
func escapeHidden(raw []byte, escaped func(rune) string) []byte {
	var b bytes.Buffer
	for len(raw) > 0 {
		r, size := utf8.DecodeRune(raw)
		if hidden(r, size) && r >= ' ' {
			b.WriteString(escaped(r))
		} else {
			b.Write(raw[:size])
		}
		raw = raw[size:]
	}
	return b.Bytes()
}

// tree is a decoded value as the encoder of YAML is to have it.
func tree(value any) any {
	switch value := value.(type) {
	case map[string]any:
		fields := map[any]any{}
		for name, field := range value {
			fields[scalar(name)] = tree(field)
		}
		return fields
	case []any:
		items := make([]any, len(value))
		for i, item := range value {
			items[i] = tree(item)
		}
		return items
	case string:
		return scalar(value)
	case json.Number:
		return number(value)
	}
	return value
}

// number keeps a whole number whole.
func number(n json.Number) any {
	var value any
	if yaml.Unmarshal([]byte(n), &value) != nil {
		return string(n)
	}
	return value
}

// scalar leaves a string to the encoder, which chooses a style by its looks, when it is plain.
func scalar(text string) any {
	if strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && hidden(r, utf8.RuneLen(r)) }) {
		return quoted(text)
	}
	return text
}

// quoted is a string that the encoder has to write between double quotes.
type quoted string

// MarshalYAML returns the node.
func (q quoted) MarshalYAML() (any, error) {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Style: yaml.DoubleQuotedStyle, Value: string(q)}, nil
}

// Markdown returns text that GitHub's Markdown shows as it is, in one line,
// also in a cell of a table and within HTML. It makes no link, image, mention
// or reference. White space is one space each.
func Markdown(text string) string {
	return markup.Replace(Line(strings.Join(strings.Fields(text), " ")))
}

// markup has what means something in Markdown. GitHub looks for mentions and
// references in the text that it shows, where "&#64;" is "@" again: a space
// without width keeps them apart from what follows.
var markup = strings.NewReplacer(
	"&", "&amp;", "<", "&lt;", ">", "&gt;", "|", "&#124;", "`", "&#96;", "*", "&#42;", "_", "&#95;", "~", "&#126;", "$", "&#36;", `\`, "&#92;",
	"[", "&#91;", "]", "&#93;", "!", "&#33;", "@", "&#64;&#8203;", "#", "&#35;&#8203;", "://", ":&#47;&#47;", "www.", "www&#46;",
)

// Fence returns text as a fenced block of Markdown, which none of its lines can end.
func Fence(language, text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + language + "\n" + strings.TrimRight(Block(text), "\n") + "\n" + fence + "\n"
}
