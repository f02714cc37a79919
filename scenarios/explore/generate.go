package explore

import (
	"slices"

	"pgregory.net/rapid"

	"github.com/simcloud-dev/simcloud/scenarios"
)

// histories generates legal histories of some areas, for a CCM that can do some things: rounds of
// things that go wrong and things that change, with time for the CCM to do its work, and at
// the end nothing is wrong any more and everything has to be right.
func histories(areas []Area, able scenarios.CapabilitySet) *rapid.Generator[History] {
	return rapid.Custom(func(t *rapid.T) History {
		g := &generation{T: t, areas: areas, theme: areas, able: able}
		g.Nodes = rapid.IntRange(1, 3).Draw(t, "nodes")
		g.model = newModel(g.Nodes)
		g.begin()
		if !rapid.SampledFrom([]bool{false, false, false, true}).Draw(t, "everything at once") {
			g.theme = rapid.Permutation(themes(areas)).Draw(t, "theme")[0]
		}
		for range rapid.SampledFrom([]int{2, 3, 2, 1}).Draw(t, "rounds") {
			g.round()
		}
		g.end()
		return g.History
	})
}

// generation is a history in the making.
type generation struct {
	*rapid.T
	History
	model *model
	areas []Area
	able  scenarios.CapabilitySet
	// theme are the areas that things go wrong in: what concerns the same is more likely to meet.
	theme []Area
}

// themes are the areas that go together.
func themes(areas []Area) [][]Area {
	var all [][]Area
	nodes, services, routes := []Area{Nodes, Lifecycle}, []Area{Services}, []Area{Routes}
	for _, theme := range [][]Area{nodes, nodes, services, services, routes} {
		theme = slices.DeleteFunc(slices.Clone(theme), func(a Area) bool { return !slices.Contains(areas, a) })
		if len(theme) > 0 {
			all = append(all, theme)
		}
	}
	return all
}

// add adds ops, but those that are not legal.
func (g *generation) add(ops ...Op) {
	for _, op := range ops {
		if op.legal(g.model) {
			op.apply(g.model)
			g.Ops = append(g.Ops, op)
		}
	}
}

// begin waits until the Nodes are initialised, on which all other work rests,
// and makes Services that are there before anything goes wrong.
func (g *generation) begin() {
	g.add(check{part: partNodes})
	if !slices.Contains(g.areas, Services) {
		return
	}
	for range rapid.SampledFrom([]int{1, 0, 1, 2}).Draw(g.T, "services") {
		g.add(drawAddService(g))
	}
	if rapid.SampledFrom([]bool{true, true, false}).Draw(g.T, "they are served first") {
		g.checks(partRoutes, partAddress, partTargets)
	}
}

// round lets something go wrong while something changes, and be over.
func (g *generation) round() {
	for range rapid.SampledFrom([]int{1, 2, 1, 0}).Draw(g.T, "disruptions") {
		g.addOneOf(disruptions())
	}
	for range rapid.SampledFrom([]int{3, 2, 4, 1}).Draw(g.T, "changes") {
		g.addOneOf(changes())
	}
	g.hush()
	g.add(wait{})
	if rapid.Bool().Draw(g.T, "all is over") {
		g.heal()
	}
	if g.model.healthy() && rapid.Bool().Draw(g.T, "healthy") {
		g.nudges()
		g.checks(partNodes, partRoutes, partAddress, partTargets)
	}
}

// hush often silences a machine: a CCM asks for the VMs of Nodes that are not ready alone.
func (g *generation) hush() {
	if !slices.Contains(g.theme, Lifecycle) || len(g.model.vmsThat((*vm).quiet)) > 0 {
		return
	}
	if rapid.SampledFrom([]bool{true, true, false}).Draw(g.T, "a machine is silent") {
		g.add(silence{of(g.node())})
	}
}

// end ends what goes wrong, and wants everything to be right.
func (g *generation) end() {
	g.heal()
	g.nudges()
	for _, p := range promises() {
		g.checks(p.part)
	}
}

func (g *generation) heal() {
	g.add(clearFaults{}, allow{}, spare{}, ccmDo{verb: "resume"}, ccmDo{verb: "start"})
}

func (g *generation) nudges() {
	for _, name := range g.model.servicesThat((*service).wanted) {
		g.add(nudge{of(name)})
	}
}

// checks adds the checks of the areas that are asked for, and that have anything to check.
func (g *generation) checks(parts ...part) {
	for _, p := range parts {
		if area := promiseOf(p).area; slices.Contains(g.areas, area) && (area != Services || len(g.model.services) > 0) {
			g.add(check{part: p})
		}
	}
}

// kind is a kind of op that histories have.
type kind struct {
	weight int
	areas  []Area // it belongs to one of them; none: to all
	needs  string // a capability; empty: none
	// draw draws one, which may be about nothing and so not be legal.
	draw func(g *generation) Op
}

// addOneOf adds an op of some kinds. One that is not legal is drawn again, a few times.
func (g *generation) addOneOf(kinds []kind) {
	var choice []kind
	for _, k := range kinds {
		if len(k.areas) > 0 && !slices.ContainsFunc(k.areas, func(a Area) bool { return slices.Contains(g.theme, a) }) {
			continue
		}
		if k.needs != "" && !g.able[k.needs] {
			continue
		}
		for range k.weight {
			choice = append(choice, k)
		}
	}
	for range 5 {
		// By a permutation, because SampledFrom prefers the first ones.
		op := rapid.Permutation(choice).Draw(g.T, "kind")[0].draw(g)
		if op.legal(g.model) {
			g.add(op)
			return
		}
	}
}

// among draws one of the names; empty when there are none.
func (g *generation) among(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return rapid.SampledFrom(names).Draw(g.T, "name")
}
