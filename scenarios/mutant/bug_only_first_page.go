package mutant

import (
	"context"

	cloudprovider "k8s.io/cloud-provider"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

func onlyFirstPage() Mutant {
	return Mutant{
		Name:     "only-first-page",
		Row:      "40",
		Title:    "of the list of VMs only the first page is read",
		Issues:   []string{"cloudstack#99", "cloudstack#102", "kubernetes#22094", "tencent#4", "digitalocean#795", "hcloud#384"},
		Fault:    "a page of the list has fewer VMs than there are",
		Expected: "read all pages, and initialise all nodes",
		Scenario: "only-first-page",
		Caught:   "A CCM must read all pages of a list",
		open:     func(p Provider) cloudprovider.Interface { return p.right(firstPage{p.API}) },
	}
}

// firstPage does not look whether there is more.
type firstPage struct{ *client.Client }

func (f firstPage) ListInstances(ctx context.Context, opts simcloud.ListOptions) (simcloud.Page[simcloud.Instance], error) {
	page, err := f.Client.ListInstances(ctx, opts)
	page.NextPage = ""
	return page, err
}
