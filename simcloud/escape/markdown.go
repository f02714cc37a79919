package escape

import "strings"

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
