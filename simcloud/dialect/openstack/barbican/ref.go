package barbican

import (
	"path"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"
)

// mounted is the URL of the service.
func mounted(c service.Call) string { return c.Endpoint() + "/key-manager" }

// ref is the URL of a document.
func (k kind) ref(c service.Call, id simcloud.ID) string {
	return mounted(c) + k.path + "/" + k.ids.UUID(id)
}

// idIn is the id in the cloud of what a URL leads to, on whatever host; empty when that is of another kind.
func (k kind) idIn(ref string) simcloud.ID {
	before, uuid := path.Split(strings.TrimSuffix(ref, "/"))
	if !strings.HasSuffix(before, k.path+"/") {
		return ""
	}
	return k.ids.ID(uuid)
}

// IsCertificate reports whether a URL leads to what Octavia can read a certificate from: a container of certificates that has one
// and its key, or a secret that is a bundle of both.
func IsCertificate(c service.Call, ref string) (found bool, err error) {
	if id := secretKind.idIn(ref); id != "" {
		found, err = isBundle(c, id)
	} else {
		found, err = isPair(c, containerKind.idIn(ref))
	}
	if simcloud.CodeOf(err) == simcloud.NotFound {
		return false, nil
	}
	return found, err
}

// isBundle reports whether a secret can be a certificate with its key.
func isBundle(c service.Call, id simcloud.ID) (bool, error) {
	_, says, err := find[document](c, secretKind, id)
	return says.ContentType == byteType, err
}

// isPair reports whether a container has a certificate and its key.
func isPair(c service.Call, id simcloud.ID) (bool, error) {
	_, kept, err := find[keptContainer](c, containerKind, id)
	if err != nil || kept.Type != typeCertificate {
		return false, err
	}
	for _, name := range []string{nameCertificate, namePrivateKey} {
		if there, err := kept.has(c, name); err != nil || !there {
			return false, err
		}
	}
	return true, nil
}

// has reports whether a container has a secret of a name that is there and has a payload.
func (k keptContainer) has(c service.Call, name string) (bool, error) {
	for _, s := range k.Secrets {
		if s.Name == name {
			_, says, err := find[document](c, secretKind, s.ID)
			return says.ContentType != "", err
		}
	}
	return false, nil
}
