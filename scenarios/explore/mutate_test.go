package explore

import (
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/simcloud-dev/simcloud/scenarios"
)

// TestMutated: what is made of histories is legal, differs from them, ends as they do, and follows from the seed.
func TestMutated(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		one, other := histories(AllAreas(), scenarios.AllCapabilities()).Draw(rt, "one"), histories(AllAreas(), scenarios.AllCapabilities()).Draw(rt, "other")
		seed, number := rapid.Uint64().Draw(rt, "seed"), rapid.IntRange(1, 4000).Draw(rt, "number")
		h := everything().mutated(newDice(seed), seed, number, one, other)
		if !reflect.DeepEqual(h.legal(), h) {
			rt.Errorf("it is not legal: %#v", h)
		}
		if reflect.DeepEqual(h, one) {
			rt.Errorf("it is what it was: %#v", h)
		}
		if len(h.body().Ops) > mostOps {
			rt.Errorf("it has %d ops", len(h.body().Ops))
		}
		if !reflect.DeepEqual(everything().finished(h.body()), h) {
			rt.Errorf("it does not end as histories do: %#v", h)
		}
		if !reflect.DeepEqual(everything().mutated(newDice(seed), seed, number, one, other), h) {
			rt.Error("it is another one with the same seed")
		}
	})
}

// TestBody: a history is its body and the end that follows from it.
func TestBody(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := histories(AllAreas(), scenarios.AllCapabilities()).Draw(t, "history")
		if again := everything().finished(h.body()); !reflect.DeepEqual(again, h) {
			t.Errorf("it is\n%#v\nwant\n%#v", again, h)
		}
	})
}

// TestFits: what a CCM cannot do, or is not explored, is in nothing that is made of a history.
func TestFits(t *testing.T) {
	t.Parallel()
	gr := grammar{areas: []Area{Nodes, Lifecycle}, able: scenarios.CapabilitySet{"nodes": true}}
	for n := 1; n <= 100; n++ {
		h := gr.mutated(newDice(uint64(n)), 1, n, everything().history(1, 1000+n), everything().history(2, 1000+n))
		for _, op := range h.Ops {
			if name := spellingOf(op).name; !gr.fits(op) || name == "addService" || name == "newToken" || name == "dropRoute" {
				t.Fatalf("history %d has %#v", n, op)
			}
		}
	}
}
