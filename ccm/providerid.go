package ccm

import (
	"fmt"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// ProviderName is the name of the provider, and the scheme of its provider ids.
const ProviderName = "simcloud"

// ProviderID is the cloud's name for a Node, spec.providerID:
// simcloud://<region>/<instance id>.
type ProviderID struct {
	Region   simcloud.ID
	Instance simcloud.ID
}

// String returns the form that a Node carries.
func (p ProviderID) String() string {
	return ProviderName + "://" + string(p.Region) + "/" + string(p.Instance)
}

// ParseProviderID reads a provider id. Any other form, another provider's
// above all, is an error: such a Node is not this provider's, and nothing at
// all is known about its machine.
func ParseProviderID(id string) (ProviderID, error) {
	rest, ours := strings.CutPrefix(id, ProviderName+"://")
	if !ours {
		return ProviderID{}, fmt.Errorf("provider id %q is not this provider's: %s://<region>/<instance id> would be", id, ProviderName)
	}
	region, instance, _ := strings.Cut(rest, "/")
	if region == "" || instance == "" || strings.ContainsAny(instance, "/ ") || strings.Contains(region, " ") {
		return ProviderID{}, fmt.Errorf("provider id %q is malformed: %s://<region>/<instance id> is right", id, ProviderName)
	}
	return ProviderID{Region: simcloud.ID(region), Instance: simcloud.ID(instance)}, nil
}
