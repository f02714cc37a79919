package output_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
)

type thing struct {
	ID     string            `json:"id"`
	State  string            `json:"state"`
	Size   int               `json:"size"`
	Ports  []int             `json:"ports,omitempty"`
	Labels map[string]string `json:"labels,omitempty"`
}

var things = output.Table[thing]{
	output.Col("ID", func(t thing) string { return t.ID }),
	output.Col("STATE", func(t thing) string { return t.State }),
	output.WideCol("SIZE", func(thing) string { return "" }),
}

var two = []thing{
	{ID: "i-10", State: "running", Size: 3_000_000, Ports: []int{80, 443}, Labels: map[string]string{"a.b/c": "x\x1b[2J"}},
	{ID: "i-9", State: "stopped", Size: 20},
}

func TestFormats(t *testing.T) {
	t.Parallel()
	for format, want := range map[string]string{
		"table":                        "ID    STATE\ni-10  running\ni-9   stopped\n",
		"wide":                         "ID    STATE    SIZE\ni-10  running  -\ni-9   stopped  -\n",
		"name":                         "i-10\ni-9\n",
		"jsonpath={.items[*].id}":      "i-10 i-9\n",
		"jsonpath={.items[*].size}":    "3000000 20\n",
		"jsonpath={.items[0].nothing}": "",
		`jsonpath={range .items[?(@.state=="stopped")]}{.id}={.size}{"\n"}{end}`: "i-9=20\n",
		`jsonpath={.items[0].labels.a\.b/c}`:                                     "x\\x1b[2J\n",
		"custom-columns=ID:.id,PORTS:.ports,FIRST:.ports[0],EACH:.ports[*]":      "ID    PORTS     FIRST   EACH\ni-10  [80,443]  80      80,443\ni-9   <none>    <none>  <none>\n",
		`custom-columns=L:{.labels.a\.b/c},S:size`:                               "L         S\nx\\x1b[2J  3000000\n<none>    20\n",
	} {
		var f output.Format
		var out bytes.Buffer
		if err := f.Set(format); err != nil {
			t.Errorf("%s: %v", format, err)
			continue
		}
		if err := things.List(&out, f, two); err != nil || out.String() != want {
			t.Errorf("%s prints %q, %v; want %q", format, out.String(), err, want)
		}
	}
}

// TestTemplateOfOne is about a value as it is; only a list has items.
func TestTemplateOfOne(t *testing.T) {
	t.Parallel()
	for format, want := range map[output.Format]string{
		"jsonpath={.id} is {.state}": "i-10 is running\n",
		"custom-columns=ID:.id":      "ID\ni-10\n",
	} {
		var one, line bytes.Buffer
		if err := things.One(&one, format, two[0]); err != nil || one.String() != want {
			t.Errorf("%s prints %q, %v; want %q", format, one.String(), err, want)
		}
		if err := things.Line(&line, format, two[0]); err != nil || line.String() != strings.TrimPrefix(want, "ID\n") {
			t.Errorf("a line of %s is %q, %v", format, line.String(), err)
		}
	}
}

func TestFormatsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for format, want := range map[string]string{
		"jsonn":                    "is not one of table, wide, json, yaml, name, jsonpath=TEMPLATE, custom-columns=HEADER:PATH",
		"jsonpath={.id":            `invalid JSONPath "{.id": unclosed action; want one such as {.name}`,
		"custom-columns=ID":        `invalid column "ID": want HEADER:PATH`,
		"custom-columns=ID:":       `column ID: invalid JSONPath "": want the path of one field`,
		"custom-columns=ID:{.a}{b": `column ID: invalid JSONPath "{.a}{b"`,
	} {
		f := output.Format(output.FormatTable)
		if err := f.Set(format); err == nil || !strings.Contains(err.Error(), want) || f != output.FormatTable {
			t.Errorf("%s: %v; want %s", format, err, want)
		}
	}
}
