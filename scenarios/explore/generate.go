package explore

import (
	"slices"

	"github.com/simcloud-dev/simcloud/scenarios"
)

// grammar is what histories are made of: the areas that are explored, and what the CCM can do.
type grammar struct {
	areas []Area
	able  scenarios.CapabilitySet
	// prompt is whether the API server cannot be made to answer the CCM late.
	prompt bool
	// lags is whether the API server can be made to show the CCM what is old.
	lags bool
}

// history is the legal history of a seed and a number, from 1: rounds of things that go wrong and things that
// change, with time for the CCM to do its work. At the end nothing is wrong any more, and everything must be right.
func (gr grammar) history(seed uint64, number int) History {
	d := newDice(mix(seed, uint64(number)))
	g := &generation{dice: d, grammar: gr, swarm: gr.swarm(d, seed, number)}
	g.Nodes = g.between(1, 3)
	g.model = newModel(g.Nodes)
	g.begin()
	g.rounds()
	return gr.finished(g.body()) // the last round may have ended as the history does
}

// generation is a history in the making.
type generation struct {
	dice
	grammar
	swarm swarm
	History
	model *model
	// reserved is the highest number of the names that a VM or a Service will have that comes later.
	reserved int
}

// add adds ops, but those that are not legal. It reports whether the last one was.
func (g *generation) add(ops ...Op) (added bool) {
	for _, op := range ops {
		if added = op.legal(g.model); added {
			op.apply(g.model)
			g.Ops = append(g.Ops, op)
		}
	}
	return added
}

// begin waits until the Nodes are initialised, on which all other work rests,
// and makes Services that are there before anything goes wrong.
func (g *generation) begin() {
	g.add(check{part: partNodes})
	if !slices.Contains(g.areas, Services) {
		return
	}
	least := 0
	if g.swarm.has(Services) {
		least = 1
	}
	for range g.between(least, 2) {
		g.add(drawAddService(g))
	}
	if !g.oneIn(3) || g.swarm.served() {
		g.serve()
	}
}

// serve waits until all that the CCM has to make is there: only then others can change it.
func (g *generation) serve() {
	g.checks(partRoutes, partAddress, partTargets)
}

// rounds shares the moves of a history out to rounds.
func (g *generation) rounds() {
	moves := g.swarm.moves(g.dice)
	for parts := g.between(1, min(4, 1+len(moves)/2)); parts > 0; parts-- {
		n := len(moves) / parts
		g.round(moves[:n])
		moves = moves[n:]
	}
}

// round lets something go wrong while something changes, and be over.
func (g *generation) round(moves []kind) {
	if !g.oneIn(4) {
		slices.SortStableFunc(moves, disruptionsFirst)
	}
	for _, k := range moves {
		g.move(k)
	}
	g.hush()
	g.add(wait{}, catchUpAPI{})
	if g.oneIn(2) {
		g.heal()
	}
	if g.model.healthy() && g.oneIn(2) {
		g.settle()
		g.checks(partNodes)
		g.nudges()
		g.checks(partRoutes, partAddress, partTargets)
	}
}

// move adds an op of a kind. One that is not legal is drawn again, and prepared for, a few times.
func (g *generation) move(k kind) {
	for try := range 4 {
		if g.add(k.draw(g)) {
			return
		}
		if try == 1 && k.prepare != nil {
			k.prepare(g)
		}
	}
}

// hush often silences a machine: a CCM asks for the VMs of Nodes that are not ready alone.
func (g *generation) hush() {
	if !g.swarm.has(Lifecycle) || len(g.model.vmsThat((*vm).quiet)) > 0 {
		return
	}
	if !g.oneIn(3) {
		g.add(silence{of(g.node())})
	}
}

// end ends what goes wrong, and wants everything to be right.
func (g *generation) end() {
	g.heal()
	g.settle()
	for _, p := range promises() {
		g.checks(p.part)
		if p.part == partNodes {
			g.nudges()
		}
	}
}

func (g *generation) heal() {
	g.add(clearFaults{}, allow{}, undelayAPI{}, catchUpAPI{}, zoneUp{}, spare{}, ccmDo{verb: "resume"}, ccmDo{verb: "start"})
}

// settle waits for Services that have just changed, and touches the Nodes that a CCM may look at late.
func (g *generation) settle() {
	if len(g.model.servicesThat(func(s *service) bool { return s.wanted() && s.unsettled })) > 0 {
		g.add(wait{})
	}
	for _, name := range g.model.vmsThat((*vm).late) {
		g.add(touchNode{of(name)})
	}
}

// nudges touches the Services that a CCM may look at late.
func (g *generation) nudges() {
	for _, name := range g.model.servicesThat((*service).wanted) {
		g.add(nudge{of(name)})
	}
}

// checks adds the checks of the areas that are asked for, and that have anything to check.
func (g *generation) checks(parts ...part) {
	for _, p := range parts {
		if c := (check{part: p}); g.fits(c) && g.tested(promiseOf(p)) {
			g.add(c)
		}
	}
}

// tested reports whether a history puts a promise to the test.
func (g *generation) tested(p promise) bool {
	return (p.needs == "" || g.model.asked[p.part]) && (p.area != Services || len(g.model.services) > 0)
}

// among draws one of the names; empty when there are none.
func (g *generation) among(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return oneOf(g.dice, names...)
}
