package syntax

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/simcloud-dev/simcloud/scenarios"
)

// readDocument reads the only document of a file into a struct with tags; example shows
// what such a file is. Its error names every mistake with its file, line and column.
func readDocument(file string, raw []byte, example string, into reflect.Value) error {
	d := &Decoder{File: file, lines: strings.Split(string(raw), "\n")}
	documents := yaml.NewDecoder(bytes.NewReader(raw))
	var doc, more yaml.Node
	switch err := documents.Decode(&doc); {
	case errors.Is(err, io.EOF):
		d.ErrorAt(scenarios.Position{File: file, Line: 1}, "the file declares nothing: want %s", example)
		return d.Errs
	case err != nil:
		at, message := YAMLErrorPosition(file, err)
		d.ErrorAt(at, "%s", message)
		return d.Errs
	case !d.bounded(&doc):
		return d.Errs
	}
	d.read(doc.Content[0], "the file", into)
	if documents.Decode(&more) == nil {
		d.Errorf(&more, "the file has a second document: want one")
	}
	return d.Errs.AsError()
}
