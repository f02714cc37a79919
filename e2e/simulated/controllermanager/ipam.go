package controllermanager

import (
	"context"
	"encoding/json"
	"net/netip"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

const nodeTable = "nodes"

// cidrs are the ranges that Nodes have. One that is free again is given last.
type cidrs struct {
	within netip.Prefix
	bits   int
	last   netip.Prefix // that was given
}

// next is a range that no Node has; false when there is none.
func (c *cidrs) next(taken map[netip.Prefix]bool) (netip.Prefix, bool) {
	first := netip.PrefixFrom(c.within.Masked().Addr(), c.bits)
	candidate := first
	if c.last.IsValid() {
		candidate = c.after(c.last)
	}
	for range 1 << (c.bits - c.within.Bits()) {
		if !c.within.Contains(candidate.Addr()) {
			candidate = first
		}
		if !taken[candidate] {
			c.last = candidate
			return candidate, true
		}
		candidate = c.after(candidate)
	}
	return netip.Prefix{}, false
}

// after is the range that follows another one.
func (c *cidrs) after(prefix netip.Prefix) netip.Prefix {
	raw := prefix.Addr().AsSlice()
	for i, carry := c.bits/8-1, 1<<((8-c.bits%8)%8); i >= 0 && carry > 0; i-- {
		sum := int(raw[i]) + carry
		raw[i], carry = byte(sum), sum>>8
	}
	addr, _ := netip.AddrFromSlice(raw)
	return netip.PrefixFrom(addr, c.bits)
}

// allocateCIDRs gives each Node a range for its pods.
func (m *Manager) allocateCIDRs(ctx context.Context) error {
	taken := map[netip.Prefix]bool{}
	_ = each(m, nodeTable, func(node *corev1.Node) error {
		for _, text := range node.Spec.PodCIDRs {
			if prefix, err := netip.ParsePrefix(text); err == nil {
				taken[prefix] = true
			}
		}
		return nil
	})
	return each(m, nodeTable, func(node *corev1.Node) error {
		if len(node.Spec.PodCIDRs) > 0 || node.DeletionTimestamp != nil {
			return nil
		}
		prefix, free := m.cidrs.next(taken)
		if !free {
			return nil // kube-controller-manager records an Event and tries again
		}
		taken[prefix] = true
		patch, err := json.Marshal(map[string]any{
			"metadata": map[string]any{"uid": node.UID},
			"spec":     map[string]any{"podCIDR": prefix.String(), "podCIDRs": []string{prefix.String()}},
		})
		if err != nil {
			return err
		}
		_, err = m.Kube.CoreV1().Nodes().Patch(ctx, node.Name, types.StrategicMergePatchType, patch, metav1.PatchOptions{})
		return unless(err)
	})
}
