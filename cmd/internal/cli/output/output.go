// Package output prints what commands answer: tables, documents and ids, none of which can hold control characters of others.
package output

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/simcloud/escape"
)

// The formats of --output: rows, rows with all columns, documents, or ids alone.
const (
	FormatTable = "table"
	FormatWide  = "wide"
	FormatJSON  = "json"
	FormatYAML  = "yaml"
	FormatName  = "name"
)

// Format is a --output that was checked.
type Format string

// Formats are the values of --output.
func Formats() []string {
	return []string{FormatTable, FormatWide, FormatJSON, FormatYAML, FormatName}
}

// String returns the name of the format.
func (f *Format) String() string { return string(*f) }

// Set takes a format by its name.
func (f *Format) Set(name string) error {
	if !slices.Contains(Formats(), name) {
		return fmt.Errorf("%q is not one of %s", name, strings.Join(Formats(), ", "))
	}
	*f = Format(name)
	return nil
}

// Type names the flag's value in the help.
func (f *Format) Type() string { return "table|wide|json|yaml|name" }

// AddFlag gives a command the flag --output.
func (f *Format) AddFlag(cmd *cobra.Command) {
	*f = FormatTable
	cmd.PersistentFlags().VarP(f, "output", "o", "format of the output; name prints ids alone")
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(Formats(), cobra.ShellCompDirectiveNoFileComp)) // the flag is there
}

// Column is one column of a table of T.
type Column[T any] struct {
	Name  string
	Wide  bool // only with -o wide
	Value func(T) string
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
	switch f {
	case FormatJSON, FormatYAML:
		return Document(w, f, append([]T{}, items...))
	case FormatName:
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
	if f == FormatJSON || f == FormatYAML {
		return Document(w, f, item)
	}
	return t.List(w, f, []T{item})
}

// All prints the values for arguments of which there were so many: one alone as such.
func (t Table[T]) All(w io.Writer, f Format, items []T, asked int) error {
	if f == FormatJSON || f == FormatYAML {
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
	tabs := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	line := func(cell func(Column[T]) string) {
		cells := make([]string, len(columns))
		for i, c := range columns {
			cells[i] = cell(c)
		}
		fmt.Fprintln(tabs, strings.TrimRight(strings.Join(cells, "\t"), "\t "))
	}
	line(func(c Column[T]) string { return c.Name })
	for _, item := range items {
		line(func(c Column[T]) string { return cell(c.Value(item)) })
	}
	return tabs.Flush()
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

// Document prints any value as JSON or YAML.
func Document(w io.Writer, f Format, v any) error {
	if f == FormatYAML {
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
	switch f {
	case FormatJSON:
		raw, err := json.Marshal(item)
		if err != nil {
			return err
		}
		return printJSON(w, raw)
	case FormatYAML:
		if _, err := fmt.Fprintln(w, "---"); err != nil {
			return err
		}
		return Document(w, f, item)
	case FormatName:
		return PrintLine(w, t[0].Value(item))
	}
	var cells []string
	for _, c := range t.shown(f) {
		cells = append(cells, cell(c.Value(item)))
	}
	_, err := fmt.Fprintln(w, strings.Join(cells, "  "))
	return err
}

// Streams is where a command reads and writes.
type Streams struct {
	In  io.Reader
	Out io.Writer // what was asked for: tables, JSON, the ready line
	Err io.Writer // progress and errors
}
