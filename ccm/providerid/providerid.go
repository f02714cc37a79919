// Package providerid reads and writes provider ids, and tells those of this
// provider's cloud and region from all others.
package providerid

import (
	"fmt"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// Scheme is the name of the provider, and the scheme of its provider ids.
const Scheme = "simcloud"

// ID is the cloud's name for a Node, spec.providerID:
// simcloud://<region>/<instance id>.
type ID struct {
	Region   simcloud.ID
	Instance simcloud.ID
}

// String returns the form that a Node carries.
func (p ID) String() string {
	return Scheme + "://" + string(p.Region) + "/" + string(p.Instance)
}

// Parse reads a provider id. Any other form, another provider's
// above all, is an error: such a Node is not this provider's, and nothing at
// all is known about its machine.
func Parse(id string) (ID, error) {
	rest, ours := strings.CutPrefix(id, Scheme+"://")
	if !ours {
		return ID{}, fmt.Errorf("provider id %q is not this provider's: must be %s://<region>/<instance id>", id, Scheme)
	}
	region, instance, _ := strings.Cut(rest, "/")
	if region == "" || instance == "" || strings.ContainsAny(instance, "/ ") || strings.Contains(region, " ") {
		return ID{}, fmt.Errorf("malformed provider id %q: must be %s://<region>/<instance id>", id, Scheme)
	}
	return ID{Region: simcloud.ID(region), Instance: simcloud.ID(instance)}, nil
}
