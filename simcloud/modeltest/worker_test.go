package modeltest

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

// worker is one client: it makes one call at a time, and knows what must be there.
type worker struct {
	gen   *generator
	model *model
	calls int
	// pending is the call that was not answered; nil for none.
	pending *step
	trace   []string
	// What compare has found that must not be.
	lost, resurrected, duplicates int
}

func newWorker(seed uint64, number int) *worker {
	return &worker{
		gen:   &generator{owner: fmt.Sprintf("w%d", number), dice: rand.New(rand.NewPCG(seed, uint64(number)))},
		model: newModel(),
	}
}

func (w *worker) key() simcloud.CallOption {
	return simcloud.IdempotencyKey(fmt.Sprintf("%s-%d", w.gen.owner, w.calls))
}

// step makes the next call. It reports whether the cloud has answered.
func (w *worker) step(ctx context.Context, c *client.Client) (answered bool, err error) {
	w.calls++
	w.pending = w.gen.next(w.model)
	return w.try(ctx, c)
}

// try makes the call that is pending, with its key.
func (w *worker) try(ctx context.Context, c *client.Client) (answered bool, err error) {
	s := w.pending
	id, err := s.call(ctx, c, w.key())
	code := simcloud.Code("")
	if err != nil {
		code = simcloud.CodeOf(err)
	}
	if code == simcloud.Unavailable {
		return false, nil
	}
	w.pending = nil
	w.trace = append(w.trace, fmt.Sprintf("%s: %s %s", s.what, id, code))
	if code != s.want {
		return true, fmt.Errorf("%s, call %d, %s: got %s, want %q", w.gen.owner, w.calls, s.what, fmt.Sprint(err), string(s.want))
	}
	if code == "" {
		s.apply(w.model, id)
	}
	return true, nil
}

// compare says how what the cloud shows differs from the model.
func (w *worker) compare(ctx context.Context, c *client.Client) error {
	seen, err := see(ctx, c, w.gen.owner)
	if err != nil {
		return err
	}
	if diff := cmp.Diff(w.model.things, seen.things); diff != "" {
		w.count(seen)
		return fmt.Errorf("%s after call %d (-want +got):\n%s", w.gen.owner, w.calls, diff)
	}
	return nil
}

// count counts what is not there, what is there again, and what is there twice.
func (w *worker) count(seen *model) {
	names := map[string]bool{}
	for id, t := range w.model.things {
		names[string(t.Kind)+t.Name] = true
		if _, found := seen.things[id]; !found {
			w.lost++
		}
	}
	for id, t := range seen.things {
		switch _, known := w.model.things[id]; {
		case known:
		case names[string(t.Kind)+t.Name]:
			w.duplicates++
		default:
			w.resurrected++
		}
	}
}

// recover finds out, after a restart, what became of the call that was not
// answered: all of it or nothing. Repeating it leads to where it was to lead.
func (w *worker) recover(ctx context.Context, c *client.Client) error {
	if w.pending == nil {
		return w.compare(ctx, c)
	}
	before, what := w.model.clone(), w.pending.what
	seen, err := see(ctx, c, w.gen.owner)
	if err != nil {
		return err
	}
	if answered, err := w.try(ctx, c); err != nil || !answered {
		return fmt.Errorf("repeat %s: answered %t, %w", what, answered, err)
	}
	if none, whole := cmp.Equal(before.things, seen.things), cmp.Equal(w.model.things, seen.things); !none && !whole {
		return fmt.Errorf("%s, %s was neither whole nor absent (-absent +got):\n%s\n(-whole +got):\n%s", w.gen.owner, what,
			cmp.Diff(before.things, seen.things), cmp.Diff(w.model.things, seen.things))
	}
	return w.compare(ctx, c)
}
