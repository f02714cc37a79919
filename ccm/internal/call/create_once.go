package call

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// A lost answer must not make two. Each create goes out under an idempotency
// key that is computed from the Service and the spec alone: after a
// crash the same call answers the resource that the first one made.
//
// Two things can come between. The spec may have changed since, and with it
// the key: so a process that did not learn how a create ended asks again with
// the spec of then, and changes the result later. And the cloud keeps a key's
// answer longer than the resource lives: an answer that is older than the list
// which did not show the resource, and that the cloud no longer finds by id,
// is of a resource that is gone, and the next generation of the key is used.

// UnsettledFor is how long a resource whose create had no answer is waited
// for, when the cloud neither lists nor finds it.
//
// A Service that goes meanwhile waits as long, and only looks. To repeat the
// create under its key, so as to delete the answer, would settle it at once,
// but not with a cloud that is slow, which is the one that owes an answer: each
// try would time out as well, and give it more to do. A try that is refused
// would prove nothing about the first (the quota may be free again when that
// is carried out), and one that is not would make what is no longer wanted.
//
// A process that has crashed remembers nothing, and what its successor makes of
// that is in unknown of package lb.
const UnsettledFor = time.Minute

// maxGenerations bounds the search for a key whose resource is not gone.
const maxGenerations = 1000

// Creator makes resources of one kind for Services, each once.
type Creator[S, T any] struct {
	Kind   simcloud.Kind
	Create func(ctx context.Context, spec S, opts ...simcloud.CallOption) (simcloud.Result[T], error)
	Get    func(ctx context.Context, id simcloud.ID) (T, error)
	Meta   func(*T) *simcloud.Meta
	Made   func(spec S, listed T) bool // whether a Service's resource can come of the spec
	Now    func() time.Time

	mu        sync.Mutex
	unsettled map[types.UID]attempt[S]
}

// attempt is a create whose end is not known.
type attempt[S any] struct {
	spec S
	at   time.Time // when it was last given up waiting for the answer
}

// Make creates the resource of a Service. seen is the revision of the list
// that did not show it. The result may be of an earlier, unsettled spec.
func (c *Creator[S, T]) Make(ctx context.Context, owner types.UID, spec S, seen uint64) (T, error) {
	earlier, unsettled := c.lookup(owner)
	if unsettled {
		spec = earlier.spec
	}
	for generation := range maxGenerations {
		made, err := c.try(ctx, owner, spec, generation)
		if err != nil || c.Meta(&made).Version > seen {
			return made, err
		}
		have, err := c.Get(ctx, c.Meta(&made).ID)
		switch {
		case err == nil:
			return have, nil
		case !IsGone(err):
			return have, fmt.Errorf("find the %s that was made before: %w", c.Kind, err)
		case unsettled && c.Now().Sub(earlier.at) < UnsettledFor:
			c.remember(owner, earlier)
			return have, NotReady("%s was made, and is not to be seen yet", simcloud.Ref(c.Kind, c.Meta(&made).ID))
		}
	}
	var none T
	return none, fmt.Errorf("the cloud remembers %d of %s that are gone, each under a key of its own", maxGenerations, c.Kind)
}

// try is one call. That it is refused says nothing of an earlier one, which the
// cloud may yet carry out.
func (c *Creator[S, T]) try(ctx context.Context, owner types.UID, spec S, generation int) (T, error) {
	result, err := c.Create(ctx, spec, simcloud.IdempotencyKey(c.key(owner, spec, generation)))
	switch {
	case err != nil && !Refused(err):
		c.remember(owner, attempt[S]{spec: spec, at: c.Now()})
	case err == nil || c.Overdue(owner) == nil:
		c.Forget(owner)
	}
	return result.Resource, err
}

// key is the same for the same Service, spec and generation, in every process.
func (c *Creator[S, T]) key(owner types.UID, spec S, generation int) string {
	body, err := json.Marshal(spec)
	if err != nil { // a spec of plain strings and numbers always is JSON
		panic(fmt.Sprintf("marshal a spec of %s: %v", c.Kind, err))
	}
	sum := sha256.Sum256(body)
	return fmt.Sprintf("%s/%s/%x/%d", owner, c.Kind, sum[:8], generation)
}

func (c *Creator[S, T]) lookup(owner types.UID) (attempt[S], bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	a, ok := c.unsettled[owner]
	return a, ok
}

// Pending reports whether the owner has a create whose end is not known.
func (c *Creator[S, T]) Pending(owner types.UID) bool {
	_, is := c.lookup(owner)
	return is
}

func (c *Creator[S, T]) remember(owner types.UID, a attempt[S]) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.unsettled == nil {
		c.unsettled = map[types.UID]attempt[S]{}
	}
	c.unsettled[owner] = a
}

// OwnersOf returns the owners that have an attempt whose spec matches.
func (c *Creator[S, T]) OwnersOf(match func(S) bool) []types.UID {
	c.mu.Lock()
	defer c.mu.Unlock()
	var owners []types.UID
	for owner, a := range c.unsettled {
		if match(a.spec) {
			owners = append(owners, owner)
		}
	}
	return owners
}

// Settle forgets an attempt whose resource is among those listed of its owner.
func (c *Creator[S, T]) Settle(owner types.UID, listed []T) {
	a, unsettled := c.lookup(owner)
	if unsettled && slices.ContainsFunc(listed, func(have T) bool { return c.Made(a.spec, have) }) {
		c.Forget(owner)
	}
}

// Overdue is an error while a create without an answer may still take effect.
// One that is older than unsettledFor is forgotten.
func (c *Creator[S, T]) Overdue(owner types.UID) error {
	a, unsettled := c.lookup(owner)
	switch {
	case !unsettled:
		return nil
	case c.Now().Sub(a.at) < UnsettledFor:
		return NotReady("the create of a %s had no answer, and may still take effect", c.Kind)
	}
	c.Forget(owner)
	return nil
}

// Forget settles what was unsettled: the resource was found, or is waited for no longer.
func (c *Creator[S, T]) Forget(owner types.UID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.unsettled, owner)
}
