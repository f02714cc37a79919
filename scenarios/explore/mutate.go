package explore

import (
	"slices"
)

// mostOps is how many ops a history that was made of others has at most, without its end.
const mostOps = 60

// mostTries bounds the attempts to make a different history.
const mostTries = 50

// mutation makes histories of those that the corpus has.
type mutation struct {
	dice
	grammar grammar
	// swarm has the kinds of what is new in them.
	swarm swarm
	other History
}

// mutated is a history that was made of one of the corpus, and maybe of another one. It is legal, and ends as all do.
func (gr grammar) mutated(d dice, seed uint64, number int, parent, other History) History {
	m := &mutation{dice: d, grammar: gr, swarm: gr.swarm(d, seed, number), other: other.body()}
	was := parent.body()
	h := was
	for range m.between(1, 2) {
		h = oneOf(d, m.grow, m.grow, m.grow, m.merge, m.merge, m.drop, m.change, m.repeat, m.splice)(h)
	}
	for try := 0; try < mostTries && slices.Equal(h.body().Ops, was.Ops); try++ {
		h = m.grow(h) // it may add nothing, or only ops that every history ends with
	}
	for len(h.Ops) > mostOps {
		h = m.drop(h)
	}
	return gr.finished(h.body()) // the new ops at the end may be those that every history ends with
}

// finished is a history with the end that all have, for what it has made.
func (gr grammar) finished(h History) History {
	g := gr.resumed(dice{}, h)
	g.end()
	return g.History
}

// resumed is a history in the making, as far as this one goes, without what is not legal or does not fit the grammar.
func (gr grammar) resumed(d dice, h History) *generation {
	g := &generation{dice: d, grammar: gr, model: newModel(h.Nodes)}
	g.Nodes = h.Nodes
	g.addFitting(h.Ops)
	return g
}

// addFitting adds ops that fit the grammar.
func (g *generation) addFitting(ops []Op) {
	for _, op := range ops {
		if g.fits(op) {
			g.add(op)
		}
	}
}

// body is the history without its end, which follows from what came before.
func (h History) body() History {
	n := len(h.Ops)
	for n > 0 && isEnd(h.Ops[n-1]) {
		n--
	}
	return History{Nodes: h.Nodes, Ops: h.Ops[:n:n]}
}

// isEnd reports whether an op can be of the end of a history.
func isEnd(op Op) bool {
	switch o := op.(type) {
	case check, nudge, touchNode, clearFaults, allow, undelayAPI, catchUpAPI, zoneUp, spare:
		return true
	case ccmDo:
		return o.verb == "resume" || o.verb == "start"
	default:
		return false
	}
}

// at is a place in a history.
func (m *mutation) at(h History) int { return m.IntN(len(h.Ops) + 1) }

// rebuilt is a history that has something new in the place of the ops from one place to another.
func (m *mutation) rebuilt(h History, from, to int, change func(g *generation)) History {
	g := m.grammar.resumed(m.dice, History{Nodes: h.Nodes, Ops: h.Ops[:from]})
	g.reserved = max(highest(h), highest(m.other))
	change(g)
	g.addFitting(h.Ops[to:])
	return g.History
}

// mostNew is how many moves a history grows by at most. At first it is fewer, as histories are short then.
const mostNew = 10

// grow puts new moves into a history, each at a place of its own.
func (m *mutation) grow(h History) History {
	for range m.between(1, min(mostNew, m.swarm.most)) {
		at := m.at(h)
		h = m.rebuilt(h, at, at, m.move)
	}
	return h
}

// move adds a move of the swarm.
func (m *mutation) move(g *generation) { g.move(m.swarm.kinds[weighed(m.dice, m.swarm.kinds)]) }

// drop leaves out one to three ops in a row.
func (m *mutation) drop(h History) History {
	if len(h.Ops) == 0 {
		return h
	}
	from := m.IntN(len(h.Ops))
	return m.rebuilt(h, from, min(len(h.Ops), from+m.between(1, 3)), func(*generation) {})
}

// change gives an op other arguments: it draws one that is spelled like it.
func (m *mutation) change(h History) History {
	if len(h.Ops) == 0 {
		return m.grow(h)
	}
	at := m.IntN(len(h.Ops))
	name := spellingOf(h.Ops[at]).name
	return m.rebuilt(h, at, at+1, func(g *generation) {
		for _, k := range shuffled(m.dice, m.grammar.kinds(kinds())) {
			op := k.draw(g)
			if spellingOf(op).name == name && op != h.Ops[at] && g.add(op) {
				return
			}
		}
		g.add(h.Ops[at])
	})
}

// repeat has some ops of a history once more, later.
func (m *mutation) repeat(h History) History {
	if len(h.Ops) == 0 {
		return m.grow(h)
	}
	from := m.IntN(len(h.Ops))
	again := h.Ops[from:min(len(h.Ops), from+m.between(1, 4))]
	at := m.between(from, len(h.Ops))
	return m.rebuilt(h, at, at, func(g *generation) { g.addFitting(again) })
}

// splice goes on as another history does from some place on.
func (m *mutation) splice(h History) History {
	h.Nodes = max(h.Nodes, m.other.Nodes)
	return m.rebuilt(h, m.at(h), len(h.Ops), func(g *generation) { g.addFitting(m.other.Ops[m.at(m.other):]) })
}

// merge lets two histories happen at the same time: each keeps its order.
func (m *mutation) merge(h History) History {
	nodes := max(h.Nodes, m.other.Nodes)
	return m.rebuilt(History{Nodes: nodes}, 0, 0, func(g *generation) {
		one, two := h.Ops, m.other.Ops
		for len(one)+len(two) > 0 {
			if m.IntN(len(one)+len(two)) >= len(one) {
				one, two = two, one
			}
			g.addFitting(one[:1])
			one = one[1:]
		}
	})
}
