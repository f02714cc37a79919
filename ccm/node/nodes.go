package node

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	corelisters "k8s.io/client-go/listers/core/v1"
)

// Cache is the cluster's Nodes as the controllers' informer shows them.
// Before SetInformers it knows none.
type Cache struct{ lister corelisters.NodeLister }

// Use has the cache show what the informer behind a lister shows.
func (n *Cache) Use(lister corelisters.NodeLister) { n.lister = lister }

func (n *Cache) all() []*v1.Node {
	if n.lister == nil {
		return nil
	}
	// A lister reads its memory, and fails in no way.
	nodes, _ := n.lister.List(labels.Everything())
	return nodes
}

// Get returns what is known of a node: its name at least.
func (n *Cache) Get(name string) *v1.Node {
	if n.lister != nil {
		if node, err := n.lister.Get(name); err == nil {
			return node
		}
	}
	node := &v1.Node{}
	node.Name = name
	return node
}

// byProviderID returns the node with a provider id, or a nameless one that has nothing else.
func (n *Cache) byProviderID(id string) *v1.Node {
	for _, node := range n.all() {
		if id != "" && node.Spec.ProviderID == id {
			return node
		}
	}
	node := &v1.Node{}
	node.Spec.ProviderID = id
	return node
}

// shows reports whether the cluster has just this node, and not another one of
// its name or none. Before SetInformers every node is one of the cluster.
func (n *Cache) shows(node *v1.Node) bool {
	if n.lister == nil {
		return true
	}
	now, err := n.lister.Get(node.Name)
	return err == nil && now.UID == node.UID
}

// named returns this very node as it is known when it has a provider id by now,
// and else as it was given.
func (n *Cache) named(node *v1.Node) *v1.Node {
	if n.lister == nil || node.Spec.ProviderID != "" || node.UID == "" {
		return node
	}
	known, err := n.lister.Get(node.Name)
	if err != nil || known.UID != node.UID || known.Spec.ProviderID == "" {
		return node
	}
	return known
}

// nameless returns the Nodes that have no provider id, which can be found by their names alone.
func (n *Cache) nameless() map[types.UID]bool {
	found := map[types.UID]bool{}
	for _, node := range n.all() {
		if node.Spec.ProviderID == "" && node.UID != "" {
			found[node.UID] = true
		}
	}
	return found
}
