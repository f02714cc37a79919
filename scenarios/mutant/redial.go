package mutant

import (
	"fmt"

	"github.com/simcloud-dev/simcloud/simcloud/client"
)

// redial returns a client that speaks to the cloud in another way. The
// configuration was good, so that one that is refused now is a mistake of the bug.
func (p Provider) redial(change func(*client.Config)) *client.Client {
	change(&p.Client)
	api, err := client.New(p.Client)
	if err != nil {
		panic(fmt.Sprintf("the bug breaks the configuration of the client: %v", err))
	}
	return api
}
