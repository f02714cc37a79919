package lsp

import (
	"errors"
	"net/url"
	"path/filepath"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"go.lsp.dev/protocol"

	"github.com/simcloud-dev/simcloud/scenarios"
)

// fileOf is the path of a file that an editor names; false of what is no file, such as a text that was never saved.
func fileOf(uri protocol.DocumentURI) (string, bool) {
	u, err := url.Parse(string(uri))
	if err != nil || u.Scheme != "file" {
		return "", false
	}
	return filepath.FromSlash(u.Path), true
}

// diagnostic shows a mistake where it is. One in another file, whose steps this one uses, is shown in the first line.
func diagnostic(file string, lines []string, err error) protocol.Diagnostic {
	d := protocol.Diagnostic{Severity: protocol.DiagnosticSeverityError, Source: "simcloud", Message: err.Error()}
	var mistake *scenarios.SyntaxError
	if !errors.As(err, &mistake) || filepath.Clean(mistake.Position.File) != filepath.Clean(file) {
		d.Range = rangeOf(lines, 0, 0)
		return d
	}
	d.Message = mistake.Message
	d.Range = rangeOf(lines, mistake.Position.Line-1, mistake.Position.Column-1)
	return d
}

// rangeOf marks the word that begins at a place, or the line where no column is known; both count from 0.
func rangeOf(lines []string, line, column int) protocol.Range {
	line = min(max(line, 0), len(lines)-1)
	text := lines[line]
	start, end := len(text)-len(strings.TrimLeft(text, " ")), len(strings.TrimRight(text, " \r"))
	if column > 0 && column < len(text) {
		start = column
		if length := strings.IndexAny(text[start:], " ,:()[]{}\"'"); length > 0 {
			end = start + length
		} else if length == 0 {
			end = start + 1
		}
	}
	at := func(column int) protocol.Position {
		return protocol.Position{Line: uint32(line), Character: unitsOf(text, column)} //nolint:gosec // an index of a line
	}
	return protocol.Range{Start: at(start), End: at(max(start, end))}
}

// unitsOf counts the UTF-16 units before a byte of a line: by these editors count columns.
func unitsOf(text string, column int) (units uint32) {
	for _, r := range text[:min(column, len(text))] {
		units += uint32(max(utf16.RuneLen(r), 1)) //nolint:gosec // 1 or 2
	}
	return units
}

// columnOf is the byte of a line that a number of UTF-16 units leads to.
func columnOf(text string, units uint32) (column int) {
	for _, r := range text {
		size := uint32(max(utf16.RuneLen(r), 1)) //nolint:gosec // 1 or 2
		if units < size {
			break
		}
		units -= size
		column += utf8.RuneLen(r)
	}
	return min(column, len(text))
}
