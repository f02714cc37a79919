package dialect

import (
	"errors"
	"fmt"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// DocumentType is a type of the documents that a dialect keeps in the cloud.
type DocumentType struct {
	// Name is [simcloud.Document.Type].
	Name string
	// Check reports why the dialect cannot read a document of the type. It is what the dialect itself reads them by.
	Check func(simcloud.Document) error
}

// CheckDocument reports, as Invalid, why the dialect that a document belongs to cannot read it. A document of none of the
// dialects passes: nothing reads it.
func CheckDocument(all []Dialect, d simcloud.Document) error {
	for _, owner := range all {
		if owner.Name == d.Dialect {
			return owner.checkDocument(d)
		}
	}
	return nil
}

func (d Dialect) checkDocument(document simcloud.Document) error {
	var names []string
	for _, t := range d.Documents {
		if t.Name == document.Type {
			return inBody(t.Check(document))
		}
		names = append(names, t.Name)
	}
	detail := fmt.Sprintf("%q is not a type of %s's documents: must be one of %s", document.Type, d.Name, strings.Join(names, ", "))
	if len(names) == 0 {
		detail = fmt.Sprintf("%q is not a type of %s's documents: the dialect keeps none", document.Type, d.Name)
	}
	return simcloud.InvalidFields(string(simcloud.KindDocument), []simcloud.FieldError{{Field: "type", Detail: detail}})
}

// inBody is the error of a reader of bodies, for whoever writes the whole document.
func inBody(err error) error {
	if err == nil {
		return nil
	}
	fields := []simcloud.FieldError{{Field: "body", Detail: err.Error()}}
	if of := (*simcloud.Error)(nil); errors.As(err, &of) && len(of.Fields) > 0 {
		fields = nil
		for _, f := range of.Fields {
			fields = append(fields, simcloud.FieldError{Field: "body." + f.Field, Detail: f.Detail})
		}
	}
	return simcloud.InvalidFields(string(simcloud.KindDocument), fields)
}
