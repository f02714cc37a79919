package mutant

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"k8s.io/client-go/informers"
	cloudprovider "k8s.io/cloud-provider"

	"github.com/simcloud-dev/simcloud/ccm"
	"github.com/simcloud-dev/simcloud/ccm/config"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

// None is the name of the mutant without a bug: simcloud-ccm as it is.
const None = "none"

// Mutant is simcloud-ccm with one bug.
type Mutant struct {
	// Name is what the failure is called, and with a Row the scenario that kills the mutant.
	Name string
	// Row is the failure's number in the regression corpus; empty for a mutant that stands for no story.
	Row string
	// Title says in one line what the provider does wrong.
	Title string
	// Issues are where it has happened, such as "vsphere#479".
	Issues []string
	// Fault is what the cloud or the cluster has to do for the bug to show.
	Fault string
	// Expected is what simcloud-ccm does then, and every CCM must do.
	Expected string
	// KilledBy is the scenario that must fail with the mutant.
	KilledBy string
	// Reason is a part of that failure's text: a scenario that fails for another reason does not count.
	Reason string
	// Lists is how one of the values begins that the failure lists; empty for any or none.
	Lists string
	// AlsoKilledBy are other scenarios of the library that must fail with it.
	AlsoKilledBy []string

	// The rest is what differs from simcloud-ccm, where it is set. Each is called once, when the provider is made.

	config      func(*config.Config)
	client      func(*client.Config)
	api         func(*client.Client) ccm.CloudAPI
	instances   func(*instances)
	instancesV1 func(cloudprovider.Instances) cloudprovider.Instances
	balancers   func(*balancers)
	routes      func(*routes)
	informers   func(*client.Client, informers.SharedInformerFactory)
	parts       func(*cloud)                              // after all others
	rules       *simcloud.ConfigUpdate                    // of its cloud
	lacks       string                                    // the capability that it does not have; empty for none
	also        []string                                  // the capabilities that it cannot have without that one
	access      func(http.RoundTripper) http.RoundTripper // the process' own calls of the API server
}

// All returns all mutants: those of the regression corpus by their rows, then those that prove
// other scenarios and oracles.
func All() []Mutant {
	corpus := slices.Concat(lifecycleMutants, nodeMutants, lbDeleteMutants, lbUpdateMutants, lbOwnerMutants, routeMutants, processMutants)
	slices.SortStableFunc(corpus, byRow)
	return slices.Concat(corpus, coreMutants, oracleMutants, groupMutants, lagMutants)
}

// rowLetters may follow the number in a row.
const rowLetters = "abc"

// byRow compares rows such as 4, 40 and 40a.
func byRow(a, b Mutant) int {
	number := func(row string) int {
		n, _ := strconv.Atoi(strings.TrimRight(row, rowLetters))
		return n
	}
	return cmp.Or(cmp.Compare(number(a.Row), number(b.Row)), cmp.Compare(a.Row, b.Row))
}

// Right returns the providers without a bug, of which the first is simcloud-ccm as it is.
func Right() []Mutant {
	return []Mutant{{Name: None, Title: "nothing: the right provider"}, groupsRemoved, oneCallAtATime}
}

// Find returns the mutant of a name, or one of Right; any other is Invalid.
func Find(name string) (Mutant, error) {
	var names []string
	for _, m := range append(Right(), Lacking()...) {
		if m.Name == name {
			return m, nil
		}
		names = append(names, m.Name)
	}
	for _, m := range All() {
		if m.Name == name {
			return m, nil
		}
		names = append(names, m.Name)
	}
	return Mutant{}, simcloud.InvalidFields("", []simcloud.FieldError{
		{Field: "--bug", Detail: "there is no bug \"" + name + "\"; there are " + strings.Join(names, ", ")},
	})
}
