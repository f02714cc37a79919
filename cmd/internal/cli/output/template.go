package output

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/client-go/util/jsonpath"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/simcloud/escape"
)

// The beginnings of formats that have a template.
const (
	jsonPathPrefix = "jsonpath="
	columnsPrefix  = "custom-columns="
)

// template takes parts out of documents.
type template interface {
	// print prints what a document has: a list, or one value.
	print(to Screen, document any) error
	// line prints what a value of a stream has, on one line.
	line(w io.Writer, value any) error
}

// template returns the template of a format; nil when it has none.
func (f Format) template() (template, error) {
	if text, ok := strings.CutPrefix(string(f), jsonPathPrefix); ok {
		path, err := parsePath(text)
		if err != nil {
			return nil, err
		}
		return pathTemplate{path}, nil
	}
	if text, ok := strings.CutPrefix(string(f), columnsPrefix); ok {
		return parseColumns(text)
	}
	return nil, nil
}

// parsePath reads a JSONPath of Kubernetes, which is a text with expressions in braces.
func parsePath(text string) (*jsonpath.JSONPath, error) {
	path := jsonpath.New("output").AllowMissingKeys(true)
	if err := path.Parse(text); err != nil {
		return nil, fmt.Errorf("invalid JSONPath %q: %w; want one such as {.name}, or {.items[*].name} for a list", text, err)
	}
	return path, nil
}

// relaxedPath reads a JSONPath that may lack its braces and its first dot: .name and name are {.name}.
func relaxedPath(text string) (*jsonpath.JSONPath, error) {
	inner := strings.TrimPrefix(strings.TrimSuffix(strings.TrimPrefix(text, "{"), "}"), ".")
	if inner == "" || strings.ContainsAny(inner, "{}") {
		return nil, fmt.Errorf("invalid JSONPath %q: want the path of one field, such as .name", text)
	}
	return parsePath("{." + inner + "}")
}

// pathTemplate is a format jsonpath=TEMPLATE.
type pathTemplate struct{ path *jsonpath.JSONPath }

// print takes a list as kubectl does: its elements are "items".
func (t pathTemplate) print(to Screen, document any) error {
	value, err := tree(document)
	if err != nil {
		return err
	}
	if list, ok := value.([]any); ok {
		value = map[string]any{"items": list}
	}
	return t.execute(to, value)
}

func (t pathTemplate) line(w io.Writer, value any) error {
	value, err := tree(value)
	if err != nil {
		return err
	}
	return t.execute(w, value)
}

// execute prints what the path finds, and ends the last line: a prompt belongs on the next.
func (t pathTemplate) execute(w io.Writer, value any) error {
	var out bytes.Buffer
	if err := t.path.Execute(&out, value); err != nil {
		return exit.Usage(fmt.Errorf("--output: %w", err))
	}
	text := escape.Block(out.String())
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	_, err := io.WriteString(w, text)
	return err
}

// pathColumn is one of custom-columns.
type pathColumn struct {
	header string
	path   *jsonpath.JSONPath
}

// columnsTemplate is a format custom-columns=HEADER:PATH,HEADER:PATH.
type columnsTemplate []pathColumn

func parseColumns(text string) (template, error) {
	var columns columnsTemplate
	for part := range strings.SplitSeq(text, ",") {
		header, path, ok := strings.Cut(part, ":")
		if !ok || header == "" {
			return nil, fmt.Errorf("invalid column %q: want HEADER:PATH, such as NAME:.name,STATE:.state", part)
		}
		parsed, err := relaxedPath(path)
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", header, err)
		}
		columns = append(columns, pathColumn{header, parsed})
	}
	return columns, nil
}

func (t columnsTemplate) print(to Screen, document any) error {
	value, err := tree(document)
	if err != nil {
		return err
	}
	list, ok := value.([]any)
	if !ok {
		list = []any{value}
	}
	var header []string
	for _, c := range t {
		header = append(header, escape.Line(c.header))
	}
	var rows [][]string
	for _, item := range list {
		cells, err := t.cells(item)
		if err != nil {
			return err
		}
		rows = append(rows, cells)
	}
	return to.table(header, rows, false)
}

func (t columnsTemplate) line(w io.Writer, value any) error {
	value, err := tree(value)
	if err != nil {
		return err
	}
	cells, err := t.cells(value)
	if err != nil {
		return err
	}
	return PrintLine(w, strings.Join(cells, "  "))
}

// missing is the cell of a field that a value does not have, as kubectl prints it.
const missing = "<none>"

func (t columnsTemplate) cells(value any) ([]string, error) {
	cells := make([]string, len(t))
	for i, c := range t {
		found, err := findAll(c.path, value)
		if err != nil {
			return nil, exit.Usage(fmt.Errorf("--output: column %s: %w", c.header, err))
		}
		texts := make([]string, len(found))
		for j, v := range found {
			texts[j] = Plain(v)
		}
		if cells[i] = escape.Line(strings.Join(texts, ",")); cells[i] == "" {
			cells[i] = missing
		}
	}
	return cells, nil
}

// findAll returns all values that a path finds.
func findAll(path *jsonpath.JSONPath, value any) ([]any, error) {
	results, err := path.FindResults(value)
	if err != nil {
		return nil, err
	}
	var found []any
	for _, result := range results {
		for _, v := range result {
			if v.CanInterface() && v.Interface() != nil {
				found = append(found, v.Interface())
			}
		}
	}
	return found, nil
}

// Plain is a value as it was read from JSON: in JSON again, but a text without its quotes.
func Plain(value any) string {
	if text, ok := value.(string); ok {
		return text
	}
	raw, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value) // it was not read from JSON
	}
	return string(raw)
}

// tree is what a value becomes as JSON, with whole numbers as such.
func tree(value any) (any, error) {
	raw, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	var found any
	err = utiljson.Unmarshal(raw, &found)
	return found, err
}
