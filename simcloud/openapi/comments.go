package openapi

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"path"
	"reflect"
	"strings"
	"sync"
)

//go:generate go test -run ^TestComments$ . -update

// source is what the packages of the model say of themselves in their comments.
//
//go:embed comments.json
var source []byte

// comments are the doc comments of types and operations.
type comments struct {
	// Types has the types by package and name, such as "simcloud.Instance".
	Types map[string]typeComment `json:"types"`
	// Operations has the methods of the interfaces by their names.
	Operations map[string]operationComment `json:"operations"`
	// Groups has the interfaces by their names.
	Groups map[string]string `json:"groups"`
}

// typeComment is what is said of a type.
type typeComment struct {
	Doc    string            `json:"doc,omitempty"`
	Fields map[string]string `json:"fields,omitempty"`
	// Values are the constants of the type.
	Values []valueComment `json:"values,omitempty"`
}

// valueComment is what is said of a constant.
type valueComment struct {
	Value string `json:"value"`
	Doc   string `json:"doc,omitempty"`
}

// operationComment is what is said of an operation, and where.
type operationComment struct {
	Group string `json:"group"`
	Doc   string `json:"doc,omitempty"`
}

// readComments returns what was embedded.
var readComments = sync.OnceValues(func() (c comments, err error) {
	if err := json.Unmarshal(source, &c); err != nil {
		return c, fmt.Errorf("the comments of the model: %w", err)
	}
	return c, nil
})

// Values are the constants of a named type, in the order of its source; none for a type that has no doc comment here.
func Values(t reflect.Type) ([]string, error) {
	c, err := readComments()
	if err != nil {
		return nil, err
	}
	return c.of(t).values(), nil
}

func (c comments) of(t reflect.Type) typeComment {
	name, _, _ := strings.Cut(t.Name(), "[")
	return c.Types[path.Base(t.PkgPath())+"."+name]
}

// description is what is said of the type and of its values.
func (t typeComment) description() string {
	said := []string{}
	for _, v := range t.Values {
		if v.Doc != "" {
			said = append(said, v.Value+": "+v.Doc)
		}
	}
	if len(said) == 0 {
		return t.Doc
	}
	return t.Doc + " (" + strings.Join(said, "; ") + ")"
}

// values are the texts of the constants.
func (t typeComment) values() []string {
	var texts []string
	for _, v := range t.Values {
		texts = append(texts, v.Value)
	}
	return texts
}
