package openapi

import (
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
	Groups  []group
	Schemas []Property
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
	p := page{Document: d}
	for _, tag := range d.Tags {
		p.Groups = append(p.Groups, group{tag, d.entries(tag.Name)})
	}
	for _, name := range slices.Sorted(maps.Keys(d.Components.Schemas)) {
		p.Schemas = append(p.Schemas, Property{name, d.Components.Schemas[name]})
	}
	return tmpl.Execute(w, p)
}

// entries returns the operations of a group, by path and method.
func (d *Document) entries(tag string) []entry {
	var all []entry
	for _, path := range slices.Sorted(maps.Keys(d.Paths)) {
		for _, method := range []string{"get", "post", "put", "patch", "delete"} {
			if op := d.Paths[path][method]; op != nil && slices.Contains(op.Tags, tag) {
				all = append(all, d.entry(strings.ToUpper(method), path, op))
			}
		}
	}
	return all
}

func (d *Document) entry(method, path string, op *Operation) entry {
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
	e.Curl = d.curl(e)
	return e
}

// curl is the operation as a line of the shell.
func (d *Document) curl(e entry) string {
	line := "curl"
	if e.Stream {
		line += " --no-buffer"
	}
	if e.Method != "GET" {
		line += " -X " + e.Method
	}
	line += ` -H "Authorization: Bearer $SIMCLOUD_TOKEN"`
	if e.Request != nil {
		body, err := json.Marshal(d.example(e.Request, 0))
		if err != nil { // an example is texts and numbers
			return ""
		}
		line += " -H 'Content-Type: application/json' -d '" + string(body) + "'"
	}
	return line + ` "$SIMCLOUD_ENDPOINT` + strings.NewReplacer("{", "$", "}", "").Replace(e.Path) + `"`
}
