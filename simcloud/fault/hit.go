package fault

import (
	"context"
	"errors"
	"math/rand/v2"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// Header names the rule in an answer that it has changed.
const Header = "Simcloud-Fault"

// ErrDrop is the cause of an error that is not to be answered: the connection is to be dropped.
var ErrDrop = errors.New("drop the connection")

// Hit is a rule that fires at one call. The server asks it at each step of the
// call what is to happen.
type Hit struct {
	// Fault is the id of the rule, and Effect the name of what it does.
	Fault  simcloud.ID
	Effect string

	name   string
	effect effect
	call   *Call
	set    *Set
	dice   *rand.Rand
	caught *caught
}

// Result is how the operation ended in the cloud.
type Result struct {
	// Resource is the id of what the answer is about; empty when it is about nothing.
	Resource simcloud.ID
	Err      error
}

// The interfaces of effects, in the order of a call.
type (
	// lasting effects may take longer than a call usually may.
	lasting interface{ lasts() }
	// before may end the call before the operation.
	before interface {
		before(ctx context.Context, h *Hit) error
	}
	// overrider changes the operation.
	overrider interface {
		override(ctx context.Context, h *Hit) context.Context
	}
	// after may end the call after the operation.
	after interface {
		after(ctx context.Context, h *Hit, result Result) error
	}
	// garbler changes the answer.
	garbler interface {
		garble(a *Answer)
	}
)

// Name returns the name of the rule, or else its id.
func (h *Hit) Name() string {
	if h.name != "" {
		return h.name
	}
	return string(h.Fault)
}

// Lasts reports whether the call may take longer than calls usually may.
func (h *Hit) Lasts() bool {
	_, ok := h.effect.(lasting)
	return ok
}

// Before returns the error that is the answer instead of the operation; nil
// lets it happen. It may wait until ctx is done.
func (h *Hit) Before(ctx context.Context) error {
	if e, ok := h.effect.(before); ok {
		return e.before(ctx, h)
	}
	return nil
}

// Override returns the context for the operation.
func (h *Hit) Override(ctx context.Context) context.Context {
	if e, ok := h.effect.(overrider); ok {
		return e.override(ctx, h)
	}
	return ctx
}

// HoldsAnswer reports whether After may wait.
func (h *Hit) HoldsAnswer() bool {
	_, after := h.effect.(after)
	return after && h.Lasts()
}

// After returns the error that is the answer instead of that of the operation;
// nil leaves it. It may wait until ctx is done.
func (h *Hit) After(ctx context.Context, result Result) error {
	if e, ok := h.effect.(after); ok {
		return e.after(ctx, h, result)
	}
	return nil
}

// drop is the error for a call that gets no answer.
func (h *Hit) drop(what string) error {
	return simcloud.Errorf(simcloud.Unavailable, h.call.ref(), "%s (%s): %w", what, h.Fault, ErrDrop)
}

// Answer is an answer on its way to the caller.
type Answer struct {
	Status int
	Media  string // of the body; empty for none
	Body   []byte
	// Garbled returns a body with the text in place of its states, or of a problem's code;
	// nil when the wire format has none.
	Garbled func(body []byte, text string) []byte
}

// Garbles reports whether the answer is to be given to Garble.
func (h *Hit) Garbles() bool {
	_, ok := h.effect.(garbler)
	return ok
}

// Garble puts another answer in the place of this one, if the effect does.
func (h *Hit) Garble(a *Answer) {
	if e, ok := h.effect.(garbler); ok {
		e.garble(a)
	}
}
