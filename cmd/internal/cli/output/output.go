// Package output prints what commands answer: tables, documents and ids, none of which can hold control characters of others.
package output

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud/escape"
)

// Column is one column of a table of T.
type Column[T any] struct {
	Name  string
	Wide  bool // only with -o wide
	Value func(T) string
	// Since is the time from which an age counts, in place of Value.
	Since func(T) time.Time
}

// Col is a column that each table shows.
func Col[T any](name string, value func(T) string) Column[T] {
	return Column[T]{Name: name, Value: value}
}

// WideCol is a column that only -o wide shows.
func WideCol[T any](name string, value func(T) string) Column[T] {
	return Column[T]{Name: name, Wide: true, Value: value}
}

// Table prints values of one type. The first column is their id.
type Table[T any] []Column[T]

// shown returns the columns of a format.
func (t Table[T]) shown(f Format) Table[T] {
	if f == FormatWide {
		return t
	}
	return slices.DeleteFunc(slices.Clone(t), func(c Column[T]) bool { return c.Wide })
}

// List prints all values: as rows, as one JSON or YAML list, or as ids.
func (t Table[T]) List(w io.Writer, f Format, items []T) error {
	items, err := sorted(w, items)
	if err != nil {
		return err
	}
	switch {
	case f.IsDocument():
		return Document(w, f, append([]T{}, items...))
	case f == FormatName:
		for _, item := range items {
			if err := PrintLine(w, t[0].Value(item)); err != nil {
				return err
			}
		}
		return nil
	}
	return t.rows(w, f, items)
}

// ListOr is List, but an empty table is the text none on stderr, in place of a header without rows.
func (t Table[T]) ListOr(w, stderr io.Writer, f Format, items []T, none string) error {
	if len(items) == 0 && (f == FormatTable || f == FormatWide) {
		return PrintLine(stderr, none)
	}
	return t.List(w, f, items)
}

// One prints a value: as a row, as a JSON or YAML object, or as its id.
func (t Table[T]) One(w io.Writer, f Format, item T) error {
	if f.IsDocument() {
		return Document(w, f, item)
	}
	return t.List(w, f, []T{item})
}

// All prints the values for arguments of which there were so many: one alone as such.
func (t Table[T]) All(w io.Writer, f Format, items []T, asked int) error {
	if f.IsDocument() {
		return Documents(w, f, items, asked)
	}
	if len(items) == 0 {
		return nil
	}
	return t.List(w, f, items)
}

// Documents prints one document: the value itself when one was asked for, else a list.
func Documents[T any](w io.Writer, f Format, items []T, asked int) error {
	switch {
	case len(items) == 0 && asked == 1:
		return nil
	case asked == 1:
		return Document(w, f, items[0])
	default:
		return Document(w, f, append([]T{}, items...))
	}
}

func (t Table[T]) rows(w io.Writer, f Format, items []T) error {
	columns := t.shown(f)
	line := func(cell func(Column[T]) string) []string {
		cells := make([]string, len(columns))
		for i, c := range columns {
			cells[i] = cell(c)
		}
		return cells
	}
	header := line(func(c Column[T]) string { return c.Name })
	now := columns.now(w)
	var rows [][]string
	for _, item := range items {
		rows = append(rows, line(func(c Column[T]) string { return cell(c.text(item, now)) }))
	}
	return screenOf(w).table(header, rows, f != FormatWide)
}

// Dash keeps an empty cell in its column.
func Dash(cell string) string {
	if cell == "" {
		return "-"
	}
	return cell
}

// cell is a text that stays in its row and column.
func cell(text string) string { return Dash(escape.Line(text)) }

// PrintLine prints a text that is one line, whatever it holds.
func PrintLine(w io.Writer, text string) error {
	_, err := fmt.Fprintln(w, escape.Line(text))
	return err
}

// Printer prints texts of one or more lines, such as of the progress of a command.
func Printer(w io.Writer) func(string) {
	return func(text string) { fmt.Fprintln(w, escape.Block(text)) }
}

// Document prints any value as JSON or YAML, or what a template of --output takes out of it.
func Document(w io.Writer, f Format, v any) error {
	template, err := f.template()
	switch {
	case err != nil:
		return err
	case template != nil:
		return template.print(screenOf(w), v)
	case f == FormatYAML:
		raw, err := escape.YAML(v)
		if err != nil {
			return err
		}
		_, err = w.Write(raw)
		return err
	}
	raw, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return printJSON(w, raw)
}

func printJSON(w io.Writer, raw []byte) error {
	_, err := fmt.Fprintf(w, "%s\n", escape.JSON(raw))
	return err
}

// Line prints a value of a stream: one line of cells, or of JSON.
func (t Table[T]) Line(w io.Writer, f Format, item T) error {
	template, err := f.template()
	switch {
	case err != nil:
		return err
	case template != nil:
		return template.line(w, item)
	case f == FormatJSON:
		raw, err := json.Marshal(item)
		if err != nil {
			return err
		}
		return printJSON(w, raw)
	case f == FormatYAML:
		if _, err := fmt.Fprintln(w, "---"); err != nil {
			return err
		}
		return Document(w, f, item)
	case f == FormatName:
		return PrintLine(w, t[0].Value(item))
	}
	var cells []string
	shown := t.shown(f)
	now := shown.now(w)
	for _, c := range shown {
		cells = append(cells, cell(c.text(item, now)))
	}
	_, err = fmt.Fprintln(w, strings.Join(cells, "  "))
	return err
}

// Streams is where a command reads and writes.
type Streams struct {
	In  io.Reader
	Out io.Writer // what was asked for: tables, JSON, the ready line
	Err io.Writer // progress and errors
}
