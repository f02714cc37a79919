package main

import (
	"context"
	"fmt"
	"strings"
	"sync"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
	apitest "k8s.io/cri-api/pkg/apis/testing"
)

// fakeRuntime runs pods on paper: each container runs from its start until it
// is stopped. Unlike the fake that it is built on, it gives each pod an
// address of its own from the node's pod CIDR.
type fakeRuntime struct {
	*apitest.FakeRuntimeService
	addresses *podAddresses // guarded by the fake's mutex
	// known is closed when the node has pod CIDRs.
	known     chan struct{}
	knownOnce sync.Once
}

func newFakeRuntime() *fakeRuntime {
	fake := apitest.NewFakeRuntimeService()
	fake.FakeStatus = &runtimeapi.RuntimeStatus{Conditions: []*runtimeapi.RuntimeCondition{
		{Type: runtimeapi.RuntimeReady, Status: true},
		{Type: runtimeapi.NetworkReady, Status: true},
	}}
	return &fakeRuntime{FakeRuntimeService: fake, addresses: newPodAddresses(), known: make(chan struct{})}
}

// Status also forgets the fake's record of calls, which grows for ever.
func (r *fakeRuntime) Status(ctx context.Context, verbose bool) (*runtimeapi.StatusResponse, error) {
	r.Lock()
	r.Called = r.Called[:0]
	r.Unlock()
	return r.FakeRuntimeService.Status(ctx, verbose)
}

// UpdateRuntimeConfig learns the pod CIDRs of the node.
func (r *fakeRuntime) UpdateRuntimeConfig(ctx context.Context, config *runtimeapi.RuntimeConfig) error {
	if cidrs := config.GetNetworkConfig().GetPodCidr(); cidrs != "" {
		r.Lock()
		err := r.addresses.use(strings.Split(cidrs, ","))
		r.Unlock()
		if err != nil {
			return err
		}
		r.knownOnce.Do(func() { close(r.known) })
	}
	return r.FakeRuntimeService.UpdateRuntimeConfig(ctx, config)
}

// RunPodSandbox starts a pod with addresses of its own, unless it has the
// node's. It waits until the node has a pod CIDR: an address from elsewhere
// would stay with the pod.
func (r *fakeRuntime) RunPodSandbox(ctx context.Context, config *runtimeapi.PodSandboxConfig, handler string) (string, error) {
	if config.GetLinux().GetSecurityContext().GetNamespaceOptions().GetNetwork() == runtimeapi.NamespaceMode_NODE {
		return r.FakeRuntimeService.RunPodSandbox(ctx, config, handler)
	}
	select {
	case <-r.known:
	case <-ctx.Done():
		return "", fmt.Errorf("wait for the node's pod CIDR: %w", ctx.Err())
	}
	id, err := r.FakeRuntimeService.RunPodSandbox(ctx, config, handler)
	if err != nil {
		return "", err
	}
	r.Lock()
	defer r.Unlock()
	addrs, err := r.addresses.take(id)
	if err != nil {
		delete(r.Sandboxes, id)
		return "", err
	}
	network := &runtimeapi.PodSandboxNetworkStatus{Ip: addrs[0].String()}
	for _, addr := range addrs[1:] {
		network.AdditionalIps = append(network.AdditionalIps, &runtimeapi.PodIP{Ip: addr.String()})
	}
	r.Sandboxes[id].Network = network
	return id, nil
}

// RemovePodSandbox gives the pod's addresses back.
func (r *fakeRuntime) RemovePodSandbox(ctx context.Context, id string) error {
	if err := r.FakeRuntimeService.RemovePodSandbox(ctx, id); err != nil {
		return err
	}
	r.Lock()
	defer r.Unlock()
	r.addresses.free(id)
	return nil
}
