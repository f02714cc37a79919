package explore

// Op is one thing that happens in a history. Ops are plain values: what they
// do to a cluster is in the steps that they write.
type Op interface {
	// legal reports whether it can happen then: that what it is about is
	// there, and that a CCM can be held to what follows.
	legal(m *model) bool
	// apply changes the model as the op changes the world.
	apply(m *model)
	// steps are the steps of a scenario that do it, as YAML, when the model is
	// as it was before the op.
	steps(m *model) []string
	// cleanup are the steps of finally that remove what it has made.
	cleanup() []string
	// about names what the op is about: what is left out together when a
	// history is made shorter.
	about() string
	// simpler are ops that may show the same, the simplest first.
	simpler() []Op
}

// History is what happens, in its order, to a cluster that has some nodes.
type History struct {
	Nodes int
	Ops   []Op
}

// legal returns the history without the ops that cannot happen, because what
// they are about is not there (any more).
func (h History) legal() History {
	m := newModel(h.Nodes)
	kept := History{Nodes: h.Nodes}
	for _, op := range h.Ops {
		if op.legal(m) {
			op.apply(m)
			kept.Ops = append(kept.Ops, op)
		}
	}
	return kept
}

// without returns the history without some ops, and without those that are not legal then.
func (h History) without(some func(i int, op Op) bool) History {
	kept := History{Nodes: h.Nodes}
	for i, op := range h.Ops {
		if !some(i, op) {
			kept.Ops = append(kept.Ops, op)
		}
	}
	return kept.legal()
}

// noSimpler is an op that cannot be simpler.
type noSimpler struct{}

func (noSimpler) simpler() []Op { return nil }

// plain is such an op that makes nothing that has to be removed.
type plain struct{ noSimpler }

func (plain) cleanup() []string { return nil }

// named is a plain op about one part of the world, such as a VM or a Service.
type named struct {
	plain
	name string
}

func (n named) about() string { return n.name }

func of(name string) named { return named{name: name} }
