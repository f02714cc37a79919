package output

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// The formats of --output: rows, rows with all columns, documents, or ids alone.
const (
	FormatTable = "table"
	FormatWide  = "wide"
	FormatJSON  = "json"
	FormatYAML  = "yaml"
	FormatName  = "name"
)

// Format is a --output that was checked. Besides the names there are those with a template, as kubectl has them:
// "jsonpath={.state}" and "custom-columns=NAME:.name,STATE:.state".
type Format string

// Formats are the values of --output that have no template.
func Formats() []string {
	return []string{FormatTable, FormatWide, FormatJSON, FormatYAML, FormatName}
}

// String returns the name of the format, and its template.
func (f *Format) String() string { return string(*f) }

// Set takes a format by its name.
func (f *Format) Set(name string) error {
	if err := Format(name).check(); err != nil {
		return err
	}
	*f = Format(name)
	return nil
}

// Accepts reports whether there is a format of that name.
func (f *Format) Accepts(name string) bool { return Format(name).check() == nil }

func (f Format) check() error {
	if f.HasTemplate() {
		_, err := f.template()
		return err
	}
	if !slices.Contains(Formats(), string(f)) {
		return fmt.Errorf("%q is not one of %s, %sTEMPLATE, %sHEADER:PATH", string(f), strings.Join(Formats(), ", "), jsonPathPrefix, columnsPrefix)
	}
	return nil
}

// Type names the flag's value in the help.
func (f *Format) Type() string { return "format" }

// IsDocument reports whether the format shows all of a value, or what a template takes out of it, in place of a table
// or of ids.
func (f Format) IsDocument() bool { return f == FormatJSON || f == FormatYAML || f.HasTemplate() }

// HasTemplate reports whether the format takes parts out of a value.
func (f Format) HasTemplate() bool {
	return strings.HasPrefix(string(f), jsonPathPrefix) || strings.HasPrefix(string(f), columnsPrefix)
}

// AddFlag gives a command the flag --output, and those that change how tables look.
func (f *Format) AddFlag(cmd *cobra.Command) {
	*f = FormatTable
	flags := cmd.PersistentFlags()
	flags.VarP(f, "output", "o", "format of the output: "+strings.Join(Formats(), ", ")+" (ids alone), "+jsonPathPrefix+"TEMPLATE or "+columnsPrefix+"HEADER:PATH")
	flags.Bool(flagNoHeaders, false, "tables without their headers")
	flags.String(flagSortBy, "", "JSONPath of the field by which to sort lists, such as .created")
	words := append(Formats(), jsonPathPrefix, columnsPrefix)
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)) // the flag is there
	_ = cmd.RegisterFlagCompletionFunc(flagSortBy, cobra.NoFileCompletions)
}
