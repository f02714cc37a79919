package explore

import (
	"math/rand/v2"
	"slices"
)

// dice draw what a seed says: the same seed draws the same in every version of simcloud that asks in the same order.
type dice struct{ *rand.Rand }

func newDice(seed uint64) dice { return dice{rand.New(rand.NewPCG(seed, 0x5eed))} }

// oneIn is true once in n times.
func (d dice) oneIn(n int) bool { return d.IntN(n) == 0 }

// between is a number from low to high, both of which it can be.
func (d dice) between(low, high int) int { return low + d.IntN(max(1, high-low+1)) }

// oneOf draws one of some values.
func oneOf[T any](d dice, all ...T) T { return all[d.IntN(len(all))] }

// shuffled are values in an order by chance.
func shuffled[T any](d dice, all []T) []T {
	all = slices.Clone(all)
	d.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

// mix makes seeds that have nothing to do with each other of neighbours (SplitMix64, by Steele, Lea and Flood).
func mix(seed, n uint64) uint64 {
	z := seed*0xd1342543de82ef95 + n*0x9e3779b97f4a7c15
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb
	return z ^ (z >> 31)
}
