package node

import (
	"context"
	"fmt"
	"strings"

	v1 "k8s.io/api/core/v1"

	"github.com/simcloud-dev/simcloud/ccm/internal/call"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// Find returns the instance of a node: by its provider id, or without one by
// its name among all instances. NotFound means that the cloud has none; a list
// that broke off proves nothing and is an error of its own. A pass over all
// Nodes holds what they were when it began, and by now one may have got its id.
func (i *Instances) Find(ctx context.Context, node *v1.Node) (simcloud.Instance, error) {
	node = i.lookups.nodes.named(node)
	if node.Spec.ProviderID != "" {
		return i.findByID(ctx, node)
	}
	return i.lookups.byName(ctx, node)
}

// findByID asks for the instance first, and about its region only when it is not
// found: that a cloud has no such instance says nothing of another cloud's.
func (i *Instances) findByID(ctx context.Context, node *v1.Node) (simcloud.Instance, error) {
	id, err := i.regions.Form(node.Spec.ProviderID)
	if err != nil {
		return simcloud.Instance{}, fmt.Errorf("node %s: %w", node.Name, err)
	}
	inst, err := i.lookups.byID(ctx, id.Instance)
	if call.IsGone(err) {
		if foreign := i.regions.Ours(ctx, id); foreign != nil {
			return simcloud.Instance{}, fmt.Errorf("node %s: %w", node.Name, foreign)
		}
	}
	if err != nil {
		return simcloud.Instance{}, fmt.Errorf("get the instance of node %s: %w", node.Name, err)
	}
	if inst.ID != id.Instance {
		return simcloud.Instance{}, fmt.Errorf("get the instance of node %s: the cloud was asked for %s and answered with %q", node.Name, id.Instance, inst.ID)
	}
	if err := i.regions.Holds(id, inst); err != nil {
		return simcloud.Instance{}, fmt.Errorf("node %s: %w", node.Name, err)
	}
	return inst, nil
}

// nameMatchers are tried in this order; the first that finds any decides.
// Host names come before names, because a Node is called as its host is. The
// last compares the first labels of "web" and "web.example.org", but never of
// two different domains.
func nameMatchers() []func(node string, inst simcloud.Instance) bool {
	return []func(string, simcloud.Instance) bool{
		func(node string, inst simcloud.Instance) bool { return inst.Hostname == node },
		func(node string, inst simcloud.Instance) bool { return strings.EqualFold(inst.Hostname, node) },
		func(node string, inst simcloud.Instance) bool { return strings.EqualFold(inst.Name, node) },
		func(node string, inst simcloud.Instance) bool { return sameHost(node, inst.Hostname) },
	}
}

// sameHost reports whether one name is the other without its domain.
func sameHost(a, b string) bool {
	shortA, _, longA := strings.Cut(a, ".")
	shortB, _, longB := strings.Cut(b, ".")
	return longA != longB && strings.EqualFold(shortA, shortB)
}

// matchName finds the one instance that a node without a provider id is. An
// instance that is terminating counts only when there is no other: its
// successor may have its name.
func matchName(node string, all []simcloud.Instance) (simcloud.Instance, error) {
	for _, matches := range nameMatchers() {
		var living, dying []simcloud.Instance
		for _, inst := range all {
			switch {
			case !matches(node, inst):
			case inst.State == simcloud.InstanceTerminating:
				dying = append(dying, inst)
			default:
				living = append(living, inst)
			}
		}
		if found := append(living, dying...); len(found) > 0 {
			return onlyOne(node, found, len(living))
		}
	}
	return simcloud.Instance{}, simcloud.Errorf(simcloud.NotFound, string(simcloud.KindInstance), "none has the name or hostname %s", node)
}

func onlyOne(node string, found []simcloud.Instance, living int) (simcloud.Instance, error) {
	if living == 1 || len(found) == 1 {
		return found[0], nil
	}
	ids := make([]string, len(found))
	for i, inst := range found {
		ids[i] = string(inst.ID)
	}
	return simcloud.Instance{}, fmt.Errorf("node %s can be any of the instances %s: give them different hostnames, or the kubelet a --provider-id",
		node, strings.Join(ids, ", "))
}
