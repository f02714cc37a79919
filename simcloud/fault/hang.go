package fault

import "context"

// Hang never answers. The operation does not happen; the connection stands
// until the caller gives up or the cloud closes.
type Hang struct{ anyCall }

func (*Hang) check(*fields, string) {}

func (*Hang) example() Rule {
	return Rule{Match: Match{Operation: "CreateVolume"}, When: When{Times: 1}, Effect: Effect{Hang: &Hang{}}}
}

func (*Hang) lasts() {}

func (*Hang) before(ctx context.Context, h *Hit) error {
	h.caught.note()
	<-ctx.Done()
	return h.drop("the call hung")
}
