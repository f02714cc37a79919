package main

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"testing"
	"testing/synctest"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

func TestPodAddresses(t *testing.T) {
	a := newPodAddresses()
	if err := a.use([]string{"10.244.3.0/29", "fd00::/64"}); err != nil {
		t.Fatal(err)
	}
	var all []string
	for i := range 5 { // of 8: not the network's, the gateway's and the broadcast address
		addrs, err := a.take(fmt.Sprint("pod-", i))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, fmt.Sprint(addrs))
	}
	want := "[[10.244.3.2 fd00::2] [10.244.3.3 fd00::3] [10.244.3.4 fd00::4] [10.244.3.5 fd00::5] [10.244.3.6 fd00::6]]"
	if fmt.Sprint(all) != want {
		t.Errorf("got %v, want %v", all, want)
	}
	if addrs, err := a.take("pod-5"); err == nil {
		t.Errorf("took %v of a CIDR that is empty", addrs)
	}
	if again, err := a.take("pod-2"); err != nil || fmt.Sprint(again) != all[2] {
		t.Errorf("pod-2 has %v, %v after %v", again, err, all[2])
	}
	a.free("pod-1")
	if addrs, err := a.take("pod-6"); err != nil || addrs[0] != netip.MustParseAddr("10.244.3.3") {
		t.Errorf("got %v, %v, want the freed address", addrs, err)
	}
}

func TestFreedAddressIsReusedLast(t *testing.T) {
	a := newPodAddresses()
	if err := a.use([]string{"10.244.1.0/24"}); err != nil {
		t.Fatal(err)
	}
	first, err := a.take("a")
	if err != nil {
		t.Fatal(err)
	}
	a.free("a")
	second, err := a.take("b")
	if err != nil || first[0] == second[0] {
		t.Errorf("got %v, %v right after it was freed", second, err)
	}
}

func TestBadPodCIDR(t *testing.T) {
	a := newPodAddresses()
	if err := a.use([]string{"10.244.0.0"}); err == nil {
		t.Error("took a CIDR without a length")
	}
	if addrs, err := a.take("pod"); err != nil || len(addrs) > 0 {
		t.Errorf("and gave out %v, %v", addrs, err)
	}
}

// TestSandboxWaitsForThePodCIDR: a pod that is there before the node has a pod
// CIDR gets its address from it all the same.
func TestSandboxWaitsForThePodCIDR(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newFakeRuntime()
		pod := &runtimeapi.PodSandboxConfig{Metadata: &runtimeapi.PodSandboxMetadata{Name: "pod"}}
		started := make(chan string)
		go func() {
			id, err := r.RunPodSandbox(t.Context(), pod, "")
			if err != nil {
				t.Error(err)
			}
			started <- id
		}()
		synctest.Wait()
		select {
		case id := <-started:
			t.Fatalf("%s runs without a pod CIDR", id)
		default:
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if id, err := r.RunPodSandbox(gone, pod, ""); !errors.Is(err, context.Canceled) {
			t.Errorf("a pod that is gone by then is %q, %v", id, err)
		}
		for range 2 { // a kubelet repeats it
			err := r.UpdateRuntimeConfig(t.Context(), &runtimeapi.RuntimeConfig{NetworkConfig: &runtimeapi.NetworkConfig{PodCidr: "10.244.1.0/24"}})
			if err != nil {
				t.Fatal(err)
			}
		}
		if status, err := r.PodSandboxStatus(t.Context(), <-started, false); err != nil || status.Status.Network.Ip != "10.244.1.2" {
			t.Errorf("it has %v, %v", status, err)
		}
	})
}

// TestSandboxOnTheNodesNetwork: a pod with the node's network needs no pod CIDR.
func TestSandboxOnTheNodesNetwork(t *testing.T) {
	r := newFakeRuntime()
	pod := &runtimeapi.PodSandboxConfig{
		Metadata: &runtimeapi.PodSandboxMetadata{Name: "pod"},
		Linux: &runtimeapi.LinuxPodSandboxConfig{SecurityContext: &runtimeapi.LinuxSandboxSecurityContext{
			NamespaceOptions: &runtimeapi.NamespaceOption{Network: runtimeapi.NamespaceMode_NODE},
		}},
	}
	if _, err := r.RunPodSandbox(t.Context(), pod, ""); err != nil {
		t.Error(err)
	}
}

func TestSandboxes(t *testing.T) {
	ctx, r := t.Context(), newFakeRuntime()
	err := r.UpdateRuntimeConfig(ctx, &runtimeapi.RuntimeConfig{NetworkConfig: &runtimeapi.NetworkConfig{PodCidr: "10.244.1.0/24"}})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"10.244.1.2", "10.244.1.3"} {
		id, err := r.RunPodSandbox(ctx, &runtimeapi.PodSandboxConfig{Metadata: &runtimeapi.PodSandboxMetadata{Name: fmt.Sprint(i)}}, "")
		if err != nil {
			t.Fatal(err)
		}
		status, err := r.PodSandboxStatus(ctx, id, false)
		if err != nil || status.Status.Network.Ip != want {
			t.Errorf("sandbox %d has %v, %v, want %s", i, status, err, want)
		}
		if err := r.RemovePodSandbox(ctx, id); err != nil {
			t.Error(err)
		}
	}
	if len(r.addresses.owned) != 0 {
		t.Errorf("left %v", r.addresses.owned)
	}
	if _, err := r.Status(ctx, false); err != nil {
		t.Error(err)
	}
	if calls := r.GetCalls(); len(calls) > 1 {
		t.Errorf("keeps a record of %d calls", len(calls))
	}
}
