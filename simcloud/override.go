package simcloud

import "context"

// Override is how one call is to differ from what the cloud would do: the part of
// a fault that only the cloud's own rules can play. The zero value changes nothing.
type Override struct {
	// Reading is for reads.
	Reading Reading
	// Outcome is for the operation that a mutation starts.
	Outcome Outcome
}

// Reading is how far a read is behind. It shows what really was; a write never
// relies on it. Where [Consistency] says more, that holds.
type Reading struct {
	// StaleBy shows the cloud as it was that long ago: the oldest that it
	// remembers when that is not so old. It remembers ten minutes of its clock, 64 MiB
	// of changes, and nothing from before it was opened or reset, nor of a project that is gone.
	StaleBy Duration
	// HideNew leaves out what was created within that time.
	HideNew Duration
}

// Outcome is how an operation ends instead of as it should. It is for those
// that lead an instance, a load balancer or a volume through states, and with Code
// alone for changes of routes; what takes no time in any progression, such as an
// update of labels, ends as it should.
type Outcome struct {
	// State is the state that the resource ends in; empty for the right one.
	// With the kind's state for an error the operation fails, with Internal unless Code says. A state that the
	// kind does not have answers Internal. With immediate progression the call
	// answers the resource on its way, and the next one sees where it came to.
	State string
	// Code lets the operation fail with this code. Without State that does not break
	// the resource: it comes to the state in which it was before, and of a load
	// balancer or a route table the change is taken back. What was created stays, in
	// the state that it should have. Types, zones and user data of instances stay changed.
	Code Code
	// After is how long it takes, instead of what the progression says; 0 leaves that to it.
	After Duration
	// AtOnce is whether it takes no time where nothing is to go wrong and After is 0, whatever the progression says.
	AtOnce bool
}

type overrideKey struct{}

// WithOverride returns a context whose operations are overridden.
func WithOverride(ctx context.Context, override Override) context.Context {
	return context.WithValue(ctx, overrideKey{}, override)
}

// OverrideOf returns how the operations of ctx are overridden.
func OverrideOf(ctx context.Context) Override {
	override, _ := ctx.Value(overrideKey{}).(Override)
	return override
}

// AtOnce returns a context whose operations take no time, unless an override of ctx says otherwise. It is for calls of other
// clouds' APIs that are done when they are answered.
func AtOnce(ctx context.Context) context.Context {
	override := OverrideOf(ctx)
	override.Outcome.AtOnce = true
	return WithOverride(ctx, override)
}

type strongKey struct{}

// WithStrongReads returns a context whose reads show the cloud as it is, whatever the
// [Consistency] of the configuration says. An override of ctx still holds.
func WithStrongReads(ctx context.Context) context.Context {
	return context.WithValue(ctx, strongKey{}, true)
}

// StrongReads reports whether the reads of ctx show the cloud as it is.
func StrongReads(ctx context.Context) bool {
	strong, _ := ctx.Value(strongKey{}).(bool)
	return strong
}
