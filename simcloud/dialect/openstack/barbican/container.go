package barbican

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"
)

// container is what is shown of a container.
type container struct {
	Name         *string     `json:"name"`
	Type         string      `json:"type"`
	Status       string      `json:"status"`
	ContainerRef string      `json:"container_ref"`
	SecretRefs   []secretRef `json:"secret_refs"`
	Consumers    []struct{}  `json:"consumers"`
	Created      string      `json:"created"`
	Updated      string      `json:"updated"`
	CreatorID    string      `json:"creator_id"`
}

// secretRef is a secret in a container, by what it is in there.
type secretRef struct {
	Name      string `json:"name"`
	SecretRef string `json:"secret_ref"`
}

// containerRequest is a container to create.
type containerRequest struct {
	Name       *string     `json:"name"`
	Type       string      `json:"type"`
	SecretRefs []secretRef `json:"secret_refs"`
}

// keptContainer is what the document of a container says.
type keptContainer struct {
	Name    *string       `json:"name"`
	Type    string        `json:"type"`
	Secrets []namedSecret `json:"secrets"`
}

// namedSecret is a secret of the cloud in a container.
type namedSecret struct {
	Name string      `json:"name"`
	ID   simcloud.ID `json:"id"`
}

// The type of the containers that load balancers use, and the names of what must be in one for them.
const (
	typeCertificate = "certificate"
	nameCertificate = "certificate"
	namePrivateKey  = "private_key"
)

// typeGeneric is the type of the containers in which the names of secrets are free.
const typeGeneric = "generic"

// contents are the types of containers, with the names that secrets must have in them, and may have. One without secrets may be of any type.
var contents = map[string]struct{ must, may []string }{
	typeGeneric:     {},
	"rsa":           {[]string{"public_key", namePrivateKey}, []string{"private_key_passphrase"}},
	typeCertificate: {[]string{nameCertificate}, []string{namePrivateKey, "private_key_passphrase", "intermediates"}},
}

// containerSchema is what errors call a container.
const containerSchema = "Container"

func (r containerRequest) check(c service.Call) error {
	kept := keptContainer{Name: r.Name, Type: r.Type}
	for _, ref := range r.SecretRefs {
		if !strings.HasPrefix(ref.SecretRef, mounted(c)) {
			return bad(containerSchema, "secret_refs", "Secret_ref does not match the configured hostname, please try again")
		}
		kept.Secrets = append(kept.Secrets, namedSecret{ref.Name, simcloud.ID(ref.SecretRef)})
	}
	return kept.checkNames()
}

// check judges what the document of a container says.
func (k keptContainer) check() error {
	for i, s := range k.Secrets {
		if secretKind.ids.ID(secretKind.ids.UUID(s.ID)) != s.ID {
			return bad(containerSchema, fmt.Sprintf("secrets[%d].id", i), "'%.40s' is not the id of a document, such as doc-1", s.ID)
		}
	}
	return k.checkNames()
}

// checkNames judges the type of a container, and the names of what is in it.
func (k keptContainer) checkNames() error {
	known, ok := contents[k.Type]
	if !ok {
		return bad(containerSchema, "type", "'%.40s' is not one of [generic rsa certificate]", k.Type)
	}
	if err := checkTexts(containerSchema, text{"name", k.Name}); err != nil || len(k.Secrets) == 0 {
		return err
	}
	names, ids := map[string]bool{}, map[simcloud.ID]bool{}
	for _, s := range k.Secrets {
		switch {
		case names[s.Name]:
			return bad(containerSchema, "secret_refs", "Duplicate reference names are not allowed")
		case ids[s.ID]:
			return bad(containerSchema, "secret_refs", "Duplicate secret ids are not allowed")
		case k.Type != typeGeneric && !slices.Contains(known.must, s.Name) && !slices.Contains(known.may, s.Name):
			return bad(containerSchema, "secret_refs", "only %v reference names are allowed for the %s type", slices.Concat(known.must, known.may), k.Type)
		}
		names[s.Name], ids[s.ID] = true, true
	}
	for _, name := range known.must {
		if !names[name] {
			return bad(containerSchema, "secret_refs", "The '%s' reference is required for the %s type", name, k.Type)
		}
	}
	return nil
}

func createContainer(c service.Call, in containerRequest) (any, *simcloud.Meta, error) {
	in.Name = stripped(in.Name)
	if err := in.check(c); err != nil {
		return nil, nil, err
	}
	kept := keptContainer{Name: in.Name, Type: in.Type, Secrets: []namedSecret{}}
	for _, ref := range in.SecretRefs {
		id := secretKind.idIn(ref.SecretRef)
		_, _, err := find[document](c, secretKind, id)
		if simcloud.CodeOf(err) == simcloud.NotFound {
			return nil, nil, service.Refuse(simcloud.NotFound, service.Code{Status: http.StatusNotFound}, "Secret provided for '%.40s' doesn't exist.", ref.Name)
		}
		if err != nil {
			return nil, nil, err
		}
		kept.Secrets = append(kept.Secrets, namedSecret{ref.Name, id})
	}
	return keep(c, containerKind, in.Name, kept)
}

func getContainer(c service.Call) (any, error) {
	d, kept, err := find[keptContainer](c, containerKind, c.ID)
	if err != nil {
		return nil, err
	}
	shown := container{
		Name: kept.Name, Type: kept.Type, Status: active, ContainerRef: containerKind.ref(c, d.ID), SecretRefs: []secretRef{}, Consumers: []struct{}{},
		Created: service.TimeText(d.Created), Updated: service.TimeText(d.Updated), CreatorID: service.ProjectUUID(d.Project),
	}
	for _, s := range kept.Secrets {
		shown.SecretRefs = append(shown.SecretRefs, secretRef{s.Name, secretKind.ref(c, s.ID)})
	}
	return shown, nil
}
