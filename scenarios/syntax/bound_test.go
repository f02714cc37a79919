package syntax_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/scenarios/step"
	"github.com/simcloud-dev/simcloud/scenarios/syntax"
)

// chain writes files of steps into a folder, each with these steps, where NEXT is the next file and the last one sleeps. It returns
// a scenario that uses the first.
func chain(t *testing.T, depth int, spec, last string) string {
	t.Helper()
	dir := t.TempDir()
	write := func(name, kind, spec string) string {
		path := filepath.Join(dir, name+".yaml")
		text := "apiVersion: simcloud.dev/v1alpha1\nkind: " + kind + "\nmetadata: {name: " + name + ", labels: {tier: core, area: service}}\nspec:\n  description: x\n" + spec
		if kind == syntax.KindSteps {
			text = strings.Replace(text, ", labels: {tier: core, area: service}", "", 1)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for i := range depth {
		write(fmt.Sprintf("s%d", i), syntax.KindSteps, strings.ReplaceAll(spec, "NEXT", fmt.Sprintf("s%d.yaml", i+1)))
	}
	write(fmt.Sprintf("s%d", depth), syntax.KindSteps, last)
	return write("bomb", "Scenario", "  steps:\n  - use: {file: s0.yaml}\n")
}

const sleeps = "  steps:\n  - sleep: 1s\n"

// TestUseIsBounded: files that use the next one twice are read up to a bound, and the error says which.
func TestUseIsBounded(t *testing.T) {
	t.Parallel()
	large := "  steps:\n  - sleep: 1s\n# " + strings.Repeat("x", 900_000) + "\n"
	const doubles = "  parameters: {v: {default: a, description: x}}\n  steps:\n  - use: {file: NEXT, with: {v: \"${v}${v}\"}}\n"
	for _, c := range []struct {
		name, spec, last, want string
		depth                  int
	}{
		{"steps", "  steps:\n  - use: {file: NEXT}\n  - use: {file: NEXT}\n", sleeps, "more than 1000 steps with all that it uses", 24},
		{"steps that are wrong", "  steps:\n  - use: {file: NEXT}\n  - use: {file: NEXT}\n", "  steps:\n  - slep: 1s\n", "more than 1000 steps", 24},
		{"bytes", "  steps:\n  - use: {file: NEXT}\n  - use: {file: NEXT}\n", large, "files that are used have more than 8 MiB", 10},
		{"texts", doubles, "  parameters: {v: {default: a, description: x}}\n  steps:\n  - setLabel: \"${v}\"\n", "more than 1048576 bytes with the values", 40},
		{"values", strings.Replace(doubles, `"${v}${v}"`, `["${v}", "${v}"]`, 1), "  parameters: {v: {default: a, description: x}}\n  steps:\n  - sleep: \"${v}\"\n", "more than 100000 values", 40},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			begun := time.Now()
			_, err := syntax.Loader{Verbs: step.Verbs()}.Load(chain(t, c.depth, c.spec, c.last))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
			if n := strings.Count(fmt.Sprint(err), "\n"); n > 20 {
				t.Errorf("the error has %d lines", n)
			}
			t.Logf("read in %s", time.Since(begun))
		})
	}
}

// TestLoadEndsWithItsContext: a loader that is to stop does so at the next step, and reports that alone.
func TestLoadEndsWithItsContext(t *testing.T) {
	t.Parallel()
	file := chain(t, 24, "  steps:\n  - use: {file: NEXT}\n  - use: {file: NEXT}\n", sleeps)
	ctx := &endsAfter{Context: t.Context(), looks: 100}
	for _, path := range []string{file, filepath.Dir(file)} {
		ctx.looks = 100
		_, err := syntax.Loader{Verbs: step.Verbs()}.Within(ctx).Load(path)
		if !errors.Is(err, context.Canceled) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: got %v", path, err)
		}
	}
}

// endsAfter is a context that ends when it has been looked at so often.
type endsAfter struct {
	context.Context

	looks int
}

func (e *endsAfter) Err() error {
	if e.looks--; e.looks < 0 {
		return context.Canceled
	}
	return nil
}
