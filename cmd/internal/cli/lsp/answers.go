package lsp

import (
	"fmt"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/simcloud-dev/simcloud/scenarios/language"
)

// kinds are the kinds of proposals in the protocol's words.
var kinds = map[language.Kind]protocol.CompletionItemKind{
	language.Key:      protocol.CompletionItemKindProperty,
	language.Word:     protocol.CompletionItemKindEnumMember,
	language.Variable: protocol.CompletionItemKindVariable,
	language.Property: protocol.CompletionItemKindField,
	language.Function: protocol.CompletionItemKindFunction,
}

// complete answers what can stand at a place.
func (s *server) complete(at protocol.TextDocumentPositionParams) protocol.CompletionList {
	list := protocol.CompletionList{Items: []protocol.CompletionItem{}}
	text, line, column, ours := s.place(at)
	if !ours {
		return list
	}
	for i, p := range language.Complete(text, line, column) {
		list.Items = append(list.Items, protocol.CompletionItem{
			Label: p.Text, Kind: kinds[p.Kind], Detail: p.Type, Documentation: p.Doc, SortText: fmt.Sprintf("%04d", i),
		})
	}
	return list
}

// hover answers what the thing at a place is; null when nothing is known of it.
func (s *server) hover(at protocol.TextDocumentPositionParams) *protocol.Hover {
	text, line, column, ours := s.place(at)
	if !ours {
		return nil
	}
	found := language.Hover(text, line, column)
	if found == "" {
		return nil
	}
	return &protocol.Hover{Contents: protocol.MarkupContent{Kind: protocol.Markdown, Value: found}}
}

// place is the text of a file with a place in it, in bytes; ours is false for files of others. An empty file can become one.
func (s *server) place(at protocol.TextDocumentPositionParams) (text string, line, column int, ours bool) {
	text = s.open[at.TextDocument.URI]
	if !isScenario(text) && strings.Contains(text, "apiVersion:") {
		return "", 0, 0, false
	}
	lines := strings.Split(text, "\n")
	if line = int(at.Position.Line); line >= len(lines) {
		return "", 0, 0, false
	}
	return text, line, columnOf(lines[line], at.Position.Character), true
}
