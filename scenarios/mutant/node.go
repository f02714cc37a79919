package mutant

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	cloudprovider "k8s.io/cloud-provider"

	"github.com/simcloud-dev/simcloud/ccm"
	"github.com/simcloud-dev/simcloud/ccm/config"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

// nodeMutants are those that initialise a Node wrongly, or not at all.
var nodeMutants = []Mutant{
	{
		Name:        "untainted-without-provider-id",
		Row:         "14",
		Title:       "a passing error while the provider id is looked for is taken for \"there are none in this cloud\"",
		Issues:      []string{"kubernetes#122286", "kubernetes#123024", "kubernetes#123401", "kubernetes#123713", "kubernetes#87043"},
		Fault:       "the cloud answers 500 to the first question about a VM",
		Expected:    "keep the taint until the Node has a provider id",
		KilledBy:    "untainted-without-provider-id",
		Reason:      "A CCM must not remove the taint before the node has its providerID",
		config:      func(c *config.Config) { c.InstancesV1 = true },
		instancesV1: func(right cloudprovider.Instances) cloudprovider.Instances { return errorIsNoID{right} },
	},
	{
		Name:         "node-ip-never-found",
		Row:          "15",
		Title:        "only the first address of each type is reported, and the kubelet was told another one",
		Issues:       []string{"equinix#193", "proxmox#111"},
		Fault:        "a kubelet was told an address that its VM gets later, as its second",
		Expected:     "keep the taint until the VM has the address, and then initialise the Node",
		KilledBy:     "node-ip-never-found",
		Reason:       "When the VM has the address, a CCM must initialise the node",
		AlsoKilledBy: []string{"dual-stack-address-lost", "n05-node-ip"},
		// It thinks of a VM as of something with one private and one public address.
		instances: func(vms *instances) {
			vms.changeMetadata(func(found *cloudprovider.InstanceMetadata) {
				all := found.NodeAddresses
				found.NodeAddresses = nil
				for _, a := range all {
					taken := func(b corev1.NodeAddress) bool { return a.Type == b.Type }
					if !slices.ContainsFunc(found.NodeAddresses, taken) {
						found.NodeAddresses = append(found.NodeAddresses, a)
					}
				}
			})
		},
	},
	{
		Name:         "dual-stack-address-lost",
		Row:          "16",
		Title:        "the addresses of one family alone are reported",
		Issues:       []string{"openstack#1954", "kubernetes#111695", "kubernetes#101029", "azure#3586"},
		Fault:        "a VM has addresses of both families",
		Expected:     "report all, in one order, and go on doing so",
		KilledBy:     "dual-stack-address-lost",
		Reason:       "A CCM must report the addresses of both families",
		AlsoKilledBy: []string{"n05-node-ips-of-both-families", "n07-ipv6-added"},
		// It is of a time when a node had addresses of one family.
		instances: func(vms *instances) {
			vms.changeMetadata(func(found *cloudprovider.InstanceMetadata) {
				found.NodeAddresses = slices.DeleteFunc(slices.Clone(found.NodeAddresses), func(a corev1.NodeAddress) bool {
					return strings.Contains(a.Address, ":")
				})
			})
		},
	},
	{
		Name:         "addresses-reordered",
		Row:          "16",
		Title:        "addresses come in another order each time, so that the Node is written in every period",
		Issues:       []string{"azure#3586"},
		Fault:        "a VM has addresses of both families, and nothing happens",
		Expected:     "report all, in one order, and go on doing so",
		KilledBy:     "dual-stack-address-lost",
		Reason:       "They must stay, in one order",
		AlsoKilledBy: []string{"n05-node-ips-of-both-families", "n07-ipv6-added"},
		// It has a map of addresses, and walks through it as maps are walked through.
		instances: func(vms *instances) {
			var calls atomic.Int64
			vms.changeMetadata(func(found *cloudprovider.InstanceMetadata) {
				if calls.Add(1)%2 == 0 {
					found.NodeAddresses = slices.Clone(found.NodeAddresses)
					slices.Reverse(found.NodeAddresses)
				}
			})
		},
	},
	{
		Name:     "resized-vm-has-old-type",
		Row:      "17",
		Title:    "the type of a VM is remembered for ever, so that not even a new Node has the right labels",
		Issues:   []string{"kubernetes#129879", "kubernetes#131096"},
		Fault:    "a VM is resized, and its Node registers again",
		Expected: "label the new Node with the type of now (the labels of the old one stay: they are set once)",
		KilledBy: "resized-vm-has-old-type",
		Reason:   "A CCM must label a node that registers again with what its VM is now",
		// It saves a call: the type of a VM does not change.
		instances: func(vms *instances) {
			var remembered sync.Map // types by provider id
			vms.changeMetadata(func(found *cloudprovider.InstanceMetadata) {
				first, _ := remembered.LoadOrStore(found.ProviderID, found.InstanceType)
				found.InstanceType = first.(string)
			})
		},
	},
	{
		Name:     "only-first-page",
		Row:      "40",
		Title:    "of the list of VMs only the first page is read",
		Issues:   []string{"cloudstack#99", "cloudstack#102", "kubernetes#22094", "tencent#4", "digitalocean#795", "hcloud#384"},
		Fault:    "a page of the list has fewer VMs than there are",
		Expected: "read all pages, and initialise all nodes",
		KilledBy: "only-first-page",
		Reason:   "A CCM must read all pages of a list",
		api:      func(c *client.Client) ccm.CloudAPI { return firstPage{c} },
	},
	{
		Name:     "answer-never-comes",
		Row:      "44",
		Title:    "the HTTP client has no time-out",
		Issues:   []string{"digitalocean-cloud-controller-manager (do/cloud.go)"},
		Fault:    "one question about VMs is never answered",
		Expected: "give up after a time, and ask again",
		KilledBy: "answer-never-comes",
		Reason:   "A CCM must not wait for an answer for ever",
		client:   func(c *client.Config) { c.Timeout = 1000 * time.Hour },
	},
}

// errorIsNoID goes on without a provider id when it does not get one.
type errorIsNoID struct{ cloudprovider.Instances }

func (e errorIsNoID) InstanceID(ctx context.Context, name types.NodeName) (string, error) {
	id, err := e.Instances.InstanceID(ctx, name)
	if err != nil && !errors.Is(err, cloudprovider.InstanceNotFound) {
		return "", cloudprovider.NotImplemented
	}
	return id, err
}

// firstPage does not look whether there is more.
type firstPage struct{ *client.Client }

func (f firstPage) ListInstances(ctx context.Context, opts simcloud.ListOptions) (simcloud.Page[simcloud.Instance], error) {
	page, err := f.Client.ListInstances(ctx, opts)
	page.NextPage = ""
	return page, err
}
