package run

import (
	"fmt"
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/expr"
	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"github.com/simcloud-dev/simcloud/scenarios/step"
	"github.com/simcloud-dev/simcloud/simcloud/spelling"
)

// vacuousDenials warns of keys that the expectations of a scenario deny, and that nothing had at any time: with a typing
// error in a key, a denial of it is always true. Keys that Kubernetes or its cloud provider define are left out, since a CCM
// may be right never to use them. Each key has one warning.
func vacuousDenials(s *scenarios.Scenario, had *observe.Keys) (warnings []scenarios.Warning) {
	type key struct {
		kind observe.KeyKind
		text string
	}
	told := map[key]bool{}
	for _, next := range slices.Concat(s.Steps, s.Finally) {
		expectation, ok := next.Action.(*step.ExpectAction)
		if !ok {
			continue
		}
		for _, d := range expectation.Denials() {
			if told[key{d.Kind, d.Key}] || had.Had(d.Kind, d.Key) || slices.Contains(expr.WellKnown(d.Kind), d.Key) {
				continue
			}
			told[key{d.Kind, d.Key}] = true
			warnings = append(warnings, scenarios.Warning{
				Position: next.PlaceOf(d.Place),
				Text:     fmt.Sprintf("the %s %q is denied, but nothing had it at any time of the run: check its spelling%s", d.Kind, d.Key, nearMiss(d, had)),
			})
		}
	}
	return warnings
}

// nearMiss suggests the key that was probably meant: one that something had, or else one that Kubernetes defines.
func nearMiss(d expr.Denial, had *observe.Keys) string {
	for _, keys := range [][]string{had.All(d.Kind), expr.WellKnown(d.Kind)} {
		best, closest := mostTypos(d.Key)+1, ""
		for _, key := range keys {
			if distance := spelling.Distance(key, d.Key); distance < best {
				best, closest = distance, key
			}
		}
		if closest != "" {
			return fmt.Sprintf(" (%q?)", closest)
		}
	}
	return ""
}

// mostTypos is how many letters a key may differ in from one for which it is taken. What stands before the "/" does not
// make it longer: it is the same in many keys.
func mostTypos(key string) int {
	name := key[strings.LastIndexByte(key, '/')+1:]
	return min(3, max(1, len(name)/2))
}
