package cloud

import (
	"errors"
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/yamlpath"
)

// fileError is an error about what a file holds: its fields are told with the lines of the file.
type fileError struct {
	text string
	error
}

// Error is the error with the lines.
func (e fileError) Error() string { return e.text }

// Unwrap returns the error without them.
func (e fileError) Unwrap() error { return e.error }

// withLines says of each field of an error in which line of a value it stands.
func withLines(n *yaml.Node, err error) error {
	var e *simcloud.Error
	if !errors.As(err, &e) || len(e.Fields) == 0 {
		return err
	}
	lined := *e
	lined.Fields = slices.Clone(e.Fields)
	for i, f := range lined.Fields {
		if line := yamlpath.Line(n, f.Field); line > 0 {
			lined.Fields[i].Field = fmt.Sprintf("%s (line %d)", f.Field, line)
		}
	}
	return fileError{lined.Error(), err}
}
