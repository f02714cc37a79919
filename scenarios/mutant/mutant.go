package mutant

import (
	"net/http"
	"strings"

	cloudprovider "k8s.io/cloud-provider"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// None is the name of no bug: the right provider.
const None = "none"

// Bug is one way in which a provider is wrong.
type Mutant struct {
	// Name is what the failure is called, and with a Row the scenario that catches it.
	Name string
	// Row is the failure's number in the museum; empty for a bug that stands for no story.
	Row string
	// Title says in one line what the provider does wrong.
	Title string
	// Issues are where it has happened, such as "vsphere#479".
	Issues []string
	// Fault is what the cloud or the cluster has to do for the bug to show.
	Fault string
	// Expected is what a right provider does then.
	Expected string
	// Scenario is the one that catches it.
	Scenario string
	// Caught is a part of what the scenario says when it catches it: the right reason.
	Caught string
	// Also are other scenarios of the library that rightly fail with it.
	Also []string

	// open makes the wrong provider.
	open func(Provider) cloudprovider.Interface
	// access, when set, bends the process' own calls of the API server.
	access func(http.RoundTripper) http.RoundTripper
}

// Find returns the bug of a name. None has no bug; any other that is not in the table is Invalid.
func Find(name string) (Mutant, error) {
	if name == None {
		return Mutant{Name: None, Title: "nothing: the right provider", open: func(p Provider) cloudprovider.Interface { return p.right(p.API) }}, nil
	}
	var names []string
	for _, b := range All() {
		if b.Name == name {
			return b, nil
		}
		names = append(names, b.Name)
	}
	return Mutant{}, simcloud.InvalidFields("", []simcloud.FieldError{
		{Field: "--bug", Detail: "there is no bug \"" + name + "\"; there are " + None + ", " + strings.Join(names, ", ")},
	})
}
