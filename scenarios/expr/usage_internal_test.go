package expr

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// TestUsages: a wrong call of each function of this package is answered with how it is called.
func TestUsages(t *testing.T) {
	t.Parallel()
	env, err := untypedEnv()
	if err != nil {
		t.Fatal(err)
	}
	var own []string
	for name, function := range env.Functions() {
		if strings.HasPrefix(function.OverloadDecls()[0].ID(), "simcloud_") {
			own = append(own, strings.TrimPrefix(name, "simcloud_"))
		}
	}
	slices.Sort(own)
	if told := slices.Sorted(maps.Keys(usages)); !slices.Equal(own, told) {
		t.Errorf("there are %v, and told is how to call %v", own, told)
	}
}
