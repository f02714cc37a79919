package explore

import (
	"fmt"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/e2e/planetest"
	"github.com/simcloud-dev/simcloud/scenarios"
)

// called are operations that faults can meet.
var called = []string{"GetInstance", "ListInstances", "CreateLoadBalancer", "DeleteLoadBalancer", "CreateFloatingIP", "DeleteFloatingIP", "CreateTarget", "CreateListener"}

// lettersOf are what an op is, with the arguments that make it rare: a fault has a letter for each operation that it
// meets, and each effect.
func lettersOf(op Op) []string {
	switch o := op.(type) {
	case arm:
		var all []string
		for _, operation := range called {
			for effect := range strings.SplitSeq(o.effects, "\n") {
				if meets, err := path.Match(o.operation, operation); meets && err == nil {
					all = append(all, operation+" "+effect)
				}
			}
		}
		return all
	case killAt:
		return []string{fmt.Sprintf("killAt %s %t", o.operation, o.after)}
	case forbid:
		return []string{"forbid " + o.verbs + " " + o.resources}
	case ccmDo:
		return []string{"ccm " + o.verb}
	case stopVM:
		return []string{fmt.Sprintf("stopVM %t", o.suspend)}
	default:
		return []string{spellingOf(o).name}
	}
}

// inOrder is how many letters come in their order among those of the ops of a history.
func inOrder(ops [][]string, letters []string) int {
	i := 0
	for _, op := range ops {
		if i < len(letters) && slices.Contains(op, letters[i]) {
			i++
		}
	}
	return i
}

// lettersIn are those of each op of a history.
func lettersIn(h History) (ops [][]string) {
	for _, op := range h.Ops {
		ops = append(ops, lettersOf(op))
	}
	return ops
}

// shownBy is what a CCM that is not there shows of a history: each letter, which move followed on which, and how far
// the moves have led towards each bug, as code shows that has a branch within a branch.
func shownBy(h History, bugs []meeting) (shown []feature) {
	before := ""
	for _, op := range h.Ops {
		for _, letter := range lettersOf(op) {
			shown = append(shown, feature("call "+letter))
		}
		if _, waits := op.(wait); waits || isEnd(op) {
			continue
		}
		name := spellingOf(op).name
		shown = append(shown, feature("then "+before+" → "+name))
		before = name
	}
	ops := lettersIn(h)
	for i, bug := range bugs {
		for n := range inOrder(ops, bug.letters) {
			shown = append(shown, feature(fmt.Sprintf("branch %d of bug %d", n+1, i)))
		}
	}
	slices.Sort(shown)
	return slices.Compact(shown)
}

// rareMoves are letters: of kinds, and of kinds with arguments that few of them have.
func rareMoves() (kinds, arguments []string) {
	kinds = []string{
		"addVM", "addUnseenVM", "deleteVM", "stopVM true", "stopVM false", "startVM", "silence", "speak", "exclude", "addService", "deleteService",
		"replaceService", "changeType", "changePorts", "slowBalancers", "dropBalancer", "foreignTarget", "foreignBalancer", "foreignRoute", "dropRoute",
		"ccm restart", "newToken", "ccm stop", "ccm kill", "ccm pause", "restartAPI",
	}
	for _, operation := range called {
		for _, effect := range answers() {
			arguments = append(arguments, operation+" "+effect)
		}
	}
	for _, operation := range killOperations() {
		arguments = append(arguments, "killAt "+operation+" true")
	}
	return kinds, arguments
}

// meeting is a bug that some moves in their order show.
type meeting struct {
	what    string
	letters []string
}

// meetings draws bugs.
func meetings(each int) (all []meeting) {
	d := rand.New(rand.NewPCG(1, 1))
	kinds, arguments := rareMoves()
	kind, argument := func() string { return kinds[d.IntN(len(kinds))] }, func() string { return arguments[d.IntN(len(arguments))] }
	for range each {
		all = append(all,
			meeting{"two moves", []string{kind(), kind()}},
			meeting{"a move and a rare argument", []string{argument(), kind()}},
			meeting{"three moves", []string{kind(), kind(), kind()}},
			meeting{"three, one with a rare argument", []string{kind(), argument(), kind()}},
			meeting{"three, two with rare arguments", []string{argument(), kind(), argument()}},
		)
	}
	return all
}

// foundAt are the numbers of the histories that show bugs first, in order; most for those that none shows.
func foundAt(all []meeting, most int, next func(number int) History) map[string][]int {
	found := make([]int, len(all))
	for number := 1; number <= most && slices.Contains(found, 0); number++ {
		ops := lettersIn(next(number))
		for i, m := range all {
			if found[i] == 0 && inOrder(ops, m.letters) == len(m.letters) {
				found[i] = number
			}
		}
	}
	at := map[string][]int{}
	for i, m := range all {
		if found[i] == 0 {
			found[i] = most
		}
		at[m.what] = append(at[m.what], found[i])
	}
	for _, numbers := range at {
		slices.Sort(numbers)
	}
	return at
}

// anywhere is a grammar of what every backend can do.
func anywhere() grammar { return grammar{areas: AllAreas(), able: scenarios.AllCapabilities()} }

// bySwarm makes histories of a seed alone.
func bySwarm() func(number int) History {
	return func(number int) History { return anywhere().history(1, number) }
}

// byCorpus makes them also of those that have shown something new. Of bugs there is to be seen how far moves led to them.
func byCorpus(bugs ...meeting) func(number int) History {
	c, s := &corpus{names: map[string]bool{}}, &sights{}
	return func(number int) History {
		t := c.next(anywhere(), 1, number, s)
		if fresh := s.add(shownBy(t.history, bugs)); len(fresh) > 0 {
			c.entries = append(c.entries, &entry{name: t.history.identity(), history: t.history, found: fresh, tried: true})
		}
		return t.history
	}
}

// foundAlone is [foundAt] when there is one bug at a time, and there is to be seen how far moves led to it.
func foundAlone(all []meeting, most int) map[string][]int {
	at := map[string][]int{}
	for _, bug := range all {
		for what, found := range foundAt([]meeting{bug}, most, byCorpus(bug)) {
			at[what] = append(at[what], found...)
		}
	}
	for _, numbers := range at {
		slices.Sort(numbers)
	}
	return at
}

// half and mostOf are by when half, and nine of ten, of some bugs were found.
func half(at []int) int   { return at[len(at)/2] }
func mostOf(at []int) int { return at[len(at)*9/10] }

// TestYield: moves that are rare meet soon, and what the CCM shows of them leads on to where they meet.
func TestYield(t *testing.T) {
	planetest.Nightly(t, "it makes thousands of histories")
	t.Parallel()
	at := foundAlone(meetings(8), 3000)
	for what, want := range map[string]int{"two moves": 400, "a move and a rare argument": 600, "three moves": 600, "three, two with rare arguments": 3000} {
		if got := half(at[what]); got >= want {
			t.Errorf("%s: half of them met by history %d, want less than %d", what, got, want)
		}
	}
}

// BenchmarkYield says by which history half, and nine of ten, of some bugs are found.
func BenchmarkYield(b *testing.B) {
	for name, found := range map[string]func() map[string][]int{
		"swarm":    func() map[string][]int { return foundAt(meetings(60), 5000, bySwarm()) },
		"corpus":   func() map[string][]int { return foundAt(meetings(60), 5000, byCorpus()) },
		"branches": func() map[string][]int { return foundAlone(meetings(12)[:48], 3000) },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				for what, at := range found() {
					b.ReportMetric(float64(half(at)), strings.ReplaceAll(what, " ", "-")+"/half")
					b.ReportMetric(float64(mostOf(at)), strings.ReplaceAll(what, " ", "-")+"/p90")
				}
			}
		})
	}
}
