package explore

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/simcloud-dev/simcloud/scenarios"
)

// histories draws the histories of some seed and number.
func histories(areas []Area, able scenarios.CapabilitySet) *rapid.Generator[History] {
	return rapid.Custom(func(t *rapid.T) History {
		number := rapid.IntRange(1, 4000).Draw(t, "number")
		return grammar{areas: areas, able: able, lags: true}.history(rapid.Uint64().Draw(t, "seed"), number)
	})
}

// everything is a grammar of all that there is.
func everything() grammar {
	return grammar{areas: AllAreas(), able: scenarios.AllCapabilities(), lags: true}
}

// TestShortHistoriesFirst: the first histories are short, later ones may be long.
func TestShortHistoriesFirst(t *testing.T) {
	t.Parallel()
	longest := func(from, to int) (most int) {
		for n := from; n < to; n++ {
			most = max(most, len(everything().history(1, n).Ops))
		}
		return most
	}
	first, later := longest(1, 8), longest(2000, 2100)
	if first > 32 || later < 2*first {
		t.Errorf("the longest of the first ones has %d ops, of later ones %d", first, later)
	}
}

// TestSwarms: a history has few kinds of moves, and each pair of kinds has its history soon.
func TestSwarms(t *testing.T) {
	t.Parallel()
	all := everything().kinds(kinds())
	met := map[[2]string]bool{}
	pairs := len(all) * (len(all) + 1) / 2
	for n := range pairs {
		s := everything().swarm(newDice(uint64(n)), 7, n+1)
		if len(s.kinds) > len(s.must)+mostOther {
			t.Errorf("history %d has %d kinds", n+1, len(s.kinds))
		}
		met[[2]string{s.must[0].name, s.must[1].name}] = true
		if moves := s.moves(newDice(uint64(n))); len(moves) > mostMoves || len(moves) < fewestMoves {
			t.Errorf("history %d has %d moves", n+1, len(moves))
		}
	}
	if len(met) != pairs {
		t.Errorf("%d pairs of %d have met", len(met), pairs)
	}
}

// TestKindsAreDrawn: each kind can be drawn, and is legal when it was prepared for.
func TestKindsAreDrawn(t *testing.T) {
	t.Parallel()
	for _, k := range kinds() {
		found := 0
		for seed := range uint64(20) {
			g := &generation{dice: newDice(seed), grammar: everything(), swarm: swarm{kinds: []kind{k}}, model: newModel(2)}
			g.Nodes = 2
			g.begin()
			before := len(g.Ops)
			g.move(k)
			if len(g.Ops) > before {
				found++
			}
		}
		if found < 15 {
			t.Errorf("%s was legal in %d of 20 histories", k.name, found)
		}
	}
}

// TestKindNames: a kind has a name of its own.
func TestKindNames(t *testing.T) {
	t.Parallel()
	var names []string
	for _, k := range kinds() {
		if slices.Contains(names, k.name) || k.name == "" || k.weight <= 0 {
			t.Errorf("%q with the weight %d", k.name, k.weight)
		}
		names = append(names, k.name)
	}
}
