package barbican

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
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
}

var (
	secretKind    = kind{service.Secrets, "secret", secretsPath, "secret_ref"}
	containerKind = kind{service.Containers, "container", containersPath, "container_ref"}
)

// dialectName is what documents say that they are of.
const dialectName = "openstack"

// has reports whether a document is of the kind.
func (k kind) has(d simcloud.Document) bool { return d.Dialect == dialectName && d.Type == k.document }

// ref is the URL of a document.
func (k kind) ref(c service.Call, id simcloud.ID) string {
	return c.Endpoint() + "/key-manager" + k.path + "/" + k.ids.UUID(id)
}

// find reads what a call is about, and what its document says.
func find[T any](c service.Call, k kind) (d simcloud.Document, kept T, err error) {
	d, err = c.Cloud.GetDocument(c.Ctx(), c.ID)
	if err == nil && !k.has(d) {
		err = simcloud.Errorf(simcloud.NotFound, string(c.ID), "no %s", k.document)
	}
	if err != nil {
		return d, kept, err
	}
	return d, kept, json.Unmarshal(d.Body, &kept)
}

// keep makes a document, and answers the URL of what it is. Barbican lets two have one name, the cloud does not.
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
		Name: k.free(all, service.LegalName(textOf(name), k.document)), Dialect: dialectName, Type: k.document, Body: raw,
	})
	if err != nil {
		return nil, nil, err
	}
	return map[string]any{k.reference: k.ref(c, made.Resource.ID)}, &made.Resource.Meta, nil
}

// free is a name that no document of the kind has.
func (k kind) free(all []simcloud.Document, name string) string {
	free := name
	for n := 2; slices.ContainsFunc(all, func(d simcloud.Document) bool { return k.has(d) && d.Name == free }); n++ {
		free = fmt.Sprintf("%s-%d", name, n)
	}
	return free
}

// remover deletes what a call is about. What uses it goes on: Barbican does not ask.
func remover(k kind) func(service.Call) (any, *simcloud.Meta, error) {
	return func(c service.Call) (any, *simcloud.Meta, error) {
		d, _, err := find[any](c, k)
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
		return fault.Subject{Name: service.LegalName(textOf(in.Name), k.document)}
	}
}

// Exists reports whether a URL, of whatever host, is that of a container or a secret of the caller's project.
func Exists(c service.Call, ref string) (bool, error) {
	for _, k := range []kind{containerKind, secretKind} {
		uuid, ok := uuidIn(k, ref)
		if !ok {
			continue
		}
		d, err := c.Cloud.GetDocument(c.Ctx(), k.ids.ID(uuid))
		if simcloud.CodeOf(err) == simcloud.NotFound {
			return false, nil
		}
		return err == nil && k.has(d), err
	}
	return false, nil
}

// uuidIn is the id in a URL of something of a kind.
func uuidIn(k kind, ref string) (string, bool) {
	before, uuid, ok := cutLast(strings.TrimSuffix(ref, "/"))
	return uuid, ok && strings.HasSuffix(before, k.path) && k.ids.ID(uuid) != ""
}

func cutLast(path string) (before, last string, ok bool) {
	at := strings.LastIndex(path, "/")
	if at < 0 {
		return "", "", false
	}
	return path[:at], path[at+1:], true
}

// timeText is how Barbican writes times.
func timeText(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05") }

func textOf(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}
