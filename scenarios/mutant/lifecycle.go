package mutant

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	cloudprovider "k8s.io/cloud-provider"

	"github.com/simcloud-dev/simcloud/ccm/config"
	"github.com/simcloud-dev/simcloud/ccm/providerid"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// lifecycleMutants are those that delete, keep or taint a Node as its VM does not warrant.
var lifecycleMutants = []Mutant{
	{
		Name:         "node-deleted-before-vm-visible",
		Row:          "1",
		Title:        "a new VM that the cloud does not show yet is taken for a deleted one",
		Issues:       []string{"kubernetes#58334", "kubernetes#81636", "kubernetes#64036", "kubernetes#127424", "aws#1024", "azure#10604"},
		Fault:        "a new VM is hidden from every read for a while, and its Node is not ready",
		Expected:     "keep a new Node for a while, and initialise it when the VM appears",
		KilledBy:     "node-deleted-before-vm-visible",
		Reason:       "a new node must be given time",
		AlsoKilledBy: []string{"node-deleted-before-provider-id"},
		config:       func(c *config.Config) { c.NodeGracePeriod = 0 },
	},
	{
		Name:     "node-deleted-on-401",
		Row:      "2",
		Title:    "a refused login is taken for \"there is no such VM\"",
		Issues:   []string{"vsphere#479", "vsphere#355"},
		Fault:    "the token is revoked while a Node is not ready",
		Expected: "keep the Node: who may not ask knows nothing of VMs",
		KilledBy: "node-deleted-on-401",
		Reason:   "who is refused knows nothing of VMs",
		// It looks a VM up, and has one answer for every way to come back with none.
		instances: func(vms *instances) {
			vms.exists = func(ctx context.Context, node *corev1.Node) (bool, error) {
				exists, err := vms.right.InstanceExists(ctx, node)
				if errors.Is(err, simcloud.Unauthenticated) {
					return false, nil
				}
				return exists, err
			}
		},
	},
	{
		Name:     "node-deleted-on-network-error",
		Row:      "3",
		Title:    "a connection that breaks is taken for \"there is no such VM\"",
		Issues:   []string{"oci#57"},
		Fault:    "connections are reset, and lists answered with 503, while a Node is not ready",
		Expected: "keep the Node: without an answer nothing is known of the VM",
		KilledBy: "node-deleted-on-network-error",
		Reason:   "without an answer nothing is known of a VM",
		// It looks at whether a VM came back, not at why it did not.
		instances: func(vms *instances) {
			vms.exists = func(ctx context.Context, node *corev1.Node) (bool, error) {
				exists, err := vms.right.InstanceExists(ctx, node)
				if errors.Is(err, simcloud.Unavailable) || errors.Is(err, simcloud.Timeout) {
					return false, nil
				}
				return exists, err
			}
		},
	},
	{
		Name:         "node-deleted-on-empty-cache",
		Row:          "4",
		Title:        "a cache of VMs whose refresh is refused is empty, and says that no VM exists",
		Issues:       []string{"azure#2880"},
		Fault:        "the cloud answers 429 to every read of VMs while a Node is not ready",
		Expected:     "keep the Node: too many calls say nothing of VMs",
		KilledBy:     "node-deleted-on-empty-cache",
		Reason:       "an answer 429 says nothing of VMs",
		AlsoKilledBy: []string{"node-deleted-before-vm-visible"}, // what is not in the cache gets no time
		// It knows the VMs by a list, and begins a new one before it has been read.
		instances: func(vms *instances) {
			vms.exists = func(ctx context.Context, node *corev1.Node) (bool, error) {
				id, err := providerid.Parse(node.Spec.ProviderID)
				if err != nil {
					return vms.right.InstanceExists(ctx, node)
				}
				cached, err := simcloud.ListAll(ctx, vms.cloud.ListInstances, simcloud.ListOptions{})
				if err != nil && !errors.Is(err, simcloud.RateLimited) {
					return false, err
				}
				return slices.ContainsFunc(cached, func(vm simcloud.Instance) bool { return vm.ID == id.Instance }), nil
			}
		},
	},
	{
		Name:     "node-deleted-before-provider-id",
		Row:      "8",
		Title:    "a Node without a provider id is deleted when no VM of its name is found",
		Issues:   []string{"kubernetes#63226"},
		Fault:    "lists do not show a VM that is there, and its Node is not ready and has no provider id yet",
		Expected: "keep the new Node, and initialise it when the list is whole",
		KilledBy: "node-deleted-before-provider-id",
		Reason:   "a name that is not found proves nothing of a new node",
		// It trusts a search by name as much as an id.
		instances: func(vms *instances) {
			vms.exists = func(ctx context.Context, node *corev1.Node) (bool, error) {
				if node.Spec.ProviderID != "" {
					return vms.right.InstanceExists(ctx, node)
				}
				_, err := vms.right.InstanceMetadata(ctx, node)
				if errors.Is(err, cloudprovider.InstanceNotFound) {
					return false, nil
				}
				return err == nil, err
			}
		},
	},
	{
		Name:         "uninitialized-node-kept-forever",
		Row:          "9",
		Title:        "a VM that is not found by its name is an error, and never \"gone\"",
		Issues:       []string{"openstack#3114", "openstack#3224", "kubernetes#141364", "exoscale#25"},
		Fault:        "the VM is deleted before its Node was initialised",
		Expected:     "delete the Node in the end",
		KilledBy:     "uninitialized-node-kept-forever",
		Reason:       "a CCM must delete it in the end",
		AlsoKilledBy: []string{"l08-never-initialised", "l14-unseen-for-long"},
		// It has one error for a name that is not found and another for an id, and knows the second alone.
		instances: func(vms *instances) {
			vms.exists = func(ctx context.Context, node *corev1.Node) (bool, error) {
				exists, err := vms.right.InstanceExists(ctx, node)
				if err == nil && !exists && node.Spec.ProviderID == "" {
					return false, fmt.Errorf("get the instance %s by its name: %w", node.Name, errNotFound)
				}
				return exists, err
			}
		},
	},
	{
		Name:     "nodes-deleted-in-an-outage",
		Row:      "10",
		Title:    "after some failed lookups in a row a VM is taken for gone",
		Issues:   []string{"kubernetes#13412"},
		Fault:    "the cloud answers 500 to everything for long, and no Node is ready",
		Expected: "delete none, however long it is",
		KilledBy: "nodes-deleted-in-an-outage",
		Reason:   "A CCM must not lose its patience",
		AlsoKilledBy: []string{
			"node-deleted-on-401", "node-deleted-on-network-error", "node-deleted-on-empty-cache", "l12-outage",
			"node-deleted-before-provider-id", "node-deleted-before-vm-visible", // a new VM that is not seen yet is an error as well
		},
		// It tries a few times, as one does with a single machine that is dead.
		instances: func(vms *instances) {
			const most = 3 // lookups in a row that may fail
			var mu sync.Mutex
			failed := map[string]int{} // lookups in a row, by Node
			vms.exists = func(ctx context.Context, node *corev1.Node) (bool, error) {
				exists, err := vms.right.InstanceExists(ctx, node)
				mu.Lock()
				defer mu.Unlock()
				if err == nil {
					delete(failed, node.Name)
					return exists, nil
				}
				if failed[node.Name]++; failed[node.Name] > most {
					return false, nil
				}
				return false, err
			}
		},
	},
	{
		Name:         "vm-state-taken-for-gone",
		Row:          "11",
		Title:        "a VM in a state that is not on the list of good ones is taken for gone",
		Issues:       []string{"kubernetes#45118", "oci#127", "vultr instancesv2.go:58"},
		Fault:        "VMs are suspended, rebuilding and terminating while their Nodes are not ready",
		Expected:     "keep their Nodes: only what the cloud does not have any more is gone",
		KilledBy:     "vm-state-taken-for-gone",
		Reason:       "A VM that is suspended or on its way exists",
		AlsoKilledBy: []string{"l10-unusual-states"},
		// It knows three states of a VM; there were no more when it was written.
		instances: func(vms *instances) {
			good := []simcloud.InstanceState{simcloud.InstancePending, simcloud.InstanceRunning, simcloud.InstanceStopped}
			vms.exists = func(ctx context.Context, node *corev1.Node) (bool, error) {
				exists, err := vms.right.InstanceExists(ctx, node)
				id, foreign := providerid.Parse(node.Spec.ProviderID)
				if err != nil || !exists || foreign != nil {
					return exists, err
				}
				vm, err := vms.cloud.GetInstance(ctx, id.Instance)
				return err == nil && slices.Contains(good, vm.State), err
			}
		},
	},
	{
		Name:         "terminated-vm-never-gone",
		Row:          "11",
		Title:        "InstanceExists answers InstanceNotFound as an error, which the controller takes for \"not known\"",
		Issues:       []string{"kubernetes#79435", "oci#127"},
		Fault:        "a VM is terminated, and its Node is not ready",
		Expected:     "delete the Node when the cloud does not have the VM any more",
		KilledBy:     "vm-state-taken-for-gone",
		Reason:       "When the VM is really gone, a CCM must delete its node",
		AlsoKilledBy: []string{"node-deletion", "node-deletion-forbidden", "lb-provisioning", "route-creation", "l01-vm-deleted", "uninitialized-node-kept-forever"},
		// It answers as the interface before InstancesV2 wanted it.
		instances: func(vms *instances) {
			vms.exists = func(ctx context.Context, node *corev1.Node) (bool, error) {
				exists, err := vms.right.InstanceExists(ctx, node)
				if err == nil && !exists {
					return false, cloudprovider.InstanceNotFound
				}
				return exists, err
			}
		},
	},
	{
		Name:         "node-deletion-forbidden",
		Row:          "13",
		Title:        "the role that ships with the CCM does not let it delete Nodes",
		Issues:       []string{"openstack#3225"},
		Fault:        "the API server refuses to let the CCM delete a Node whose VM is gone, and then does not any more",
		Expected:     "report it by an Event, and delete the Node when it may",
		KilledBy:     "node-deletion-forbidden",
		Reason:       "When it may delete Nodes, a CCM must delete this one",
		AlsoKilledBy: []string{"node-deletion", "lb-provisioning", "l01-vm-deleted", "vm-state-taken-for-gone", "uninitialized-node-kept-forever"},
		access:       func(next http.RoundTripper) http.RoundTripper { return noNodeDeletion{next} },
	},
	{
		Name:         "shutdown-taint-from-cache",
		Row:          "21",
		Title:        "whether a VM is stopped is answered from a cache of ten minutes",
		Issues:       []string{"azure#4428", "azure#4521", "oci#242"},
		Fault:        "a VM is stopped, and started again",
		Expected:     "the taint is there within two periods after the Node is not ready, and goes when it is ready",
		KilledBy:     "shutdown-taint-from-cache",
		Reason:       "and not rely on an old answer",
		AlsoKilledBy: []string{"node-deletion"},
		// It looks a VM up for all questions at once, and remembers what it saw.
		instances: func(vms *instances) {
			const age = 10 * time.Minute // azure's: it saves calls, and is longer than a user wants to wait
			type power struct {
				off bool
				at  time.Time
			}
			var seen sync.Map // power by the name of the Node
			vms.shutdown = func(ctx context.Context, node *corev1.Node) (bool, error) {
				if seen, ok := seen.Load(node.Name); ok && time.Since(seen.(power).at) < age {
					return seen.(power).off, nil
				}
				off, err := vms.right.InstanceShutdown(ctx, node)
				if err == nil {
					seen.Store(node.Name, power{off, time.Now()})
				}
				return off, err
			}
			vms.metadata = func(ctx context.Context, node *corev1.Node) (*cloudprovider.InstanceMetadata, error) {
				metadata, err := vms.right.InstanceMetadata(ctx, node)
				if err != nil {
					return nil, err
				}
				_, err = vms.shutdown(ctx, node)
				return metadata, err
			}
		},
	},
}

// errNotFound is what some clients of clouds have for all that a search does not find.
var errNotFound = errors.New("failed to find object")

// noNodeDeletion is the API server's answer to a role without the verb delete for Nodes.
type noNodeDeletion struct{ next http.RoundTripper }

func (n noNodeDeletion) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method != http.MethodDelete || !strings.HasPrefix(r.URL.Path, "/api/v1/nodes") {
		return n.next.RoundTrip(r)
	}
	const refusal = `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","code":403,"message":"cannot delete resource \"nodes\""}`
	return &http.Response{
		StatusCode: http.StatusForbidden, Status: "403 Forbidden", Proto: r.Proto, ProtoMajor: r.ProtoMajor, ProtoMinor: r.ProtoMinor,
		Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(refusal)), Request: r,
	}, nil
}
