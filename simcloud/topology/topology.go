// Package topology reads topology files: what a cloud should have, in YAML.
// docs/topology.md describes them.
package topology

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"strings"

	node "go.yaml.in/yaml/v3"
	strict "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/strictjson"
)

// MaxBytes is the longest topology file; it is also what a cloud takes in a request.
const MaxBytes = 1 << 20

// Parse reads a topology from YAML, or from JSON, which is YAML too. What it
// does not know, and what stands there twice, is an error that names the field
// by its path. Errors have the code Invalid.
func Parse(data []byte) (simcloud.Topology, error) {
	var topology simcloud.Topology
	if len(data) > MaxBytes {
		return topology, broken("it has %d bytes: must have at most %d", len(data), MaxBytes)
	}
	raw, err := yaml.YAMLToJSONStrict(data)
	if err != nil {
		return topology, broken("%s", strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if trimmed := bytes.TrimSpace(raw); len(trimmed) == 0 || trimmed[0] != '{' {
		return topology, broken("the top must be a mapping with fields such as regions and networks")
	}
	if err := alone(data); err != nil {
		return topology, err
	}
	wrong, err := strict.UnmarshalStrict(raw, &topology)
	if err != nil {
		return simcloud.Topology{}, mistyped(err)
	}
	if err := unknown(wrong); err != nil {
		return simcloud.Topology{}, err
	}
	return topology, topology.Validate()
}

// broken is the error for a file as a whole.
func broken(format string, args ...any) error {
	return simcloud.Errorf(simcloud.Invalid, "topology", "it is not a topology: "+format, args...)
}

// alone refuses a file of several documents, of which the first alone would count.
func alone(data []byte) error {
	documents := node.NewDecoder(bytes.NewReader(data))
	var first, second node.Node
	if err := documents.Decode(&first); err != nil {
		return broken("%s", strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if err := documents.Decode(&second); !errors.Is(err, io.EOF) {
		return broken("it has more than one document: must be one")
	}
	return nil
}

// embedded is what encoding/json adds to a path for a type within a type, such as
// the InstanceSpec in instances.InstanceSpec.name. Fields begin with a small letter.
var embedded = regexp.MustCompile(`\b[A-Z]\w*\.`)

// mistyped says which field has a value of the wrong type.
func mistyped(err error) error {
	var e *json.UnmarshalTypeError
	if !errors.As(err, &e) || e.Field == "" {
		return broken("%s", strings.TrimPrefix(err.Error(), "json: "))
	}
	return simcloud.InvalidFields("topology", []simcloud.FieldError{{
		Field: embedded.ReplaceAllString(e.Field, ""), Detail: fmt.Sprintf("a %s is invalid here: must be a %s (YAML takes n, no, on and 1 for other things than text: quote them)", e.Value, e.Type.Kind()),
	}})
}

// unknown names the fields that should not be there.
func unknown(wrong []error) error {
	return simcloud.InvalidFields("topology", strictjson.FieldsOf(reflect.TypeFor[simcloud.Topology](), wrong, "topology"))
}
