package barbican

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
)

// kind is what a document of the cloud is here.
type kind struct {
	ids service.Kind
	// document is the type of the documents, and what their names are like that have none.
	document string
	// path is where they are, and reference the attribute that has the URL of one.
	path, reference string
	// check judges what a document says: what it takes can be shown.
	check func(body []byte) error
}

var (
	secretKind    = kind{service.Secrets, "secret", secretsPath, "secret_ref", reading((document).check)}
	containerKind = kind{service.Containers, "container", containersPath, "container_ref", reading((keptContainer).check)}
)

// reading is the check of a body that has what T has.
func reading[T any](check func(T) error) func(body []byte) error {
	return func(body []byte) error {
		var says T
		if err := json.Unmarshal(body, &says); err != nil {
			return err
		}
		return check(says)
	}
}

// Documents are the types of the documents that the service keeps in the cloud.
func Documents() []dialect.DocumentType {
	var all []dialect.DocumentType
	for _, k := range []kind{secretKind, containerKind} {
		all = append(all, dialect.DocumentType{Name: k.document, Check: func(d simcloud.Document) error { return k.check(d.Body) }})
	}
	return all
}

// dialectName is what documents say that they are of.
const dialectName = "openstack"

// active is the status of all that there is.
const active = "ACTIVE"

// has reports whether a document is of the kind.
func (k kind) has(d simcloud.Document) bool { return d.Dialect == dialectName && d.Type == k.document }

// find reads a document of a kind, and what it says. One that cannot be read is not found: it is from a cloud that took
// what its reader does not.
func find[T any](c service.Call, k kind, id simcloud.ID) (d simcloud.Document, says T, err error) {
	if id != "" {
		d, err = c.Cloud.GetDocument(c.Ctx(), id)
	}
	if err == nil && (!k.has(d) || k.check(d.Body) != nil) {
		err = simcloud.Errorf(simcloud.NotFound, string(id), "no %s", k.document)
	}
	if err != nil {
		return d, says, err
	}
	return d, says, json.Unmarshal(d.Body, &says)
}

// keep makes a document, and answers the URL of what it is.
func keep(c service.Call, k kind, name *string, body any) (any, *simcloud.Meta, error) {
	raw, err := json.Marshal(body)
	if err != nil {
		return nil, nil, err
	}
	all, err := service.All(c, c.Cloud.ListDocuments)
	if err != nil {
		return nil, nil, err
	}
	made, err := c.Cloud.CreateDocument(c.Ctx(), simcloud.DocumentSpec{
		Name: k.free(all, k.nameOf(name)), Dialect: dialectName, Type: k.document, Body: raw,
	})
	if err != nil {
		return nil, nil, err
	}
	return map[string]any{k.reference: k.ref(c, made.Resource.ID)}, &made.Resource.Meta, nil
}

// nameOf is the name in the cloud of something with a name.
func (k kind) nameOf(name *string) string {
	if name == nil {
		return k.document
	}
	return service.LegalName(*name, k.document)
}

// free is a name that no document of the kind has: Barbican lets two things have one name, the cloud does not.
func (k kind) free(all []simcloud.Document, name string) string {
	const longest = 253
	free := name
	for n := 2; slices.ContainsFunc(all, func(d simcloud.Document) bool { return k.has(d) && d.Name == free }); n++ {
		suffix := fmt.Sprintf("-%d", n)
		free = name[:min(len(name), longest-len(suffix))] + suffix
	}
	return free
}

// remover deletes what a call is about. What uses it goes on: Barbican does not ask.
func remover(k kind) func(service.Call) (any, *simcloud.Meta, error) {
	return func(c service.Call) (any, *simcloud.Meta, error) {
		d, _, err := find[any](c, k, c.ID)
		if err != nil {
			return nil, nil, err
		}
		_, err = c.Cloud.DeleteDocument(c.Ctx(), d.ID)
		return nil, &d.Meta, err
	}
}

// subjectOf reads the name of what a request creates.
func subjectOf(k kind) func(body []byte) fault.Subject {
	return func(body []byte) fault.Subject {
		var in struct {
			Name *string `json:"name"`
		}
		if json.Unmarshal(body, &in) != nil {
			return fault.Subject{}
		}
		return fault.Subject{Name: k.nameOf(stripped(in.Name))}
	}
}

// stripped is a text without the blanks around it, as Barbican keeps it.
func stripped(name *string) *string {
	if name == nil {
		return nil
	}
	return new(strings.TrimSpace(*name))
}

// text is an attribute of a request.
type text struct {
	property string
	value    *string
}

// checkTexts judges texts of a request for something of the schema, in their order.
func checkTexts(schema string, texts ...text) error {
	const longest = 255
	for _, t := range texts {
		if t.value == nil {
			continue
		}
		if n := utf8.RuneCountInString(*t.value); n > longest {
			return bad(schema, t.property, "the text has %d characters: must have at most %d", n, longest)
		}
	}
	return nil
}
