package fault

import (
	"context"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// Delay answers late, by real time. The operation happens at once: a caller
// that does not wait has changed the cloud all the same.
type Delay struct {
	anyCall
	// Duration is how late the answer is.
	Duration simcloud.Duration `json:"duration"`
	// Jitter is how much later still, at most.
	Jitter simcloud.Duration `json:"jitter,omitempty"`
}

func (d *Delay) check(f *fields, path string) {
	f.duration(path+".duration", d.Duration)
	f.pause(path+".jitter", d.Jitter)
}

func (*Delay) example() Rule {
	return Rule{
		Match:  Match{Operation: "List*"},
		Effect: Effect{Delay: &Delay{Duration: simcloud.Duration(2 * time.Second), Jitter: simcloud.Duration(time.Second)}},
	}
}

func (*Delay) lasts() {}

func (d *Delay) after(ctx context.Context, h *Hit, _ Result) error {
	wait := time.Duration(d.Duration) + time.Duration(h.dice.Float64()*float64(d.Jitter))
	h.caught.note()
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return h.drop("the answer was not waited for")
	}
}
