package explore

import (
	"reflect"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/run"
)

// TestHistoriesAreScenarios: each history is legal from its first op to its
// last, and is a scenario file without a mistake; and so is what is left when any of its ops is left out.
func TestHistoriesAreScenarios(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := histories(AllAreas(), scenarios.AllCapabilities()).Draw(t, "history")
		if !reflect.DeepEqual(h.legal(), h) {
			t.Errorf("it is not legal: %#v", h)
		}
		left := rapid.IntRange(0, len(h.Ops)-1).Draw(t, "left out")
		for _, h := range []History{h, h.without(func(i int, _ Op) bool { return i == left })} {
			written := h.write(title{name: "history", description: "d"})
			if len(h.Ops) == 0 {
				continue
			}
			all, err := run.Parse("history.yaml", written.text)
			if err != nil {
				t.Fatalf("%v:\n%s", err, written.text)
			}
			if got, want := len(all[0].Steps), len(written.ops); got != want {
				t.Fatalf("%d steps, of which %d are known", got, want)
			}
		}
	})
}

// TestHistoriesEndWell: at the end of a history nothing is wrong any more, and everything is expected.
func TestHistoriesEndWell(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := histories(AllAreas(), scenarios.AllCapabilities()).Draw(t, "history")
		m := newModel(h.Nodes)
		for _, op := range h.Ops {
			op.apply(m)
		}
		if !m.healthy() {
			t.Errorf("at the end the CCM is %s, faults %v, forbidden %v", m.ccm, m.faults, m.forbidden)
		}
		expected := map[part]bool{}
		for i := len(h.Ops) - 1; i >= 0; i-- {
			if c, ok := h.Ops[i].(check); ok {
				expected[c.part] = true
			} else if _, touched := h.Ops[i].(nudge); !touched {
				break
			}
		}
		for _, p := range promises() {
			if !expected[p.part] && (p.area != Services || len(m.services) > 0) && (p.needs == "" || m.asked[p.part]) {
				t.Errorf("%s is not expected at the end", p.part)
			}
		}
	})
}

// TestAreas: a history of one area has nothing of another.
func TestAreas(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := histories([]Area{Nodes, Lifecycle}, scenarios.AllCapabilities()).Draw(t, "history")
		text := string(h.write(title{name: "history", description: "d"}).text)
		for _, foreign := range []string{"kind: Service", "Balancer", "Route", "FloatingIP"} {
			if strings.Contains(text, foreign) {
				t.Errorf("%s in\n%s", foreign, text)
			}
		}
	})
}

// TestHistoriesOfWhatItCan: what a CCM cannot do is in no history of it, and is in some of one that can.
func TestHistoriesOfWhatItCan(t *testing.T) {
	for _, test := range []struct{ capability, text string }{
		{"tokenRenewal", "renewToken"}, {"errorState", "to: error"}, {"loadBalancers", "kind: Service"}, {"routes", "routeTables"},
	} {
		able := scenarios.AllCapabilities()
		for _, can := range []bool{true, false} {
			able[test.capability] = can
			x, found := exploration{Explorer: &Explorer{Seed: 1, Capabilities: able}}, 0
			for n := 1; n <= 200; n++ {
				if strings.Contains(string(x.history(n).write(title{name: "history", description: "d"}).text), test.text) {
					found++
				}
			}
			if can != (found > 0) {
				t.Errorf("%s: %t: %q is in %d of 200 histories", test.capability, can, test.text, found)
			}
		}
	}
}

// TestEachAreaAlone: VMs go whatever is explored, because each part of the work follows them.
func TestEachAreaAlone(t *testing.T) {
	for _, area := range AllAreas() {
		x := exploration{Explorer: &Explorer{Seed: 1, Areas: []Area{area}}}
		gone := 0
		for n := 1; n <= 100; n++ {
			for _, op := range x.history(n).Ops {
				if _, ok := op.(deleteVM); ok {
					gone++
				}
			}
		}
		if gone == 0 {
			t.Errorf("in 100 histories of the area %s no VM goes", area)
		}
	}
}

// TestNudges: each one is a change, also after another one.
func TestNudges(t *testing.T) {
	h := History{Nodes: 1, Ops: []Op{addService{name: "web-1", ports: 1}, nudge{of("web-1")}, nudge{of("web-1")}}}
	text := string(h.write(title{name: "history", description: "d"}).text)
	for _, again := range []string{"look: again-1}", "look: again-2}"} {
		if strings.Count(text, again) != 1 {
			t.Errorf("%s is not there once:\n%s", again, text)
		}
	}
}

// TestStartsInPeace: no CCM is asked to start while the cloud or the cluster refuse it.
func TestStartsInPeace(t *testing.T) {
	for name, trouble := range map[string]Op{"faults": arm{operation: "*", effects: "{error: {code: forbidden}}", times: 3}, "rights": forbids()[0]} {
		h := History{Nodes: 1, Ops: []Op{trouble, ccmDo{verb: "restart"}, ccmDo{verb: "kill"}, ccmDo{verb: "start"}}}
		if got, want := h.legal().Ops, []Op{trouble, ccmDo{verb: "kill"}}; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %#v", name, got)
		}
	}
}

// TestSilenceOfANewMachine: a machine that may not be there yet is waited for before anything is done to it.
func TestSilenceOfANewMachine(t *testing.T) {
	m := newModel(1)
	addVM{name: "node-2"}.apply(m)
	if got := (silence{of("node-2")}).steps(m); len(got) != 2 || !strings.Contains(got[0], becauseBoots) {
		t.Errorf("a new one: %q", got)
	}
	check{part: partNodes}.apply(m)
	if got := (silence{of("node-2")}).steps(m); len(got) != 1 {
		t.Errorf("one that has a Node: %q", got)
	}
}

// TestPatience: upstream's node controller may wait longer after errors than its others.
func TestPatience(t *testing.T) {
	for _, p := range promises() {
		want := "within: " + convergence
		if p.part == partNodes || p.part == partDeleted || p.part == partGone {
			want = "within: " + unhurried
		}
		if got := (check{part: p.part}).steps(newModel(1)); !strings.Contains(got[0], want) {
			t.Errorf("%s lacks %s:\n%s", p.part, want, got[0])
		}
	}
}

// TestUnseenIsUnseen: while a VM is not to be seen, no other fault answers in the place of the one that hides it.
func TestUnseenIsUnseen(t *testing.T) {
	bad := arm{operation: "ListInstances", effects: "{page: {lie: duplicate}}"}
	h := History{Nodes: 1, Ops: []Op{bad, addUnseenVM{name: "node-2"}, clearFaults{}, addUnseenVM{name: "node-3"}}}
	if got, want := h.legal().Ops, []Op{bad, clearFaults{}, addUnseenVM{name: "node-3"}}; !reflect.DeepEqual(got, want) {
		t.Errorf("%#v", got)
	}
}

// TestNothingThereIsLeftOut: no fault lets the cloud say that a VM is not there
// which was: no correct CCM could know better.
func TestNothingThereIsLeftOut(t *testing.T) {
	x := exploration{Explorer: &Explorer{Seed: 1}}
	for n := 1; n <= 200; n++ {
		text := string(x.history(n).write(title{name: "history", description: "d"}).text)
		for _, lie := range []string{"lie: short", "lie: drop", "lie: shift", "code: not_found"} {
			if strings.Contains(text, lie) {
				t.Fatalf("%s in\n%s", lie, text)
			}
		}
	}
}

// TestSameSeed: the histories follow from the seed and their number alone.
func TestSameSeed(t *testing.T) {
	one, two, other := exploration{Explorer: &Explorer{Seed: 7}}, exploration{Explorer: &Explorer{Seed: 7}}, exploration{Explorer: &Explorer{Seed: 8}}
	same := 0
	for n := 1; n <= 20; n++ {
		if !reflect.DeepEqual(one.history(n), two.history(n)) {
			t.Errorf("history %d differs", n)
		}
		if reflect.DeepEqual(one.history(n), other.history(n)) {
			same++
		}
	}
	if same > 0 {
		t.Errorf("%d of 20 histories are the same with another seed", same)
	}
}

// TestEveryKind: among a few hundred histories there is every op that histories have.
func TestEveryKind(t *testing.T) {
	seen := map[string]bool{}
	x := exploration{Explorer: &Explorer{Seed: 1}}
	for n := 1; n <= 400; n++ {
		for _, op := range x.history(n).Ops {
			seen[reflect.TypeOf(op).Name()] = true
		}
	}
	for _, op := range []Op{
		replaceVM{}, returnVM{}, rebootVM{}, moveVM{}, zoneDown{}, zoneUp{}, include{}, changeRanges{}, changeAffinity{}, changePolicy{}, changeFamilies{},
		changeDeleted{}, serviceElsewhere{}, dropTarget{}, dropListener{}, delayAPI{}, undelayAPI{},
		addVM{}, addUnseenVM{}, deleteVM{}, stopVM{}, startVM{}, silence{}, speak{}, exclude{},
		addService{}, changePorts{}, changeType{}, deleteService{}, replaceService{}, nudge{}, touchNode{},
		ccmDo{}, killAt{}, spare{}, newToken{}, forbid{}, allow{}, restartAPI{}, arm{}, clearFaults{}, slowBalancers{},
		dropBalancer{}, dropRoute{}, foreignTarget{}, foreignRoute{}, foreignBalancer{}, wait{}, check{},
	} {
		if name := reflect.TypeOf(op).Name(); !seen[name] {
			t.Errorf("no history has a %s", name)
		}
	}
}

// TestATitleIsText: a file that quotes what a CCM or the cloud has said is a scenario, and text in a terminal.
func TestATitleIsText(t *testing.T) {
	t.Parallel()
	quoted := "it said \x1b[2J\u009b\u202e\x00\rspec: {}\n`spec: {}`"
	text := History{Nodes: 1, Ops: []Op{ccmDo{verb: "stop"}}}.write(title{name: "history", description: quoted, comment: []string{quoted}}).text
	for _, r := range string(text) {
		if !strconv.IsGraphic(r) && r != '\n' {
			t.Errorf("%U is in %q", r, text)
		}
	}
	if all, err := run.Parse("history.yaml", text); err != nil || !strings.Contains(all[0].Description, `\x1b[2J`) {
		t.Errorf("it is no scenario: %v\n%s", err, text)
	}
}
