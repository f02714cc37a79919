package barbican

import (
	"net/http"
	"slices"

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

// contents are the types of containers, with the names that secrets must have in them, and may have. Those of a generic one are free.
var contents = map[string]struct{ must, may []string }{
	"generic":     {},
	"rsa":         {[]string{"public_key", "private_key"}, []string{"private_key_passphrase"}},
	"certificate": {[]string{"certificate"}, []string{"private_key", "private_key_passphrase", "intermediates"}},
}

func (r containerRequest) check() error {
	known, ok := contents[r.Type]
	if !ok {
		return bad("Container", "type", "'%.40s' is not one of [generic rsa certificate]", r.Type)
	}
	var names []string
	for _, ref := range r.SecretRefs {
		switch {
		case slices.Contains(names, ref.Name):
			return bad("Container", "secret_refs", "Duplicate reference names are not allowed")
		case r.Type != "generic" && !slices.Contains(known.must, ref.Name) && !slices.Contains(known.may, ref.Name):
			return bad("Container", "secret_refs", "only %v reference names are allowed for the %s type", slices.Concat(known.must, known.may), r.Type)
		}
		names = append(names, ref.Name)
	}
	for _, name := range known.must {
		if !slices.Contains(names, name) {
			return bad("Container", "secret_refs", "The '%s' reference is required for the %s type", name, r.Type)
		}
	}
	return nil
}

func createContainer(c service.Call, in containerRequest) (any, *simcloud.Meta, error) {
	if err := in.check(); err != nil {
		return nil, nil, err
	}
	kept := keptContainer{Name: in.Name, Type: in.Type, Secrets: []namedSecret{}}
	for _, ref := range in.SecretRefs {
		there, err := Exists(c, ref.SecretRef)
		if err != nil {
			return nil, nil, err
		}
		uuid, isSecret := uuidIn(secretKind, ref.SecretRef)
		if !there || !isSecret {
			return nil, nil, service.Refuse(simcloud.NotFound, service.Code{Status: http.StatusNotFound}, "Secret provided for '%.40s' doesn't exist.", ref.Name)
		}
		kept.Secrets = append(kept.Secrets, namedSecret{ref.Name, service.Secrets.ID(uuid)})
	}
	return keep(c, containerKind, in.Name, kept)
}

func getContainer(c service.Call) (any, error) {
	d, kept, err := find[keptContainer](c, containerKind)
	if err != nil {
		return nil, err
	}
	shown := container{
		Name: kept.Name, Type: kept.Type, Status: active, ContainerRef: containerKind.ref(c, d.ID), SecretRefs: []secretRef{}, Consumers: []struct{}{},
		Created: timeText(d.Created), Updated: timeText(d.Updated), CreatorID: service.ProjectUUID(d.Project),
	}
	for _, s := range kept.Secrets {
		shown.SecretRefs = append(shown.SecretRefs, secretRef{s.Name, secretKind.ref(c, s.ID)})
	}
	return shown, nil
}
