package cli

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
	formatTable = "table"
	formatWide  = "wide"
	formatJSON  = "json"
	formatYAML  = "yaml"
	formatName  = "name"
)

// format is a --output that was checked.
type format string

// formats are the values of --output.
func formats() []string {
	return []string{formatTable, formatWide, formatJSON, formatYAML, formatName}
}

// String returns the name of the format.
func (f *format) String() string { return string(*f) }

// Set takes a format by its name.
func (f *format) Set(name string) error {
	if !slices.Contains(formats(), name) {
		return fmt.Errorf("%q is not one of %s", name, strings.Join(formats(), ", "))
	}
	*f = format(name)
	return nil
}

// Type names the flag's value in the help.
func (f *format) Type() string { return "table|wide|json|yaml|name" }

// addFlag gives a command the flag --output.
func (f *format) addFlag(cmd *cobra.Command) {
	*f = formatTable
	cmd.PersistentFlags().VarP(f, "output", "o", "how to print; name prints ids alone")
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(formats(), cobra.ShellCompDirectiveNoFileComp)) // the flag is there
}

// column is one column of a table of T.
type column[T any] struct {
	name  string
	wide  bool // only with -o wide
	value func(T) string
}

// col is a column that each table shows.
func col[T any](name string, value func(T) string) column[T] {
	return column[T]{name: name, value: value}
}

// wideCol is a column that only -o wide shows.
func wideCol[T any](name string, value func(T) string) column[T] {
	return column[T]{name: name, wide: true, value: value}
}

// table prints values of one type. The first column is their id.
type table[T any] []column[T]

// shown returns the columns of a format.
func (t table[T]) shown(f format) table[T] {
	if f == formatWide {
		return t
	}
	return slices.DeleteFunc(slices.Clone(t), func(c column[T]) bool { return c.wide })
}

// list prints all values: as rows, as one JSON or YAML list, or as ids.
func (t table[T]) list(w io.Writer, f format, items []T) error {
	switch f {
	case formatJSON, formatYAML:
		return document(w, f, append([]T{}, items...))
	case formatName:
		for _, item := range items {
			if err := printLine(w, t[0].value(item)); err != nil {
				return err
			}
		}
		return nil
	}
	return t.rows(w, f, items)
}

// one prints a value: as a row, as a JSON or YAML object, or as its id.
func (t table[T]) one(w io.Writer, f format, item T) error {
	if f == formatJSON || f == formatYAML {
		return document(w, f, item)
	}
	return t.list(w, f, []T{item})
}

// all prints the values for arguments of which there were so many: one alone as such.
func (t table[T]) all(w io.Writer, f format, items []T, asked int) error {
	if f == formatJSON || f == formatYAML {
		return documents(w, f, items, asked)
	}
	if len(items) == 0 {
		return nil
	}
	return t.list(w, f, items)
}

// documents prints one document: the value itself when one was asked for, else a list.
func documents[T any](w io.Writer, f format, items []T, asked int) error {
	switch {
	case len(items) == 0 && asked == 1:
		return nil
	case asked == 1:
		return document(w, f, items[0])
	default:
		return document(w, f, append([]T{}, items...))
	}
}

func (t table[T]) rows(w io.Writer, f format, items []T) error {
	columns := t.shown(f)
	tabs := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	line := func(cell func(column[T]) string) {
		cells := make([]string, len(columns))
		for i, c := range columns {
			cells[i] = cell(c)
		}
		fmt.Fprintln(tabs, strings.TrimRight(strings.Join(cells, "\t"), "\t "))
	}
	line(func(c column[T]) string { return c.name })
	for _, item := range items {
		line(func(c column[T]) string { return cell(c.value(item)) })
	}
	return tabs.Flush()
}

// dash keeps an empty cell in its column.
func dash(cell string) string {
	if cell == "" {
		return "-"
	}
	return cell
}

// cell is a text that stays in its row and column.
func cell(text string) string { return dash(escape.Line(text)) }

// printLine prints a text that is one line, whatever it holds.
func printLine(w io.Writer, text string) error {
	_, err := fmt.Fprintln(w, escape.Line(text))
	return err
}

// printer prints texts of one or more lines, such as of the progress of a command.
func printer(w io.Writer) func(string) {
	return func(text string) { fmt.Fprintln(w, escape.Block(text)) }
}

// document prints any value as JSON or YAML.
func document(w io.Writer, f format, v any) error {
	if f == formatYAML {
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

// line prints a value of a stream: one line of cells, or of JSON.
func (t table[T]) line(w io.Writer, f format, item T) error {
	switch f {
	case formatJSON:
		raw, err := json.Marshal(item)
		if err != nil {
			return err
		}
		return printJSON(w, raw)
	case formatYAML:
		if _, err := fmt.Fprintln(w, "---"); err != nil {
			return err
		}
		return document(w, f, item)
	case formatName:
		return printLine(w, t[0].value(item))
	}
	var cells []string
	for _, c := range t.shown(f) {
		cells = append(cells, cell(c.value(item)))
	}
	_, err := fmt.Fprintln(w, strings.Join(cells, "  "))
	return err
}

// stdio is where a command reads and writes.
type stdio struct {
	in  io.Reader
	out io.Writer // what was asked for: tables, JSON, the ready line
	err io.Writer // progress and errors
}
