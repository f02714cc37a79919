package explore

import (
	"cmp"
	"slices"
)

// swarm is what the moves of one history are drawn from: a small part of all kinds, with weights of its own. What is
// rare among all kinds is frequent in a history that has few, so that rare ones meet.
type swarm struct {
	kinds []kind
	// must are kinds that the history has at least once.
	must []kind
	// most is how many moves it has at most.
	most int
}

// Sizes of swarms.
const (
	fewestMoves = 2
	mostMoves   = 24
	fewestOther = 3
	mostOther   = 16
	growth      = 6 // histories after which they may be a move longer
)

// swarm draws the swarm of a history. Short histories come first, since they take less time and say more. Each has a
// pair of kinds at least: histories go through all pairs, in an order that follows from the seed. The other kinds are
// drawn by weight, most often of one theme.
func (gr grammar) swarm(d dice, seed uint64, number int) swarm {
	s := swarm{most: min(mostMoves, fewestMoves+number/growth)}
	all := gr.kinds(kinds())
	s.must = pairOf(all, seed, number-1)
	s.kinds = append(slices.Clone(s.must), drawn(d, gr.kinds(inTheme(d, all, gr.areas)), d.between(fewestOther, mostOther))...)
	for i := range s.kinds {
		s.kinds[i].weight = oneOf(d, 1, 2, 4)
	}
	return s
}

// kinds are those of the areas and of what the CCM can do.
func (gr grammar) kinds(of []kind) []kind {
	return slices.DeleteFunc(slices.Clone(of), func(k kind) bool {
		return !k.isOf(gr.areas) || k.needs != "" && !gr.able[k.needs] || gr.prompt && k.name == "delayAPI" || !gr.lags && k.lags
	})
}

// inTheme leaves, three times in four, the kinds of areas that go together: what concerns the same is more likely to meet.
func inTheme(d dice, all []kind, areas []Area) []kind {
	if d.oneIn(4) {
		return all
	}
	theme := oneOf(d, themes(areas)...)
	return slices.DeleteFunc(slices.Clone(all), func(k kind) bool { return !k.isOf(theme) })
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

// pairOf is the nth pair of kinds, of an endless row that has each pair as often as any other, in an order that
// follows from the seed: it goes through the pairs in steps of a length that leads to all of them.
func pairOf(all []kind, seed uint64, n int) []kind {
	pairs := len(all) * (len(all) + 1) / 2
	d := newDice(mix(^seed, uint64(n/pairs)))
	from, stride := d.IntN(pairs), d.IntN(pairs)+1
	for greatestCommonDivisor(stride, pairs) != 1 {
		stride = stride%pairs + 1
	}
	at := (from + n%pairs*stride) % pairs
	for i := range all {
		if at < len(all)-i {
			return []kind{all[i], all[i+at]}
		}
		at -= len(all) - i
	}
	return nil // at is less than the pairs that there are
}

func greatestCommonDivisor(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// drawn draws n different kinds by their weights, or all where there are no more.
func drawn(d dice, all []kind, n int) []kind {
	var some []kind
	for rest := slices.Clone(all); n > 0 && len(rest) > 0; n-- {
		i := weighed(d, rest)
		some = append(some, rest[i])
		rest = slices.Delete(rest, i, i+1)
	}
	return some
}

// weighed draws the index of a kind by the weights.
func weighed(d dice, all []kind) int {
	sum := 0
	for _, k := range all {
		sum += k.weight
	}
	at := d.IntN(sum)
	for i, k := range all {
		if at -= k.weight; at < 0 {
			return i
		}
	}
	return len(all) - 1
}

// moves draws the kinds of the moves of a history, in their order.
func (s swarm) moves(d dice) []kind {
	moves := slices.Clone(s.must)
	for n := d.between(s.most/2, s.most); len(moves) < n && len(s.kinds) > 0; {
		moves = append(moves, s.kinds[weighed(d, s.kinds)])
	}
	return shuffled(d, moves)
}

// has reports whether a kind is of an area.
func (s swarm) has(area Area) bool {
	return slices.ContainsFunc(s.kinds, func(k kind) bool { return slices.Contains(k.areas, area) })
}

// served reports whether a kind needs what the CCM has made.
func (s swarm) served() bool {
	return slices.ContainsFunc(s.kinds, func(k kind) bool { return k.served })
}

// disruptionsFirst orders kinds: what goes wrong while nothing changes goes unnoticed.
func disruptionsFirst(a, b kind) int {
	return cmp.Compare(order(a), order(b))
}

func order(k kind) int {
	if k.disrupts {
		return 0
	}
	return 1
}
