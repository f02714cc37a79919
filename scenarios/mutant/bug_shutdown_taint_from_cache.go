package mutant

import (
	"context"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	cloudprovider "k8s.io/cloud-provider"
)

func shutdownTaintFromCache() Mutant {
	return Mutant{
		Name:     "shutdown-taint-from-cache",
		Row:      "21",
		Title:    "whether a VM is stopped is answered from a cache of ten minutes",
		Issues:   []string{"azure#4428", "azure#4521", "oci#242"},
		Fault:    "a VM is stopped, and started again",
		Expected: "the taint is there within two periods after the Node is not ready, and goes when it is ready",
		Scenario: "shutdown-taint-from-cache",
		Caught:   "and not what it was when somebody last looked",
		Also:     []string{"node-deletion"},
		open: func(p Provider) cloudprovider.Interface {
			var seen sync.Map
			return cloud{Cloud: p.right(p.API), instances: func(right cloudprovider.InstancesV2) cloudprovider.InstancesV2 {
				return cachedPower{right, &seen, p.Now}
			}}
		},
	}
}

// cacheAge is azure's: it saves calls, and is longer than anybody wants to wait.
const cacheAge = 10 * time.Minute

// cachedPower looks a VM up for all questions at once, and remembers what it saw.
type cachedPower struct {
	cloudprovider.InstancesV2
	seen *sync.Map // power by the name of the node
	now  func() time.Time
}

// power is what was seen of a VM.
type power struct {
	off bool
	at  time.Time
}

func (c cachedPower) InstanceMetadata(ctx context.Context, node *corev1.Node) (*cloudprovider.InstanceMetadata, error) {
	metadata, err := c.InstancesV2.InstanceMetadata(ctx, node)
	if err != nil {
		return nil, err
	}
	_, err = c.InstanceShutdown(ctx, node)
	return metadata, err
}

func (c cachedPower) InstanceShutdown(ctx context.Context, node *corev1.Node) (bool, error) {
	if seen, ok := c.seen.Load(node.Name); ok && c.now().Sub(seen.(power).at) < cacheAge {
		return seen.(power).off, nil
	}
	off, err := c.InstancesV2.InstanceShutdown(ctx, node)
	if err == nil {
		c.seen.Store(node.Name, power{off, c.now()})
	}
	return off, err
}
