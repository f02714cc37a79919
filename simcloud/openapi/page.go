package openapi

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"maps"
	"slices"
	"strings"
)

//go:embed page.html
var pageSource string

// page is what the template shows: the document in the order in which people read it.
type page struct {
	*Document
	Sides   []side
	Schemas []Property
}

// side is the API of the cloud, or that of the simulator.
type side struct {
	Name, Prefix string
	Groups       []group
}

// group is a tag with its operations.
type group struct {
	Tag
	Operations []entry
}

// entry is one operation.
type entry struct {
	*Operation
	Method, Path string
	Params       []*Param
	// Request and Response are the schemas of the bodies; nil for none.
	Request, Response *Schema
	// Stream is whether Response is what each event of a stream has.
	Stream bool
	Status string
	Errors []failure
	Curl   string
	// Answer is the body of a response, or an event of a stream, as one was recorded; empty for none.
	Answer string
}

// failure is one status that is an error.
type failure struct{ Status, Description string }

// WriteHTML writes the document as one page that needs nothing else.
func (d *Document) WriteHTML(w io.Writer) error {
	tmpl, err := template.New("page").Funcs(template.FuncMap{
		"link": link, "label": label, "contains": slices.Contains[[]string],
	}).Parse(pageSource)
	if err != nil {
		return fmt.Errorf("the page of the interface: %w", err)
	}
	examples, err := readRecorded()
	if err != nil {
		return err
	}
	p := page{Document: d, Sides: []side{{Name: "The cloud", Prefix: "/v1/"}, {Name: "The simulator", Prefix: "/_sim/"}}}
	for i := range p.Sides {
		for _, tag := range d.Tags {
			if found := d.entries(tag.Name, p.Sides[i].Prefix, examples); len(found) > 0 {
				p.Sides[i].Groups = append(p.Sides[i].Groups, group{tag, found})
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(d.Components.Schemas)) {
		p.Schemas = append(p.Schemas, Property{name, d.Components.Schemas[name]})
	}
	return tmpl.Execute(w, p)
}

// entries returns the operations of a group on one side, by path and method.
func (d *Document) entries(tag, prefix string, examples map[string]recorded) []entry {
	var all []entry
	for _, path := range slices.Sorted(maps.Keys(d.Paths)) {
		for _, method := range []string{"get", "post", "put", "patch", "delete"} {
			if op := d.Paths[path][method]; op != nil && strings.HasPrefix(path, prefix) && slices.Contains(op.Tags, tag) {
				all = append(all, d.entry(strings.ToUpper(method), path, op, examples[op.ID]))
			}
		}
	}
	return all
}

func (d *Document) entry(method, path string, op *Operation, example recorded) entry {
	e := entry{Operation: op, Method: method, Path: path}
	for _, p := range op.Parameters {
		if name, ok := strings.CutPrefix(p.Ref, parameterPrefix); ok {
			p = d.Components.Parameters[name]
		}
		e.Params = append(e.Params, p)
	}
	if op.Body != nil {
		e.Request = op.Body.Content[mediaJSON].Schema
	}
	for _, status := range slices.Sorted(maps.Keys(op.Responses)) {
		response := op.Responses[status]
		if name, ok := strings.CutPrefix(response.Ref, responsePrefix); ok {
			e.Errors = append(e.Errors, failure{status, d.Components.Responses[name].Description})
			continue
		}
		e.Status = status
		for _, media := range response.Content {
			if e.Response = media.Schema; media.Event != nil {
				e.Response, e.Stream = media.Event, true
			}
		}
	}
	e.Curl, e.Answer = curl(e, example), indented(example.Response)
	return e
}

// curl is the recorded call as lines of the shell.
func curl(e entry, example recorded) string {
	line := "curl"
	if e.Stream {
		line += " --no-buffer"
	}
	if e.Method != "GET" {
		line += " -X " + e.Method
	}
	line += ` -H "Authorization: Bearer $SIMCLOUD_TOKEN" "$SIMCLOUD_ENDPOINT` + example.Path + `"`
	if e.Request != nil {
		line += " \\\n  -H 'Content-Type: application/json' -d '" + strings.ReplaceAll(indented(example.Request), "'", `'\''`) + "'"
	}
	return line
}

// indented is JSON as people read it; empty for none.
func indented(raw json.RawMessage) string {
	var out bytes.Buffer
	if len(raw) == 0 || json.Indent(&out, raw, "", "  ") != nil {
		return ""
	}
	return out.String()
}
